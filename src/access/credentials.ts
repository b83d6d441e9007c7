/** The credentials that came with a request, wherever they stood. Empty values count as absent. */
export type Presented = {
  readonly login?: string
  readonly password?: string
  readonly token?: string
  readonly key?: string
  /** The key stood in its header, not in a parameter. */
  readonly keyInHeader: boolean
}

/** What proves who is calling: the strongest kind that was presented. */
export type Credential =
  | { readonly kind: 'password'; readonly login: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'key'; readonly key: string }

export const NOTHING_PRESENTED: Presented = { keyInHeader: false }

const TOKEN = /^\d+-./

/**
 * The credential that decides: login and password before a token before an API key. A lone login or
 * password is none; a text that cannot be a token is none either. Contract "Authentication".
 */
export function strongestCredential(presented: Presented): Credential | null {
  const { login, password, token, key } = presented
  if (login !== undefined && password !== undefined) {
    return { kind: 'password', login, password }
  }
  if (token !== undefined && TOKEN.test(token)) {
    return { kind: 'token', token }
  }
  if (key !== undefined) {
    return { kind: 'key', key }
  }
  return null
}
