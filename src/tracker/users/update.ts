import * as z from 'zod'
import { type Bearer, bearerOf } from '../../platform/access/bearer.ts'
import type { Person } from '../../platform/access/caller.ts'
import { strongestCredential } from '../../platform/access/credentials.ts'
import { endLoginsOf } from '../../platform/access/end-logins.ts'
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
import { apiKeys, users } from '../../platform/db/schema/users.ts'
import type { SessionHolder } from '../../platform/db/session.ts'
import { columnName, columnNames, jsonList, jsonRows, sql } from '../../platform/db/sql.ts'
import { type Author, recordUpdates } from '../../platform/db/write-audited.ts'
import { assertAtMost } from '../../platform/faults/checks.ts'
import { fault, invalidParameter } from '../../platform/faults/fault.ts'
import { itemsOf } from '../../platform/http/operations/edit-set.ts'
import { operation } from '../../platform/http/operations/operation.ts'
import { requireId } from '../../platform/http/operations/require-id.ts'
import {
  boolean,
  changedObjects,
  clearableText,
  ids,
  names,
  strictInput,
  text,
} from '../../platform/http/operations/shapes.ts'
import { hashPassword } from '../../platform/lib/crypto/password-hash.ts'
import { isDigits } from '../../platform/lib/id-or-name.ts'
import { fold, parseNick } from '../../platform/lib/text.ts'
import {
  accountFaults,
  accountMailsOff,
  keyMayNotManageAccount,
  loginForSeveral,
  loginTaken,
  userIdUnknown,
  userUnknown,
} from './faults.ts'
import { announceLink, insertLinkStatement } from './links/links.ts'
import { decideUsers, type UserDecision, type UserUpdate } from './update-decide.ts'
import { groupsEditInput } from './update-groups.ts'
import {
  selectKeys,
  selectUsersForUpdate,
  type UserRefs,
  type UserUpdateRows,
} from './update-load.ts'
import {
  commitWithPassword,
  editorsAndOneself,
  newEmailLink,
  selectEmailLinks,
} from './update-own.ts'
import {
  assertNoLogin,
  parseLogin,
  parseLoginDeniedText,
  parsePassword,
  parseRealName,
} from './values.ts'

// a misspelled member would leave people their rights
const updateUserInput = strictInput(
  {
    id_or_name: z.string(),
    ids: ids(),
    names: names(),
    email: text(),
    full_name: clearableText(),
    /** Some clients call `full_name` this. */
    name: clearableText(),
    real_name: clearableText(),
    password: text(),
    current_password: text(),
    revoke_keys: boolean(),
    password_change_required: boolean(),
    email_enabled: boolean(),
    login_denied_text: clearableText(),
    groups: groupsEditInput(),
    bless_groups: groupsEditInput(),
  },
  'id',
  'login',
  'nick',
  'can_login',
  'saved_searches',
  'saved_reports',
  'last_seen_date',
  'last_activity_time',
  'creation_time',
)

type Input = z.output<typeof updateUserInput>

/** Null takes the password away. */
type NewPassword = { readonly hash: string | null }

