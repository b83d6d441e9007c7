import type { SQL } from 'drizzle-orm'
import { hasRole, type Person } from '../../platform/access/caller.ts'
import { selectBlessableGroups } from '../../platform/access/people.ts'
import { selectGroupPatterns } from '../../platform/access/regexp-membership.ts'
import { groupBlessers, groupMembers, groups } from '../../platform/db/schema/groups.ts'
import { apiKeys, users } from '../../platform/db/schema/users.ts'
import { aliasColumns, db, jsonList, sql } from '../../platform/db/sql.ts'
import { pick } from '../../platform/lib/pick.ts'
import { fold } from '../../platform/lib/text.ts'
import { selectNickHolders } from './create-account.ts'
import { collectGroupRefs, type GroupsEditInput } from './update-groups.ts'

const m = aliasColumns(groupMembers, 'm')
const b = aliasColumns(groupBlessers, 'b')

/** The accounts that a request names. */
export type UserRefs = {
  readonly ids: readonly number[]
  /** Trimmed, in their case. */
  readonly logins: readonly string[]
  /** Whether the path is the first of the logins rather than of the IDs. */
  readonly pathIsLogin: boolean
}

/** What an update sets that requires further reads. */
type UpdateNeeds = {
  readonly login: string | undefined
  readonly nick: string | null
  readonly edits: readonly GroupsEditInput[]
}

export type UserUpdateRows = {
  readonly [Part in keyof ReturnType<typeof selectUsersForUpdate>]: Awaited<
    ReturnType<typeof selectUsersForUpdate>[Part]
  >
}

export type UserForUpdate = UserUpdateRows['users'][number]

/** The selects that `decideUsers` rests on, for one `readBatch`. */
export function selectUsersForUpdate(caller: Person, refs: UserRefs, needs: UpdateNeeds) {
  const { login, nick } = needs
  const edits = needs.edits.filter((edit) => edit !== undefined && edit !== null)
  return {
    users: selectUsers(refs),
    loginHolders: login === undefined ? undefined : selectLoginHolders(login),
    patterns: login === undefined ? undefined : selectGroupPatterns(),
    nickHolders: nick === null ? undefined : selectNickHolders(nick),
    groups: edits.length === 0 ? undefined : selectConcernedGroups(caller, refs, edits),
  }
}

/** The API keys of the accounts that still work or expire by themselves. */
export function selectKeys(refs: UserRefs) {
  return db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(
      sql`${apiKeys.revoked} = 0 AND ${apiKeys.userId} IN (SELECT ${users.id} FROM users WHERE ${userRefsCondition(refs)})`,
    )
}

function selectUsers(refs: UserRefs) {
  return db
    .select({
      ...pick(users, 'id', 'login', 'realName', 'nick'),
      ...pick(users, 'loginDeniedText', 'emailEnabled', 'passwordChangeRequired', 'revision'),
      groups: sql<string>`(SELECT json_group_array(${m.groupId}) FROM group_members m
        WHERE ${m.userId} = ${users.id} AND ${m.source} = 'direct')`.as('direct_groups'),
      blessGroups: sql<string>`(SELECT json_group_array(${b.groupId}) FROM group_blessers b
        WHERE ${b.userId} = ${users.id})`.as('bless_groups'),
    })
    .from(users)
    .where(userRefsCondition(refs))
}

function selectLoginHolders(login: string) {
  return db
    .select({ id: users.id })
    .from(users)
    .where(sql`${users.loginFold} = ${fold(login)}`)
}

/** Selects the groups that the edits name and those that the accounts have. */
function selectConcernedGroups(caller: Person, refs: UserRefs, edits: readonly GroupsEditInput[]) {
  const groupRefs = edits.map(collectGroupRefs)
  const ids = groupRefs.flatMap((each) => each.ids)
  const names = groupRefs.flatMap((each) => each.names)
  // administrators may bless every group, with or without a grant
  const isBlessable = hasRole(caller, 'admin')
    ? sql`1`
    : sql`${groups.id} IN ${selectBlessableGroups(caller)}`
  const userIds = sql`SELECT ${users.id} FROM users WHERE ${userRefsCondition(refs)}`
  return db
    .select({
      id: groups.id,
      name: groups.name,
      isBlessable: sql<boolean>`${isBlessable}`.mapWith(Boolean).as('is_blessable'),
    })
    .from(groups)
    .where(
      sql`${groups.id} IN ${jsonList(ids)} OR ${groups.nameFold} IN ${jsonList(names)}
        OR ${groups.id} IN (
          SELECT ${m.groupId} FROM group_members m WHERE ${m.userId} IN (${userIds}) AND ${m.source} = 'direct'
          UNION SELECT ${b.groupId} FROM group_blessers b WHERE ${b.userId} IN (${userIds}))`,
    )
}

function userRefsCondition({ ids, logins }: UserRefs): SQL {
  return sql`(${users.id} IN ${jsonList(ids)} OR ${users.loginFold} IN ${jsonList(logins.map(fold))})`
}
