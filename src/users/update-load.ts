import type { SQL } from 'drizzle-orm'
import { hasRole, type Person } from '../access/caller.ts'
import { selectBlessableGroups } from '../access/people.ts'
import { selectGroupPatterns } from '../access/regexp-membership.ts'
import { db } from '../db/client.ts'
import { groups } from '../db/schema/groups.ts'
import { users } from '../db/schema/users.ts'
import { jsonList, sql } from '../db/sql.ts'
import { fold } from '../lib/text.ts'
import { holdersOf } from './create.ts'
import { type GroupsEditInput, groupsNamedIn } from './update-groups.ts'

/** The accounts that an update names. */
export type AskedUsers = {
  readonly ids: readonly number[]
  /** As they were given, trimmed. */
  readonly logins: readonly string[]
  /** Whether the path stands among the logins rather than the IDs. */
  readonly startsWithLogin: boolean
}

/** What has to be known beside the accounts themselves. */
export type Needs = {
  readonly login: string | undefined
  readonly nick: string | null
  readonly edits: readonly GroupsEditInput[]
}

export type Found = {
  readonly [Part in keyof ReturnType<typeof readForUpdate>]: Awaited<
    ReturnType<typeof readForUpdate>[Part]
  >
}

export type UserRow = Found['users'][number]

/** The reads that an update of accounts decides on, to be sent `together`. */
export function readForUpdate(caller: Person, asked: AskedUsers, needs: Needs) {
  const { login, nick } = needs
  const edits = needs.edits.filter((edit) => edit !== undefined && edit !== null)
  return {
    users: usersAsked(asked),
    taken: login === undefined ? undefined : holdersOfLogin(login),
    patterns: login === undefined ? undefined : selectGroupPatterns(),
    nicks: nick === null ? undefined : holdersOf(nick),
    groups: edits.length === 0 ? undefined : groupsConcerned(caller, asked, edits),
  }
}

function usersAsked(asked: AskedUsers) {
  return db
    .select({
      id: users.id,
      login: users.login,
      realName: users.realName,
      nick: users.nick,
      loginDeniedText: users.loginDeniedText,
      emailEnabled: users.emailEnabled,
      passwordChangeRequired: users.passwordChangeRequired,
      revision: users.revision,
      groups: sql<string>`(SELECT json_group_array(m.group_id) FROM group_members m
        WHERE m.user_id = users.id AND m.source = 'direct')`.as('direct_groups'),
      blessGroups: sql<string>`(SELECT json_group_array(b.group_id) FROM group_blessers b
        WHERE b.user_id = users.id)`.as('bless_groups'),
    })
    .from(users)
    .where(isAsked(asked))
}

function holdersOfLogin(login: string) {
  return db
    .select({ id: users.id })
    .from(users)
    .where(sql`users.login_fold = ${fold(login)}`)
}

/** The groups that the edits name, and those that the accounts hold. */
function groupsConcerned(caller: Person, asked: AskedUsers, edits: readonly GroupsEditInput[]) {
  const named = edits.map(groupsNamedIn)
  const ids = named.flatMap((part) => part.ids)
  const names = named.flatMap((part) => part.names)
  // administrators hand out every group, whoever made it
  const isBlessable = hasRole(caller, 'admin')
    ? sql`1`
    : sql`access_groups.id IN ${selectBlessableGroups(caller)}`
  const own = sql`SELECT users.id FROM users WHERE ${isAsked(asked)}`
  return db
    .select({
      id: groups.id,
      name: groups.name,
      isBlessable: sql<boolean>`${isBlessable}`.mapWith(Boolean).as('is_blessable'),
    })
    .from(groups)
    .where(
      sql`access_groups.id IN ${jsonList(ids)} OR access_groups.name_fold IN ${jsonList(names)}
        OR access_groups.id IN (
          SELECT m.group_id FROM group_members m WHERE m.user_id IN (${own}) AND m.source = 'direct'
          UNION SELECT b.group_id FROM group_blessers b WHERE b.user_id IN (${own}))`,
    )
}

function isAsked({ ids, logins }: AskedUsers): SQL {
  return sql`(users.id IN ${jsonList(ids)} OR users.login_fold IN ${jsonList(logins.map(fold))})`
}
