import type { Presented } from '../../access/credentials.ts'

type Query = Readonly<Record<string, readonly string[]>>
type Body = Readonly<Record<string, unknown>>

/** The two spellings under which existing clients know every credential. */
const SPELLINGS = ['Tracker', 'Bugzilla']

const KEY = namesOf('api_key')
const LOGIN = namesOf('login')
const PASSWORD = namesOf('password')
const TOKEN = namesOf('token')

const OF_PASSWORDS = [...LOGIN.headers, ...PASSWORD.headers]

/** Headers that carry credentials, in lower case, for CORS. */
export const CREDENTIAL_HEADERS = SPELLINGS.flatMap((_, n) =>
  [KEY, LOGIN, PASSWORD, TOKEN].flatMap(({ headers }) => headers.slice(n, n + 1)),
)

const PARAMETERS = new Set([
  KEY.short,
  TOKEN.short,
  ...[KEY, LOGIN, PASSWORD, TOKEN].flatMap(({ long }) => long),
])

/**
 * Finds the credentials of a request: a header beats a parameter, a long parameter name a short one, the
 * query the body. The short names `login` and `password` count in the query only, because a body may
 * hold them as data. An empty key or token, and an empty header, is none; an empty login or password is
 * a wrong one. `Authorization: Bearer` is an API key when no other one is there. Contract
 * "Authentication".
 */
export function presentedIn(headers: Headers, query: Query, body: Body): Presented {
  const keyHeader = inHeaders(KEY, headers)
  if (isEmpty(query) && isEmpty(body)) {
    return {
      login: inHeaders(LOGIN, headers),
      password: inHeaders(PASSWORD, headers),
      token: inHeaders(TOKEN, headers),
      key: keyHeader ?? bearer(headers),
      keyInHeader: keyHeader !== undefined,
    }
  }
  return {
    login: inHeaders(LOGIN, headers) ?? inLong(LOGIN, query, body, isText) ?? query.login?.[0],
    password:
      inHeaders(PASSWORD, headers) ?? inLong(PASSWORD, query, body, isText) ?? query.password?.[0],
    token: inHeaders(TOKEN, headers) ?? inAny(TOKEN, query, body),
    key: keyHeader ?? inAny(KEY, query, body) ?? bearer(headers),
    keyInHeader: keyHeader !== undefined,
  }
}

/** Whether headers name a login or a password, though perhaps an empty one, which is none. */
export function presentsPassword(headers: Headers): boolean {
  return OF_PASSWORDS.some((name) => headers.has(name))
}

/**
 * The parameters that are no credentials and therefore the business of verbs. A login and a password
 * that stand in the query together are credentials; one of them alone is not.
 */
export function withoutCredentials<Value>(
  parameters: Readonly<Record<string, Value>>,
  source: 'query' | 'body',
): Record<string, Value> {
  const isPair = source === 'query' && 'login' in parameters && 'password' in parameters
  return Object.fromEntries(
    Object.entries(parameters).filter(
      ([name]) => !PARAMETERS.has(name) && !(isPair && (name === 'login' || name === 'password')),
    ),
  )
}

/** The names of a credential, made once: every request is searched for them. */
function namesOf(short: string) {
  return {
    short,
    long: SPELLINGS.map((name) => `${name}_${short}`),
    headers: SPELLINGS.map((name) => `x-${name}-${short}`.toLowerCase().replace('_', '-')),
  }
}

type Names = ReturnType<typeof namesOf>

function inHeaders(names: Names, headers: Headers): string | undefined {
  for (const name of names.headers) {
    const value = headers.get(name)
    if (isFilled(value)) {
      return value
    }
  }
  return undefined
}

function inLong(
  { long }: Names,
  query: Query,
  body: Body,
  counts: (value: unknown) => value is string,
): string | undefined {
  const name = long.find((one) => counts(query[one]?.[0]))
  return name === undefined ? long.map((one) => body[one]).find(counts) : query[name]?.[0]
}

function inAny(names: Names, query: Query, body: Body): string | undefined {
  const { short } = names
  return inLong(names, query, body, isFilled) ?? [query[short]?.[0], body[short]].find(isFilled)
}

function bearer(headers: Headers): string | undefined {
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

function isFilled(value: unknown): value is string {
  return isText(value) && value.trim() !== ''
}
