import * as z from 'zod'
import type { Person } from '../access/caller.ts'
import { recomputeMembershipsStatements } from '../access/membership.ts'
import { findMatchingGroups, rederivePersonStatements } from '../access/regexp-membership.ts'
import { assertRole } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { auditStatements, type Changes } from '../db/audit.ts'
import {
  abortUnlessChanged,
  type CommitParts,
  commit,
  retryOnConflict,
  type Statement,
} from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { jsonList, jsonRows, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { changesOutput, clearableText, flag, ids, names, text } from '../http/shapes.ts'
import { hashPassword } from '../lib/secrets.ts'
import { fold, nickIn } from '../lib/text.ts'
import { type Decision, decideUsers, type Wanted } from './update-decide.ts'
import { groupsEditInput } from './update-groups.ts'
import { type AskedUsers, type Found, readForUpdate } from './update-load.ts'
import { loginFrom, passwordFrom, realNameFrom, reasonFrom } from './values.ts'

export const updateUserInput = z.object({
  id_or_name: z.string(),
  ids: ids(),
  names: names(),
  email: text(),
  full_name: clearableText(),
  /** What some clients call `full_name`. */
  name: clearableText(),
  real_name: clearableText(),
  password: text(),
  password_change_required: flag(),
  email_enabled: flag(),
  login_denied_text: clearableText(),
  groups: groupsEditInput(),
  bless_groups: groupsEditInput(),
})

export const updateUserOutput = z.strictObject({
  users: z.array(z.strictObject({ id: z.int(), changes: changesOutput })),
})

type Input = z.output<typeof updateUserInput>

/** Each account brings its memberships along. */
const MOST_USERS = 500

/**
 * PUT /user/{id_or_name}: changes the accounts of the path, of `ids` and of `names`, all or none. A new
 * login brings the groups by pattern up to date; a new login, password or reason for being disabled ends
 * all tokens. Contract "Users". Faults 410; 304 for who does not edit users, and for groups that do not
 * exist or that the caller cannot hand out; 51 for an unknown account; 52, 53; 50, 500 and 501 for the
 * e-mail address, also for several accounts; 502 and 305 for the password.
 */
export async function updateUsers(ctx: Ctx, input: Input) {
  const caller = assertRole(ctx.caller, 'editusers', 'edit users')
  const asked = askedUsers(input)
  const password =
    input.password === undefined ? undefined : passwordFrom(input.password, ctx.settings)
  const wanted = wantedIn(input, password !== undefined)
  const needs = {
    login: wanted.login,
    nick: wanted.nick,
    edits: [wanted.groups, wanted.blessGroups],
  }
  let hashing: Promise<string> | null = null
  return retryOnConflict(ctx, async (ctx) => {
    const found: Found = await readBatch(ctx, readForUpdate(caller, asked, needs))
    const decided = decideUsers(asked, wanted, found)
    hashing ??= password ? hashPassword(password) : null
    const credentials = password === undefined ? null : { hash: await hashing }
    await commit(ctx, await statementsFor(ctx.now, caller, decided, found, credentials))
    return { users: decided.map(({ row, changes }) => ({ id: row.id, changes })) }
  })
}

/** Faults 52, and 53 for too many. */
function askedUsers(input: Input): AskedUsers {
  const path = input.id_or_name.trim()
  const isId = /^\d+$/.test(path)
  if (isId && (path.length > 15 || Number(path) === 0)) {
    throw fault('notAnInteger', { field: 'id_or_name', value: path.slice(0, 100) })
  }
  const ids = [...(isId ? [Number(path)] : []), ...(input.ids ?? [])]
  const logins = [...(isId ? [] : [path]), ...(input.names ?? []).map((name) => name.trim())]
  if (ids.length + logins.length > MOST_USERS) {
    const reason = `may name at most ${MOST_USERS} accounts at once`
    throw fault('parameterInvalid', { field: 'ids', reason })
  }
  return { ids, logins, startsWithLogin: !isId }
}

/** Faults 50, 501 and 53. */
function wantedIn(input: Input, hasPassword: boolean): Wanted {
  const name = [input.full_name, input.real_name, input.name].find((each) => each !== undefined)
  const realName = name === undefined ? undefined : realNameFrom(name ?? '')
  const reason = input.login_denied_text
  return {
    login: input.email === undefined ? undefined : loginFrom(input.email),
    realName,
    nick: realName === undefined ? null : nickIn(realName),
    loginDeniedText: reason === undefined ? undefined : reasonFrom(reason ?? ''),
    emailEnabled: input.email_enabled,
    hasPassword,
    passwordChangeRequired: input.password_change_required,
    groups: input.groups,
    blessGroups: input.bless_groups,
  }
}

/** Only accounts that really change are written; each as it was when the change was decided. */
async function statementsFor(
  at: number,
  by: Person,
  decided: readonly Decision[],
  found: Found,
  credentials: { readonly hash: string | null } | null,
): Promise<CommitParts> {
  const changing = decided.filter(
    ({ changes }) => credentials !== null || Object.keys(changes).length > 0,
  )
  if (changing.length === 0) {
    return {}
  }
  // what the password was is told to nobody, but that it is another one is
  const mark: Changes = credentials === null ? {} : { password: { removed: '', added: '' } }
  return {
    users: [updateRows(changing, credentials), abortUnlessChanged(changing.length)],
    tokens: endTokens(changing, credentials !== null),
    groups: editGroups(changing),
    patterns: await followLogins(changing, found),
    memberships: recomputeMembershipsStatements(
      changing.filter(movesGroups).map(({ row }) => row.id),
    ),
    audit: auditStatements(
      { by: by.id, at, objectClass: 'User', action: 'update' },
      changing.map(({ row, changes }) => ({ id: row.id, changes: { ...changes, ...mark } })),
    ),
  }
}

function updateRows(
  changing: readonly Decision[],
  credentials: { readonly hash: string | null } | null,
): Statement {
  const rows = changing.map(({ row, after: { loginDeniedText, ...after } }) => ({
    ...after,
    id: row.id,
    revision: row.revision,
    loginFold: fold(after.login),
    realNameFold: fold(after.realName),
    nickFold: after.nick === null ? null : fold(after.nick),
  }))
  // all accounts get the same reason: in every row it might be more than one parameter holds
  const denied = changing.find(({ changes }) => changes.login_denied_text !== undefined)
  const reason = denied?.after.loginDeniedText ?? null
  const hash = credentials === null ? sql`users.password_hash` : sql`${credentials.hash}`
  return sql`UPDATE users SET login = r.value ->> 'login', login_fold = r.value ->> 'loginFold',
      real_name = r.value ->> 'realName', real_name_fold = r.value ->> 'realNameFold',
      nick = r.value ->> 'nick', nick_fold = r.value ->> 'nickFold',
      login_denied_text = coalesce(${reason}, login_denied_text), email_enabled = r.value ->> 'emailEnabled',
      password_change_required = r.value ->> 'passwordChangeRequired', password_hash = ${hash},
      revision = users.revision + 1
    FROM ${jsonRows(rows)}
    WHERE users.id = r.value ->> 'id' AND users.revision = r.value ->> 'revision'`
}

function endTokens(changing: readonly Decision[], hasPassword: boolean): Statement {
  const ended = changing.filter(
    ({ changes }) => hasPassword || changes.email || changes.login_denied_text,
  )
  return sql`DELETE FROM tokens WHERE user_id IN ${jsonList(ended.map(({ row }) => row.id))}`
}

function editGroups(changing: readonly Decision[]): Statement[] {
  const pairs = (part: 'groups' | 'blessGroups', which: 'added' | 'removed') =>
    jsonRows(
      changing.flatMap(({ row, [part]: edit }) =>
        edit[which].map(({ id }) => ({ userId: row.id, groupId: id })),
      ),
    )
  const pair = sql`SELECT r.value ->> 'userId', r.value ->> 'groupId'`
  return [
    sql`DELETE FROM group_members WHERE source = 'direct'
      AND (user_id, group_id) IN (${pair} FROM ${pairs('groups', 'removed')})`,
    sql`INSERT OR IGNORE INTO group_members (user_id, group_id, source)
      ${pair}, 'direct' FROM ${pairs('groups', 'added')}`,
    sql`DELETE FROM group_blessers
      WHERE (user_id, group_id) IN (${pair} FROM ${pairs('blessGroups', 'removed')})`,
    sql`INSERT OR IGNORE INTO group_blessers (user_id, group_id)
      ${pair} FROM ${pairs('blessGroups', 'added')}`,
  ]
}

/** There is one login at most, since several accounts cannot be given one. */
async function followLogins(changing: readonly Decision[], found: Found): Promise<Statement[]> {
  const patterns = found.patterns ?? []
  const moved = changing.filter(({ changes }) => changes.email)
  const statements = moved.map(async ({ row, after }) =>
    rederivePersonStatements(
      row.id,
      patterns,
      await findMatchingGroups(patterns, fold(after.login)),
    ),
  )
  return (await Promise.all(statements)).flat()
}

function movesGroups({ changes }: Decision): boolean {
  return changes.email !== undefined || changes.groups !== undefined
}
