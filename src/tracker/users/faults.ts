import { groupUnknown, notAuthorized } from '../../platform/access/faults.ts'
import { type AnyFault, defineFaults, emailInvalid } from '../../platform/faults/fault.ts'

export const {
  userUnknown,
  userIdUnknown,
  userNotAllowedHere,
  groupNameInvalid,
  loginTaken,
  passwordTooShort,
  passwordTooSimple,
  loginForSeveral,
  userIdsNeedLogin,
  sessionUnknown,
  secondFactorIsOn,
  secondFactorMissing,
  keyMayNotManageAccount,
  accountMailsOff,
  linkInvalid,
  registrationClosed,
  registrationDomain,
  userGroupsTooLong,
} = defineFaults({
  userUnknown: [51, "There is no user named '{login}'."],
  userIdUnknown: [51, 'There is no user with the ID {id}.'],
  userNotAllowedHere: [504, "The field '{field}' names the user '{login}', who does not exist."],
  groupNameInvalid: [804, "There is no group named '{name}'."],
  loginTaken: [500, "There is an account with the login '{login}' already."],
  passwordTooShort: [502, 'The password is too short; it needs {least} characters.'],
  passwordTooSimple: [
    305,
    'The password is too simple: mix cases, digits and signs, or use four different words.',
  ],
  loginForSeveral: [500, 'Only one account at a time can be given a new e-mail address.'],
  userIdsNeedLogin: [
    505,
    "Logged-out callers may look users up by name only, not by 'ids' or 'match'.",
  ],
  sessionUnknown: [51, 'You have no session with the ID {id}.'],
  accountMailsOff: [
    32000,
    'This site cannot send mails with links. Ask an administrator, who can set a password and change the address.',
  ],
  linkInvalid: [
    32000,
    'This link does not work: it was used, is too old, or its account has changed since. Ask for another one.',
  ],
  registrationClosed: [501, 'Nobody can make an account here but an administrator.'],
  userGroupsTooLong: [
    1001,
    "The groups of these people have more than {most} characters together; name fewer people, or leave groups out with 'exclude_fields=groups'.",
  ],
  registrationDomain: [501, "Addresses of the domain '{domain}' cannot register here."],
  secondFactorIsOn: [
    32000,
    'This account has a second factor; remove it with DELETE /rest/account/totp before you set up another one.',
  ],
  secondFactorMissing: [
    32000,
    'No second factor waits for its first code; begin with POST /rest/account/totp.',
  ],
  keyMayNotManageAccount: [
    304,
    'The API key you presented is limited, and so it has no say in how its owner signs in. Use a key with all scopes for all products, or log in.',
  ],
})

export const getUserFaults: readonly AnyFault[] = [
  groupNameInvalid,
  groupUnknown,
  notAuthorized,
  userGroupsTooLong,
  userIdsNeedLogin,
  userUnknown,
]

export const accountFaults: readonly AnyFault[] = [
  emailInvalid,
  loginTaken,
  passwordTooShort,
  passwordTooSimple,
]
