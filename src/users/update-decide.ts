import type { Changes } from '../db/audit.ts'
import { fault } from '../faults.ts'
import { diffFields } from '../lib/differences.ts'
import { fold } from '../lib/text.ts'
import {
  decideGroups,
  type GroupsEdit,
  type GroupsEditInput,
  groupsChange,
} from './update-groups.ts'
import type { AskedUsers, Found, UserRow } from './update-load.ts'

/** What an update wants of accounts; what is undefined stays. */
export type Wanted = {
  readonly login: string | undefined
  readonly realName: string | undefined
  readonly nick: string | null
  readonly loginDeniedText: string | undefined
  readonly emailEnabled: boolean | undefined
  /** Whether there is a new password. */
  readonly hasPassword: boolean
  readonly passwordChangeRequired: boolean | undefined
  readonly groups: GroupsEditInput
  readonly blessGroups: GroupsEditInput
}

/** The columns of an account that an update may change. */
export type State = Pick<
  UserRow,
  'login' | 'realName' | 'nick' | 'loginDeniedText' | 'emailEnabled' | 'passwordChangeRequired'
>

export type Decision = {
  readonly row: UserRow
  readonly after: State
  readonly groups: GroupsEdit
  readonly blessGroups: GroupsEdit
  /** As the answer tells them. */
  readonly changes: Changes
}

/**
 * What an update comes to for each account, in the order path, IDs, logins. Pure. Faults 51 for an
 * account that does not exist, 500 for an e-mail address that is taken or for several accounts, 304 for
 * groups that the caller cannot hand out.
 */
export function decideUsers(asked: AskedUsers, wanted: Wanted, found: Found): Decision[] {
  const rows = inOrder(asked, found.users)
  refuseLogin(wanted.login, rows, found.taken ?? [])
  const nickFor = nickHolder(wanted, rows, found.nicks ?? [])
  return rows.map((row) => {
    const after = stateAfter(row, wanted, nickFor)
    const known = found.groups ?? []
    const groups = decideGroups(wanted.groups, JSON.parse(row.groups), known)
    const blessGroups = decideGroups(wanted.blessGroups, JSON.parse(row.blessGroups), known)
    const listed = { groups: groupsChange(groups), bless_groups: groupsChange(blessGroups) }
    const changes = Object.fromEntries([
      ...Object.entries(diffFields(shown(row), shown(after))),
      ...Object.entries(listed).flatMap(([field, change]) => (change ? [[field, change]] : [])),
    ])
    return { row, after, groups, blessGroups, changes }
  })
}

function inOrder({ ids, logins, startsWithLogin }: AskedUsers, rows: readonly UserRow[]) {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const byLogin = new Map(rows.map((row) => [fold(row.login), row]))
  const numbered = ids.map((id) => {
    const row = byId.get(id)
    if (row === undefined) {
      throw fault('userIdUnknown', { id })
    }
    return row
  })
  const named = logins.map((login) => {
    const row = byLogin.get(fold(login))
    if (row === undefined) {
      throw fault('userUnknown', { login })
    }
    return row
  })
  const first = startsWithLogin ? 1 : 0
  return [...new Set([...named.slice(0, first), ...numbered, ...named.slice(first)])]
}

function refuseLogin(
  login: string | undefined,
  rows: readonly UserRow[],
  taken: readonly { id: number }[],
): void {
  if (login === undefined) {
    return
  }
  if (rows.length > 1) {
    throw fault('loginForSeveral')
  }
  if (taken.some(({ id }) => id !== rows[0]?.id)) {
    throw fault('loginTaken', { login })
  }
}

/** Who gets the nick in the wanted real name: nobody when another account has it, the first otherwise. */
function nickHolder(
  { realName, nick }: Wanted,
  rows: readonly UserRow[],
  holders: readonly { id: number }[],
): number | undefined {
  if (nick === null) {
    return undefined
  }
  const [holder] = holders
  const others = rows.filter((row) => row.realName !== realName)
  return holder === undefined ? others[0]?.id : holder.id
}

/**
 * A disabled account gets no mail, and being enabled again does not bring mail back. A new password is one
 * that has been changed.
 */
function stateAfter(row: UserRow, wanted: Wanted, nickFor: number | undefined): State {
  const realName = wanted.realName ?? row.realName
  const loginDeniedText = wanted.loginDeniedText ?? row.loginDeniedText
  const hadMail = row.emailEnabled && row.loginDeniedText === ''
  return {
    login: wanted.login ?? row.login,
    realName,
    nick: realName === row.realName ? row.nick : nickFor === row.id ? wanted.nick : null,
    loginDeniedText,
    emailEnabled: loginDeniedText === '' && (wanted.emailEnabled ?? hadMail),
    passwordChangeRequired:
      wanted.passwordChangeRequired ?? (row.passwordChangeRequired && !wanted.hasPassword),
  }
}

function shown(state: State) {
  return {
    email: state.login,
    full_name: state.realName,
    login_denied_text: state.loginDeniedText,
    email_enabled: state.emailEnabled && state.loginDeniedText === '',
    password_change_required: state.passwordChangeRequired,
  }
}
