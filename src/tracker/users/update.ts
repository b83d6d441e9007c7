import * as z from 'zod'
import { recomputeMembershipsStatements } from '../../platform/access/membership.ts'
import {
  findMatchingGroups,
  rederivePersonStatements,
} from '../../platform/access/regexp-membership.ts'
import type { Changes } from '../../platform/db/audit.ts'
import {
  abortUnlessChanged,
  type CommitParts,
  commit,
  retryOnConflict,
  type Statement,
} from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { groupBlessers, groupMembers } from '../../platform/db/schema/groups.ts'
import { users } from '../../platform/db/schema/users.ts'
import { columnName, columnNames, jsonRows, sql } from '../../platform/db/sql.ts'
import { type Author, recordUpdates } from '../../platform/db/write-audited.ts'
import { assertAtMost } from '../../platform/faults/checks.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import { requireId } from '../../platform/http/operations/require-id.ts'
import {
  boolean,
  changedObjects,
  clearableText,
  ids,
  names,
  text,
} from '../../platform/http/operations/shapes.ts'
import { hashPassword } from '../../platform/lib/crypto/password-hash.ts'
import { isDigits } from '../../platform/lib/id-or-name.ts'
import { fold, parseNick } from '../../platform/lib/text.ts'
import { accountFaults, loginForSeveral, userIdUnknown, userUnknown } from './faults.ts'
import { endLoginsOf } from './sessions/end-logins.ts'
import { decideUsers, type UserDecision, type UserUpdate } from './update-decide.ts'
import { groupsEditInput } from './update-groups.ts'
import { selectForUpdate, type UserRefs, type UserUpdateRows } from './update-load.ts'
import { parseLogin, parseLoginDeniedText, parsePassword, parseRealName } from './values.ts'

const updateUserInput = z.object({
  id_or_name: z.string(),
  ids: ids(),
  names: names(),
  email: text(),
  full_name: clearableText(),
  /** Some clients call `full_name` this. */
  name: clearableText(),
  real_name: clearableText(),
  password: text(),
  password_change_required: boolean(),
  email_enabled: boolean(),
  login_denied_text: clearableText(),
  groups: groupsEditInput(),
  bless_groups: groupsEditInput(),
})

type Input = z.output<typeof updateUserInput>

/** The commit grows with the memberships of each account. */
const MAX_USERS = 500

/**
 * Changes the accounts of the path, of `ids` and of `names`, all or none. A new login updates the
 * memberships by pattern; a new login, password or `login_denied_text` ends all tokens and sessions.
 */
export const updateUsers = operation(
  {
    method: 'PUT',
    path: '/user/:id_or_name',
    summary: 'Change accounts and their groups',
    reference: 'users.md#change-users',
    input: updateUserInput,
    output: changedObjects('users'),
    faults: [...accountFaults, loginForSeveral, userIdUnknown, userUnknown],
    requires: role('editusers', 'edit users'),
    scope: 'write',
  },
  async (ctx, input) => {
    const { caller } = ctx
    const refs = parseUserRefs(input)
    const password =
      input.password === undefined ? undefined : parsePassword(input.password, ctx.settings)
    const update = parseUpdate(input, password !== undefined)
    const needs = {
      login: update.login,
      nick: update.nick,
      edits: [update.groups, update.blessGroups],
    }
    let passwordHash: Promise<string> | null = null
    return retryOnConflict(ctx, async (ctx) => {
      const rows: UserUpdateRows = await readBatch(ctx, selectForUpdate(caller, refs, needs))
      const decisions = decideUsers(refs, update, rows)
      passwordHash ??= password ? hashPassword(password) : null
      const newPassword = password === undefined ? null : { hash: await passwordHash }
      await commit(ctx, await makeCommitParts(ctx, decisions, rows, newPassword))
      return { users: decisions.map(({ row, changes }) => ({ id: row.id, changes })) }
    })
  },
)

function parseUserRefs(input: Input): UserRefs {
  const path = input.id_or_name.trim()
  const isId = isDigits(path)
  const ids = [...(isId ? [requireId('id_or_name', path)] : []), ...(input.ids ?? [])]
  const logins = [...(isId ? [] : [path]), ...(input.names ?? []).map((name) => name.trim())]
  assertAtMost(MAX_USERS, ids.length + logins.length, 'ids', 'accounts at once')
  return { ids, logins, pathIsLogin: !isId }
}

function parseUpdate(input: Input, hasPassword: boolean): UserUpdate {
  const name = [input.full_name, input.real_name, input.name].find((each) => each !== undefined)
  const realName = name === undefined ? undefined : parseRealName(name ?? '')
  const deniedText = input.login_denied_text
  return {
    login: input.email === undefined ? undefined : parseLogin(input.email),
    realName,
    nick: realName === undefined ? null : parseNick(realName),
    loginDeniedText: deniedText === undefined ? undefined : parseLoginDeniedText(deniedText ?? ''),
    emailEnabled: input.email_enabled,
    hasPassword,
    passwordChangeRequired: input.password_change_required,
    groups: input.groups,
    blessGroups: input.bless_groups,
  }
}

