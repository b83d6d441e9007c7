import { type AnyFault, defineFaults } from '../faults/fault.ts'

export const {
  groupUnknown,
  bugAliasUnknown,
  bugIdUnknown,
  bugNotVisible,
  productDenied,
  productEditDenied,
  tooManyBugs,
  badLogin,
  accountDisabled,
  loginLocked,
  notAuthorized,
  codeRequired,
  codeWrong,
  secondFactorRequired,
  newPasswordRequired,
  apiKeyInvalid,
  apiKeyRevoked,
  apiKeyExpired,
  tokenInvalid,
  loginRequired,
  passwordsThrottled,
  passwordsBusy,
  throttled,
} = defineFaults({
  groupUnknown: [51, "There is no group '{group}'."],
  bugAliasUnknown: [100, "'{given}' is neither the ID nor the alias of a bug."],
  bugIdUnknown: [101, 'There is no bug with the ID {id}.'],
  bugNotVisible: [
    102,
    (d: { given: string; anonymous: boolean }) =>
      `You are not allowed to see bug ${d.given}.${d.anonymous ? ' Signing in may help.' : ''}`,
  ],
  productDenied: [106, "The product '{product}' does not exist or you are not allowed to use it."],
  productEditDenied: [109, "You are not allowed to edit bugs of the product '{product}'."],
  tooManyBugs: [
    32000,
    'This concerns more than {most} bugs; change the groups of most of them by themselves first.',
  ],
  badLogin: [300, 'The username or password you entered is not valid.{hint}'],
  accountDisabled: [301, 'Your account is disabled: {reason}'],
  loginLocked: [301, 'Too many wrong passwords: this {what} is locked until {until}.'],
  notAuthorized: [304, 'You are not authorized to {action}.'],
  codeRequired: [
    300,
    'This account has a second factor, so no username or password is enough: log in with its code as the parameter totp of GET /rest/login, or use an API key.',
  ],
  codeWrong: [
    300,
    'The code of the second factor, beside username or password, is not valid, was used, or is out of time.{hint}',
  ],
  secondFactorRequired: [
    305,
    'Your groups require a second factor: set it up with POST /rest/account/totp, then log in with its code.',
  ],
  newPasswordRequired: [305, 'You must set a new password before you can log in.'],
  apiKeyInvalid: [306, 'The API key you presented is not valid.'],
  apiKeyRevoked: [306, 'The API key you presented has been revoked.'],
  apiKeyExpired: [
    306,
    (d: { at: string }) =>
      `The API key you presented expired at ${d.at}. Make a new one with POST /rest/api_key; before it expires, POST /rest/api_key/{id}/rotate replaces a key.`,
  ],
  tokenInvalid: [307, 'The token you presented is not valid or has expired.'],
  loginRequired: [410, 'You must log in before using this part of the service.'],
  passwordsThrottled: [
    32000,
    'Too many passwords of your address are being verified; try again in a minute.',
    429,
  ],
  passwordsBusy: [32000, 'Too many passwords are being verified; try again in a moment.', 503],
  throttled: [32000, 'Too many requests; wait a minute.', 429],
})

/** Of references to bugs that are unknown or hidden from the caller. */
export const bugAccessFaults: readonly AnyFault[] = [bugAliasUnknown, bugIdUnknown, bugNotVisible]

export const passwordFaults: readonly AnyFault[] = [
  badLogin,
  accountDisabled,
  loginLocked,
  newPasswordRequired,
  codeRequired,
  codeWrong,
  secondFactorRequired,
  passwordsBusy,
  passwordsThrottled,
]

export const apiKeyFaults: readonly AnyFault[] = [apiKeyInvalid, apiKeyRevoked, apiKeyExpired]
