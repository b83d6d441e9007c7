import { type AnyFault, defineFault } from '../faults/fault.ts'

export const groupUnknown = defineFault<{ group: string }>(
  'groupUnknown',
  51,
  (d) => `There is no group '${d.group}'.`,
)
export const bugAliasUnknown = defineFault<{ given: string }>(
  'bugAliasUnknown',
  100,
  (d) => `'${d.given}' is neither the ID nor the alias of a bug.`,
)
export const bugIdUnknown = defineFault<{ id: string }>(
  'bugIdUnknown',
  101,
  (d) => `There is no bug with the ID ${d.id}.`,
)
export const bugNotVisible = defineFault<{ given: string; anonymous: boolean }>(
  'bugNotVisible',
  102,
  (d) => `You are not allowed to see bug ${d.given}.${d.anonymous ? ' Signing in may help.' : ''}`,
)
export const productDenied = defineFault<{ product: string }>(
  'productDenied',
  106,
  (d) => `The product '${d.product}' does not exist or you are not allowed to use it.`,
)
export const productEditDenied = defineFault<{ product: string }>(
  'productEditDenied',
  109,
  (d) => `You are not allowed to edit bugs of the product '${d.product}'.`,
)
export const tooManyBugs = defineFault<{ most: number }>(
  'tooManyBugs',
  32000,
  (d) =>
    `This concerns more than ${d.most} bugs; change the groups of most of them by themselves first.`,
)
export const badLogin = defineFault<{ hint: string }>(
  'badLogin',
  300,
  (d) => `The username or password you entered is not valid.${d.hint}`,
)
export const accountDisabled = defineFault<{ reason: string }>(
  'accountDisabled',
  301,
  (d) => `Your account is disabled: ${d.reason}`,
)
export const loginLocked = defineFault<{ what: 'account' | 'address'; until: string }>(
  'loginLocked',
  301,
  (d) => `Too many wrong passwords: this ${d.what} is locked until ${d.until}.`,
)
export const notAuthorized = defineFault<{ action: string }>(
  'notAuthorized',
  304,
  (d) => `You are not authorized to ${d.action}.`,
)
export const newPasswordRequired = defineFault(
  'newPasswordRequired',
  305,
  'You must set a new password before you can log in.',
)
export const apiKeyInvalid = defineFault(
  'apiKeyInvalid',
  306,
  'The API key you presented is not valid.',
)
export const apiKeyRevoked = defineFault(
  'apiKeyRevoked',
  306,
  'The API key you presented has been revoked.',
)
export const apiKeyExpired = defineFault<{ at: string }>(
  'apiKeyExpired',
  306,
  (d) =>
    `The API key you presented expired at ${d.at}. Make a new one with POST /rest/api_key; before it expires, POST /rest/api_key/{id}/rotate replaces a key.`,
)
export const tokenInvalid = defineFault(
  'tokenInvalid',
  307,
  'The token you presented is not valid or has expired.',
)
export const loginRequired = defineFault(
  'loginRequired',
  410,
  'You must log in before using this part of the service.',
)
export const passwordsThrottled = defineFault(
  'passwordsThrottled',
  32000,
  'Too many passwords of your address are being verified; try again in a minute.',
  429,
)
export const passwordsBusy = defineFault(
  'passwordsBusy',
  32000,
  'Too many passwords are being verified; try again in a moment.',
  503,
)
export const throttled = defineFault('throttled', 32000, 'Too many requests; wait a minute.', 429)

/** Of references to bugs that are unknown or hidden from the caller. */
export const bugAccessFaults: readonly AnyFault[] = [bugAliasUnknown, bugIdUnknown, bugNotVisible]

export const passwordFaults: readonly AnyFault[] = [
  badLogin,
  accountDisabled,
  loginLocked,
  newPasswordRequired,
  passwordsBusy,
  passwordsThrottled,
]

export const apiKeyFaults: readonly AnyFault[] = [apiKeyInvalid, apiKeyRevoked, apiKeyExpired]
