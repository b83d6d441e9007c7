/** The credentials that a request presents, from headers and parameters. */
export type PresentedCredentials = {
  readonly login?: string
  readonly password?: string
  readonly token?: string
  /** The cookie of a page. Only code that serves pages presents it, so that no other site can use it at /rest. */
  readonly session?: string
  readonly key?: string
  /** Whether the key came in its header and not in a parameter. */
  readonly keyInHeader: boolean
}

/** The credential that decides who the caller is. */
export type Credential =
  | { readonly kind: 'password'; readonly login: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'session'; readonly session: string }
  | { readonly kind: 'key'; readonly key: string }

export const NO_CREDENTIALS: PresentedCredentials = { keyInHeader: false }

const TOKEN_PATTERN = /^\d+-./

/**
 * The presented credential that decides: login and password before a session before a token before an API key. A login
 * or a password alone counts as absent, as does a text without the form of a token.
 */
export function strongestCredential(credentials: PresentedCredentials): Credential | null {
  const { login, password, session, token, key } = credentials
  if (login !== undefined && password !== undefined) {
    return { kind: 'password', login, password }
  }
  if (session !== undefined && TOKEN_PATTERN.test(session)) {
    return { kind: 'session', session }
  }
  if (token !== undefined && TOKEN_PATTERN.test(token)) {
    return { kind: 'token', token }
  }
  if (key !== undefined) {
    return { kind: 'key', key }
  }
  return null
}
