import type { Presented } from '../access/credentials.ts'

type Query = Record<string, string[]>
type Body = Record<string, unknown>

/** The two spellings under which existing clients know every credential. */
const SPELLINGS = ['Tracker', 'Bugzilla']

/** Headers that carry credentials, in lower case, for CORS and for `Vary`. */
export const CREDENTIAL_HEADERS = SPELLINGS.flatMap((name) =>
  ['api-key', 'login', 'password', 'token'].map((kind) => `x-${name.toLowerCase()}-${kind}`),
)

const LONG_NAMES = new Set(
  SPELLINGS.flatMap((name) =>
    ['api_key', 'token', 'login', 'password', 'restrictlogin'].map((kind) => `${name}_${kind}`),
  ),
)

/**
 * Finds the credentials of a request: a header beats a parameter, a long parameter name a short one, the
 * query the body. The short names `login` and `password` count in the query only, because a body may
 * hold them as data. `Authorization: Bearer` is an API key when no other one is there. Contract
 * "Authentication".
 */
export function presentedIn(headers: Headers, query: Query, body: Body): Presented {
  const header = (kind: string) =>
    first(SPELLINGS.map((name) => headers.get(`x-${name.toLowerCase()}-${kind}`)))
  const long = (kind: string) => {
    const keys = SPELLINGS.map((name) => `${name}_${kind}`)
    return first([...keys.map((key) => query[key]?.[0]), ...keys.map((key) => body[key])])
  }
  const short = (kind: string) => first([query[kind]?.[0], body[kind]])
  const keyHeader = header('api-key')
  return {
    login: header('login') ?? long('login') ?? query.login?.[0],
    password: header('password') ?? long('password') ?? query.password?.[0],
    token: header('token') ?? long('token') ?? short('token'),
    key: keyHeader ?? long('api_key') ?? short('api_key') ?? bearer(headers),
    keyInHeader: keyHeader !== undefined,
  }
}

/** Whether a parameter is a credential and therefore no business of a verb. */
export function isCredentialName(name: string): boolean {
  return LONG_NAMES.has(name) || name === 'api_key' || name === 'token'
}

function bearer(headers: Headers): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
}

function first(values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '')
}
