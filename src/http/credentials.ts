import type { Presented } from '../access/credentials.ts'

type Query = Readonly<Record<string, readonly string[]>>
type Body = Readonly<Record<string, unknown>>

/** The two spellings under which existing clients know every credential. */
const SPELLINGS = ['Tracker', 'Bugzilla']

/** Headers that carry credentials, in lower case, for CORS. */
export const CREDENTIAL_HEADERS = SPELLINGS.flatMap((name) =>
  ['api-key', 'login', 'password', 'token'].map((kind) => `x-${name.toLowerCase()}-${kind}`),
)

const PARAMETERS = new Set([
  'api_key',
  'token',
  ...['api_key', 'token', 'login', 'password'].flatMap(longNames),
])

/**
 * Finds the credentials of a request: a header beats a parameter, a long parameter name a short one, the
 * query the body. The short names `login` and `password` count in the query only, because a body may
 * hold them as data. An empty key or token, and an empty header, is none; an empty login or password is
 * a wrong one. `Authorization: Bearer` is an API key when no other one is there. Contract
 * "Authentication".
 */
export function presentedIn(headers: Headers, query: Query, body: Body): Presented {
  const header = (kind: string) =>
    SPELLINGS.map((name) => headers.get(`x-${name.toLowerCase()}-${kind}`)).find(isFilled)
  const long = (kind: string) => {
    const names = longNames(kind)
    return [...names.map((name) => query[name]?.[0]), ...names.map((name) => body[name])]
  }
  const short = (kind: string) => [query[kind]?.[0], body[kind]]
  const keyHeader = header('api-key')
  return {
    login: header('login') ?? long('login').find(isText) ?? query.login?.[0],
    password: header('password') ?? long('password').find(isText) ?? query.password?.[0],
    token: header('token') ?? [...long('token'), ...short('token')].find(isFilled),
    key: keyHeader ?? [...long('api_key'), ...short('api_key')].find(isFilled) ?? bearer(headers),
    keyInHeader: keyHeader !== undefined,
  }
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

function longNames(kind: string): string[] {
  return SPELLINGS.map((name) => `${name}_${kind}`)
}

function bearer(headers: Headers): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isFilled(value: unknown): value is string {
  return isText(value) && value.trim() !== ''
}