/** Writes the accounts that change, each only at the revision of the decision. */
async function makeCommitParts(
  author: Author,
  decisions: readonly UserDecision[],
  rows: UserUpdateRows,
  newPassword: { readonly hash: string | null } | null,
): Promise<CommitParts> {
  const changing = decisions.filter(
    ({ changes }) => newPassword !== null || Object.keys(changes).length > 0,
  )
  if (changing.length === 0) {
    return {}
  }
  // the audit log records that the password changed, not the password
  const passwordChange: Changes =
    newPassword === null ? {} : { password: { removed: '', added: '' } }
  return {
    users: [updateUsersStatement(changing, newPassword), abortUnlessChanged(changing.length)],
    logins: endLoginsStatements(changing, newPassword !== null),
    groups: editGroupsStatements(changing),
    patterns: await rederiveMembersStatements(changing, rows),
    memberships: recomputeMembershipsStatements(
      changing.filter(changesMemberships).map(({ row }) => row.id),
    ),
    audit: recordUpdates(
      author,
      'User',
      changing.map(({ row, changes }) => ({
        id: row.id,
        changes: { ...changes, ...passwordChange },
      })),
    ),
  }
}

function updateUsersStatement(
  changing: readonly UserDecision[],
  newPassword: { readonly hash: string | null } | null,
): Statement {
  const rows = changing.map(({ row, after: { loginDeniedText, ...after } }) => ({
    ...after,
    id: row.id,
    revision: row.revision,
    loginFold: fold(after.login),
    realNameFold: fold(after.realName),
    nickFold: after.nick === null ? null : fold(after.nick),
  }))
  // all accounts get the same text: a copy per row may exceed the size of one parameter
  const withDeniedText = changing.find(({ changes }) => changes.login_denied_text !== undefined)
  const deniedText = withDeniedText?.after.loginDeniedText ?? null
  const hash = newPassword === null ? sql`${users.passwordHash}` : sql`${newPassword.hash}`
  return sql`UPDATE users SET ${columnName(users.login)} = r.value ->> 'login', ${columnName(users.loginFold)} = r.value ->> 'loginFold',
      ${columnName(users.realName)} = r.value ->> 'realName', ${columnName(users.realNameFold)} = r.value ->> 'realNameFold',
      ${columnName(users.nick)} = r.value ->> 'nick', ${columnName(users.nickFold)} = r.value ->> 'nickFold',
      ${columnName(users.loginDeniedText)} = coalesce(${deniedText}, ${users.loginDeniedText}), ${columnName(users.emailEnabled)} = r.value ->> 'emailEnabled',
      ${columnName(users.passwordChangeRequired)} = r.value ->> 'passwordChangeRequired', ${columnName(users.passwordHash)} = ${hash},
      ${columnName(users.revision)} = ${users.revision} + 1
    FROM ${jsonRows(rows)}
    WHERE ${users.id} = r.value ->> 'id' AND ${users.revision} = r.value ->> 'revision'`
}

function endLoginsStatements(changing: readonly UserDecision[], hasPassword: boolean): Statement[] {
  const affected = changing.filter(
    ({ changes }) => hasPassword || changes.email || changes.login_denied_text,
  )
  return affected.length === 0 ? [] : endLoginsOf(affected.map(({ row }) => row.id))
}

function editGroupsStatements(changing: readonly UserDecision[]): Statement[] {
  const pairs = (part: 'groups' | 'blessGroups', which: 'added' | 'removed') =>
    jsonRows(
      changing.flatMap(({ row, [part]: edit }) =>
        edit[which].map(({ id }) => ({ userId: row.id, groupId: id })),
      ),
    )
  const pair = sql`SELECT r.value ->> 'userId', r.value ->> 'groupId'`
  return [
    sql`DELETE FROM group_members WHERE ${groupMembers.source} = 'direct'
      AND (${groupMembers.userId}, ${groupMembers.groupId}) IN (${pair} FROM ${pairs('groups', 'removed')})`,
    sql`INSERT OR IGNORE INTO group_members (${columnNames(groupMembers.userId, groupMembers.groupId, groupMembers.source)})
      ${pair}, 'direct' FROM ${pairs('groups', 'added')}`,
    sql`DELETE FROM group_blessers
      WHERE (${groupBlessers.userId}, ${groupBlessers.groupId}) IN (${pair} FROM ${pairs('blessGroups', 'removed')})`,
    sql`INSERT OR IGNORE INTO group_blessers (${columnNames(groupBlessers.userId, groupBlessers.groupId)})
      ${pair} FROM ${pairs('blessGroups', 'added')}`,
  ]
}

/** At most one account gets a login, because a login for several accounts is refused. */
async function rederiveMembersStatements(
  changing: readonly UserDecision[],
  rows: UserUpdateRows,
): Promise<Statement[]> {
  const patterns = rows.patterns ?? []
  const withNewLogin = changing.filter(({ changes }) => changes.email)
  const statements = withNewLogin.map(async ({ row, after }) =>
    rederivePersonStatements(
      row.id,
      patterns,
      await findMatchingGroups(patterns, fold(after.login)),
    ),
  )
  return (await Promise.all(statements)).flat()
}

function changesMemberships({ changes }: UserDecision): boolean {
  return changes.email !== undefined || changes.groups !== undefined
}
