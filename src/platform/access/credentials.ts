/** The credentials that a request presents, from headers and parameters. */
export type PresentedCredentials = {
  readonly login?: string
  readonly password?: string
  readonly token?: string
  readonly key?: string
  /** Whether the key came in its header and not in a parameter. */
  readonly keyInHeader: boolean
}

/** The credential that decides who the caller is. */
export type Credential =
  | { readonly kind: 'password'; readonly login: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'key'; readonly key: string }

export const NO_CREDENTIALS: PresentedCredentials = { keyInHeader: false }

const TOKEN_PATTERN = /^\d+-./

/**
 * The presented credential that decides: login and password before a token before an API key. A login or a password
 * alone counts as absent, as does a text without the form of a token.
 */
export function strongestCredential(credentials: PresentedCredentials): Credential | null {
  const { login, password, token, key } = credentials
  if (login !== undefined && password !== undefined) {
    return { kind: 'password', login, password }
  }
  if (token !== undefined && TOKEN_PATTERN.test(token)) {
    return { kind: 'token', token }
  }
  if (key !== undefined) {
    return { kind: 'key', key }
  }
  return null
}
