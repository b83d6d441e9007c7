import type { PresentedCredentials } from '../../access/credentials.ts'

type Query = Readonly<Record<string, readonly string[]>>
type Body = Readonly<Record<string, unknown>>

/** The two prefixes with which existing clients send every credential. */
const PREFIXES = ['Tracker', 'Bugzilla']

const KEY_NAMES = namesOf('api_key')
const LOGIN_NAMES = namesOf('login')
const PASSWORD_NAMES = namesOf('password')
const TOKEN_NAMES = namesOf('token')

const PASSWORD_HEADERS = [...LOGIN_NAMES.headers, ...PASSWORD_NAMES.headers]

/** Headers that carry credentials, in lower case, for CORS. */
export const CREDENTIAL_HEADERS = PREFIXES.flatMap((_, n) =>
  [KEY_NAMES, LOGIN_NAMES, PASSWORD_NAMES, TOKEN_NAMES].flatMap(({ headers }) =>
    headers.slice(n, n + 1),
  ),
)

/** Query parameters that are credentials, beside the login and the password that only count there. */
export const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set([
  KEY_NAMES.short,
  TOKEN_NAMES.short,
  ...[KEY_NAMES, LOGIN_NAMES, PASSWORD_NAMES, TOKEN_NAMES].flatMap(({ long }) => long),
])

/**
 * Finds the credentials of a request: headers take precedence over parameters, long parameter names over short ones,
 * the query over the body. The short names `login` and `password` count in the query only, because a body may hold
 * them as data. An empty header, key or token counts as absent; an empty login or password is a wrong one.
 * `Authorization: Bearer` is an API key when there is no other.
 */
export function findCredentials(headers: Headers, query: Query, body: Body): PresentedCredentials {
  const keyHeader = findInHeaders(KEY_NAMES, headers)
  if (isEmpty(query) && isEmpty(body)) {
    return {
      login: findInHeaders(LOGIN_NAMES, headers),
      password: findInHeaders(PASSWORD_NAMES, headers),
      token: findInHeaders(TOKEN_NAMES, headers),
      key: keyHeader ?? findBearer(headers),
      keyInHeader: keyHeader !== undefined,
    }
  }
  return {
    login:
      findInHeaders(LOGIN_NAMES, headers) ??
      findByLongName(LOGIN_NAMES, query, body, isText) ??
      query.login?.[0],
    password:
      findInHeaders(PASSWORD_NAMES, headers) ??
      findByLongName(PASSWORD_NAMES, query, body, isText) ??
      query.password?.[0],
    token: findInHeaders(TOKEN_NAMES, headers) ?? findByAnyName(TOKEN_NAMES, query, body),
    key: keyHeader ?? findByAnyName(KEY_NAMES, query, body) ?? findBearer(headers),
    keyInHeader: keyHeader !== undefined,
  }
}

/** Whether a header for a login or a password is present, even an empty one. */
export function hasPasswordHeader(headers: Headers): boolean {
  return PASSWORD_HEADERS.some((name) => headers.has(name))
}

/**
 * The parameters that are no credentials, for verbs. A login and a password that are both in the query are
 * credentials; one of them alone is not.
 */
export function withoutCredentials<Value>(
  parameters: Readonly<Record<string, Value>>,
  source: 'query' | 'body',
): Record<string, Value> {
  const isPair = source === 'query' && 'login' in parameters && 'password' in parameters
  return Object.fromEntries(
    Object.entries(parameters).filter(
      ([name]) =>
        !CREDENTIAL_PARAMETERS.has(name) && !(isPair && (name === 'login' || name === 'password')),
    ),
  )
}

/** The names of a credential. They are built once, because every request is searched for them. */
function namesOf(short: string) {
  return {
    short,
    long: PREFIXES.map((name) => `${name}_${short}`),
    headers: PREFIXES.map((name) => `x-${name}-${short}`.toLowerCase().replace('_', '-')),
  }
}

type CredentialNames = ReturnType<typeof namesOf>

function findInHeaders(names: CredentialNames, headers: Headers): string | undefined {
  for (const name of names.headers) {
    const value = headers.get(name)
    if (isNotBlank(value)) {
      return value
    }
  }
  return undefined
}

function findByLongName(
  { long }: CredentialNames,
  query: Query,
  body: Body,
  accepts: (value: unknown) => value is string,
): string | undefined {
  const queryName = long.find((name) => accepts(query[name]?.[0]))
  return queryName === undefined
    ? long.map((name) => body[name]).find(accepts)
    : query[queryName]?.[0]
}

function findByAnyName(names: CredentialNames, query: Query, body: Body): string | undefined {
  const { short } = names
  return (
    findByLongName(names, query, body, isNotBlank) ??
    [query[short]?.[0], body[short]].find(isNotBlank)
  )
}

function findBearer(headers: Headers): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
}

function isEmpty(parameters: object): boolean {
  for (const _ in parameters) {
    return false
  }
  return true
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isNotBlank(value: unknown): value is string {
  return isText(value) && value.trim() !== ''
}
