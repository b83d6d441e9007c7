import type { Operation } from '../operations/operation.ts'
import type { Json } from './json-schema.ts'

/** Generated clients present one credential in the form of every scheme at once, so that these take the same one. */
export const SECURITY_SCHEMES: Readonly<Record<string, Json>> = {
  key: inHeader('X-Tracker-API-Key', 'An API key. `X-Bugzilla-API-Key` is the same.'),
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, where no other key is in the request.',
  },
  signature: inHeader(
    'X-CodeHost-Signature-256',
    '`sha256=` and the HMAC-SHA-256 of the body in hexadecimal digits. Also `X-Hub-Signature-256`.',
  ),
}

const CREDENTIALS: readonly Json[] = [{ key: [] }, { bearer: [] }]

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
  if (credentials !== 'all') {
    return { security: [] }
  }
  return login ? { security: CREDENTIALS } : {}
}

function inHeader(name: string, description: string): Json {
  return { type: 'apiKey', in: 'header', name, description }
}
