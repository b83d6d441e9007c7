/**
 * Requests in the form in which clients that cannot be installed here send them. `$BUG` and `$OTHER` are bugs,
 * `$FILE` an attachment of the first, `$COMMENT` its description and `$KEY` a key; a request without credentials has
 * `$KEY` nowhere.
 */
export type RecordedRequest = {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
  /** The status that the client takes for success; 200 when it is not given. */
  readonly status?: number
  /** What the client reads of the answer. */
  readonly answer?: unknown
}

/** The commands of each client, with the requests of each. */
export type RecordedClients = Readonly<
  Record<string, readonly (readonly [command: string, ...requests: RecordedRequest[]])[]>
>

export const read = (path: string, answer?: unknown, headers: Record<string, string> = {}) =>
  ({ method: 'GET', path, headers, answer }) satisfies RecordedRequest
export const write = (
  method: 'POST' | 'PUT',
  path: string,
  body: Record<string, unknown>,
  answer?: unknown,
  headers: Record<string, string> = {},
) => ({ method, path, body, answer, headers }) satisfies RecordedRequest

export const NAMED = { product: 'TestProduct', component: 'TestComponent', version: 'unspecified' }
export const TRIAGED = { op_sys: 'Linux', platform: 'All', priority: '--', severity: '--' }
export const HEADER_KEY = { 'X-BUGZILLA-API-KEY': '$KEY' }
export const BEARER = { Authorization: 'Bearer $KEY' }
