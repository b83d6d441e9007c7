import { groupUnknown, notAuthorized } from '../../platform/access/faults.ts'
import { type AnyFault, defineFault, emailInvalid } from '../../platform/faults/fault.ts'

export const userUnknown = defineFault<{ login: string }>(
  'userUnknown',
  51,
  (d) => `There is no user named '${d.login}'.`,
)
export const userIdUnknown = defineFault<{ id: number }>(
  'userIdUnknown',
  51,
  (d) => `There is no user with the ID ${d.id}.`,
)
export const userNotAllowedHere = defineFault<{ field: string; login: string }>(
  'userNotAllowedHere',
  504,
  (d) => `The field '${d.field}' names the user '${d.login}', who does not exist.`,
)
export const groupNameInvalid = defineFault<{ name: string }>(
  'groupNameInvalid',
  804,
  (d) => `There is no group named '${d.name}'.`,
)
export const loginTaken = defineFault<{ login: string }>(
  'loginTaken',
  500,
  (d) => `There is an account with the login '${d.login}' already.`,
)
export const passwordTooShort = defineFault<{ least: number }>(
  'passwordTooShort',
  502,
  (d) => `The password is too short; it needs ${d.least} characters.`,
)
export const passwordTooSimple = defineFault(
  'passwordTooSimple',
  305,
  'The password is too simple: mix cases, digits and signs, or use four different words.',
)
export const loginForSeveral = defineFault(
  'loginForSeveral',
  500,
  'Only one account at a time can be given a new e-mail address.',
)
export const userIdsNeedLogin = defineFault(
  'userIdsNeedLogin',
  505,
  "Logged-out callers may look users up by name only, not by 'ids' or 'match'.",
)

export const getUserFaults: readonly AnyFault[] = [
  groupNameInvalid,
  groupUnknown,
  notAuthorized,
  userIdsNeedLogin,
  userUnknown,
]

export const accountFaults: readonly AnyFault[] = [
  emailInvalid,
  loginTaken,
  passwordTooShort,
  passwordTooSimple,
]
