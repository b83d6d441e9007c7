import type { Operation } from '../operations/operation.ts'
import type { Json } from './json-schema.ts'

export const SECURITY_SCHEMES: Readonly<Record<string, Json>> = {
  key: inHeader('X-Tracker-API-Key', 'An API key. `X-Bugzilla-API-Key` is the same.'),
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, where no other key is in the request.',
  },
  keyParameter: inQuery(
    'Tracker_api_key',
    'An API key; also as `Bugzilla_api_key` or `api_key`. Keys in addresses end up in logs: prefer the header.',
  ),
  token: inHeader('X-Tracker-Token', 'A login token. `X-Bugzilla-Token` is the same.'),
  tokenParameter: inQuery(
    'Tracker_token',
    'A login token; also as `Bugzilla_token` or `token`. Prefer the header.',
  ),
  login: inHeader('X-Tracker-Login', 'A login, beside its password. Also `X-Bugzilla-Login`.'),
  password: inHeader('X-Tracker-Password', 'The password. Also `X-Bugzilla-Password`.'),
  loginParameter: inQuery(
    'Tracker_login',
    'A login, beside its password; also as `Bugzilla_login` or `login`.',
  ),
  passwordParameter: inQuery(
    'Tracker_password',
    'The password; also as `Bugzilla_password` or `password`. Prefer the header.',
  ),
  signature: inHeader(
    'X-CodeHost-Signature-256',
    '`sha256=` and the HMAC-SHA-256 of the body in hexadecimal digits. Also `X-Hub-Signature-256`.',
  ),
}

const PASSWORDS: readonly Json[] = [
  { login: [], password: [] },
  { loginParameter: [], passwordParameter: [] },
]

const CREDENTIALS: readonly Json[] = [
  { key: [] },
  { bearer: [] },
  { keyParameter: [] },
  { token: [] },
  { tokenParameter: [] },
  ...PASSWORDS,
]

/** Where anonymous callers are served, credentials add what they see and may do. */
export const OPTIONAL_CREDENTIALS: readonly Json[] = [{}, ...CREDENTIALS]

/** The credentials of an operation; nothing where those of the document hold. */
export function describeSecurity({
  credentials,
  requires: { login },
  isSigned,
}: Pick<Operation, 'credentials' | 'requires' | 'isSigned'>): Json {
  if (isSigned) {
    return { security: [{ signature: [] }] }
  }
  if (credentials === 'ignored') {
    return { security: [] }
  }
  if (credentials === 'password') {
    return { security: login ? PASSWORDS : [{}, ...PASSWORDS] }
  }
  return login ? { security: CREDENTIALS } : {}
}

function inHeader(name: string, description: string): Json {
  return { type: 'apiKey', in: 'header', name, description }
}

function inQuery(name: string, description: string): Json {
  return { type: 'apiKey', in: 'query', name, description }
}