/** The commit grows with the memberships of each account. */
const MAX_USERS = 500
/** Groups of all accounts together that one edit names: 250,000 took two seconds. */
const MAX_MEMBERSHIPS = 10_000

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
    faults: [
      ...[...accountFaults, loginForSeveral, userIdUnknown, userUnknown],
      ...[accountMailsOff, keyMayNotManageAccount],
    ],
    requires: editorsAndOneself,
    scope: 'write',
  },
  async (ctx, input) => {
    const { caller, isOwn } = ctx
    const refs = parseUserRefs(input)
    const password =
      input.password === undefined ? undefined : parsePassword(input.password, ctx.settings)
    if (input.revoke_keys === true && password === undefined) {
      throw invalidParameter('revoke_keys', 'goes with a new password')
    }
    const update = parseUpdate(input, password !== undefined)
    assertFewMemberships(refs, update)
    const newAddress = isOwn ? findNewAddress(caller, update) : undefined
    const decided = newAddress === undefined ? update : { ...update, login: undefined }
    const needs = {
      login: update.login,
      nick: update.nick,
      edits: [update.groups, update.blessGroups],
    }
    const kept = isOwn ? await bearerOf(strongestCredential(ctx.credentials)) : null
    let passwordHash: Promise<string> | null = null
    let decisions: readonly UserDecision[] = []
    const decide = async (read: SessionHolder): Promise<CommitParts> => {
      const {
        keys = [],
        emailLinks,
        ...rows
      } = await readBatch(read, {
        ...selectUsersForUpdate(caller, refs, needs),
        keys: input.revoke_keys === true ? selectKeys(refs) : undefined,
        emailLinks: newAddress === undefined ? undefined : selectEmailLinks(ctx),
      })
      decisions = decideUsers(refs, decided, rows)
      for (const { after } of password ? decisions : []) {
        assertNoLogin('password', password ?? '', after.login)
      }
      if (newAddress !== undefined && (rows.loginHolders ?? []).length > 0) {
        throw fault(loginTaken, { login: newAddress })
      }
      const link =
        newAddress === undefined ? null : await newEmailLink(ctx, newAddress, emailLinks ?? [])
      passwordHash ??= password ? hashPassword(password) : null
      const newPassword = password === undefined ? null : { hash: await passwordHash }
      return {
        ...(await makeCommitParts(ctx, decisions, rows, { newPassword, kept })),
        keys: revokeKeysStatements(ctx, keys),
        link: link === null ? undefined : insertLinkStatement(link, caller.id),
      }
    }
    if (isOwn && (password !== undefined || update.login !== undefined)) {
      const rows = await commitWithPassword(ctx, input.current_password, decide)
      announceLink(ctx, rows)
    } else {
      await retryOnConflict(ctx, async (ctx) => commit(ctx, await decide(ctx)))
    }
    return { users: decisions.map(({ row, changes }) => ({ id: row.id, changes })) }
  },
)

/** The address that is not yet the caller's; undefined for none, or for the present one in another case. */
function findNewAddress({ login }: Person, update: UserUpdate): string | undefined {
  return update.login === undefined || fold(update.login) === fold(login) ? undefined : update.login
}

function parseUserRefs(input: Input): UserRefs {
  const path = input.id_or_name.trim()
  const isId = isDigits(path)
  const ids = [...(isId ? [requireId('id_or_name', path)] : []), ...(input.ids ?? [])]
  const logins = [...(isId ? [] : [path]), ...(input.names ?? []).map((name) => name.trim())]
  assertAtMost(MAX_USERS, ids.length + logins.length, 'ids', 'accounts at once')
  return { ids, logins, pathIsLogin: !isId }
}

function assertFewMemberships({ ids, logins }: UserRefs, update: UserUpdate): void {
  const accounts = ids.length + logins.length
  for (const [field, edit] of [
    ['groups', update.groups],
    ['bless_groups', update.blessGroups],
  ] as const) {
    if (accounts * itemsOf(edit ?? {}).length > MAX_MEMBERSHIPS) {
      const most = MAX_MEMBERSHIPS.toLocaleString('en')
      const reason = `would change more than ${most} entries; name fewer groups or accounts at a time`
      throw invalidParameter(field, reason)
    }
  }
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
  { newPassword, kept }: { newPassword: NewPassword | null; kept: Bearer | null },
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
    logins: endLoginsStatements(changing, newPassword !== null, kept),
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
  newPassword: NewPassword | null,
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

function endLoginsStatements(
  changing: readonly UserDecision[],
  hasPassword: boolean,
  kept: Bearer | null,
): Statement[] {
  const affected = changing.filter(
    ({ changes }) => hasPassword || changes.email || changes.login_denied_text,
  )
  const ids = affected.map(({ row }) => row.id)
  return ids.length === 0 ? [] : endLoginsOf(ids, kept)
}

function revokeKeysStatements(
  author: Author,
  keys: readonly { readonly id: number }[],
): Statement[] {
  const changes: Changes = { revoked: { removed: '0', added: '1' } }
  return keys.length === 0
    ? []
    : [
        sql`UPDATE api_keys SET ${columnName(apiKeys.revoked)} = 1 WHERE ${apiKeys.id} IN ${jsonList(keys.map(({ id }) => id))}`,
        ...recordUpdates(
          author,
          'APIKey',
          keys.map(({ id }) => ({ id, changes })),
        ),
      ]
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
