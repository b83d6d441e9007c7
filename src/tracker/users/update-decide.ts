import type { Changes } from '../../platform/db/audit.ts'
import { fault } from '../../platform/faults/fault.ts'
import { diffFields } from '../../platform/lib/differences.ts'
import { fold } from '../../platform/lib/text.ts'
import { loginForSeveral, loginTaken, userIdUnknown, userUnknown } from './faults.ts'
import {
  decideUserGroups,
  type GroupsEdit,
  type GroupsEditInput,
  presentGroupsChange,
} from './update-groups.ts'
import type { UserForUpdate, UserRefs, UserUpdateRows } from './update-load.ts'

/** Undefined leaves a value unchanged. */
export type UserUpdate = {
  readonly login: string | undefined
  readonly realName: string | undefined
  /** The nick in `realName`; null when that has none or does not change. */
  readonly nick: string | null
  readonly loginDeniedText: string | undefined
  readonly emailEnabled: boolean | undefined
  readonly hasPassword: boolean
  readonly passwordChangeRequired: boolean | undefined
  readonly groups: GroupsEditInput
  readonly blessGroups: GroupsEditInput
}

/** The columns of an account that an update may change. */
type UserState = Pick<
  UserForUpdate,
  'login' | 'realName' | 'nick' | 'loginDeniedText' | 'emailEnabled' | 'passwordChangeRequired'
>

export type UserDecision = {
  readonly row: UserForUpdate
  readonly after: UserState
  readonly groups: GroupsEdit
  readonly blessGroups: GroupsEdit
  /** In the form of the answer. */
  readonly changes: Changes
}

/** Decides an update for each account, in the order path, IDs, logins. */
export function decideUsers(
  refs: UserRefs,
  update: UserUpdate,
  rows: UserUpdateRows,
): UserDecision[] {
  const accounts = requireUsersInOrder(refs, rows.users)
  assertLoginAvailable(update.login, accounts, rows.loginHolders ?? [])
  const nickOwnerId = findNickOwner(update, accounts, rows.nickHolders ?? [])
  const knownGroups = rows.groups ?? []
  return accounts.map((row) => {
    const after = applyUpdate(row, update, nickOwnerId)
    const groups = decideUserGroups(update.groups, JSON.parse(row.groups), knownGroups)
    const blessGroups = decideUserGroups(
      update.blessGroups,
      JSON.parse(row.blessGroups),
      knownGroups,
    )
    const groupChanges = {
      groups: presentGroupsChange(groups),
      bless_groups: presentGroupsChange(blessGroups),
    }
    const changes = Object.fromEntries([
      ...Object.entries(diffFields(presentState(row), presentState(after))),
      ...Object.entries(groupChanges).flatMap(([field, change]) =>
        change ? [[field, change]] : [],
      ),
    ])
    return { row, after, groups, blessGroups, changes }
  })
}

function requireUsersInOrder(
  { ids, logins, pathIsLogin }: UserRefs,
  rows: readonly UserForUpdate[],
) {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const byLogin = new Map(rows.map((row) => [fold(row.login), row]))
  const foundById = ids.map((id) => {
    const row = byId.get(id)
    if (row === undefined) {
      throw fault(userIdUnknown, { id })
    }
    return row
  })
  const foundByLogin = logins.map((login) => {
    const row = byLogin.get(fold(login))
    if (row === undefined) {
      throw fault(userUnknown, { login })
    }
    return row
  })
  const pathLogins = pathIsLogin ? 1 : 0
  return [
    ...new Set([
      ...foundByLogin.slice(0, pathLogins),
      ...foundById,
      ...foundByLogin.slice(pathLogins),
    ]),
  ]
}

function assertLoginAvailable(
  login: string | undefined,
  rows: readonly UserForUpdate[],
  loginHolders: readonly { id: number }[],
): void {
  if (login === undefined) {
    return
  }
  if (rows.length > 1) {
    throw fault(loginForSeveral)
  }
  if (loginHolders.some(({ id }) => id !== rows[0]?.id)) {
    throw fault(loginTaken, { login })
  }
}

/** The ID of the account that gets the nick of the new real name: the one that has it, else the first. */
function findNickOwner(
  { realName, nick }: UserUpdate,
  rows: readonly UserForUpdate[],
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
 * A disabled account gets no mail, and to enable it does not turn mail on again. A new password meets the
 * demand to change it.
 */
function applyUpdate(
  row: UserForUpdate,
  update: UserUpdate,
  nickOwnerId: number | undefined,
): UserState {
  const realName = update.realName ?? row.realName
  const loginDeniedText = update.loginDeniedText ?? row.loginDeniedText
  const hadMail = row.emailEnabled && row.loginDeniedText === ''
  return {
    login: update.login ?? row.login,
    realName,
    nick: realName === row.realName ? row.nick : nickOwnerId === row.id ? update.nick : null,
    loginDeniedText,
    emailEnabled: loginDeniedText === '' && (update.emailEnabled ?? hadMail),
    passwordChangeRequired:
      update.passwordChangeRequired ?? (row.passwordChangeRequired && !update.hasPassword),
  }
}

function presentState(state: UserState) {
  return {
    email: state.login,
    full_name: state.realName,
    login_denied_text: state.loginDeniedText,
    email_enabled: state.emailEnabled && state.loginDeniedText === '',
    password_change_required: state.passwordChangeRequired,
  }
}
