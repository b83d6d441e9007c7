import type { MiddlewareHandler } from 'hono'
import { strongestCredential } from '../../access/credentials.ts'
import type { AppEnv } from '../request/app-env.ts'
import { discardBody } from '../request/body-chunks.ts'
import { findCredentials } from '../request/credentials.ts'
import { SMALL_BODY } from '../request/upload-memory.ts'
import { identifyCaller } from './identify-caller.ts'
import type { Operation } from './operation.ts'

/**
 * Identifies by headers or query who sends a long body, so that it does not share the memory of strangers. It costs no
 * round trip that the verb does not save. A password, which takes long to verify, waits for the body.
 */
export function identifySender(operation: Operation): MiddlewareHandler<AppEnv> {
  const identify = identifyCaller(operation, 'cached')
  return async function identifyBeforeBody(c, next) {
    const { headers, body } = c.req.raw
    const length = headers.get('content-length')
    const isShort = body === null || (length !== null && Number(length) <= SMALL_BODY)
    if (isShort || operation.credentials !== 'all') {
      return next()
    }
    const credentials = findCredentials(headers, c.req.queries(), {})
    const strongest = strongestCredential(credentials)
    if (strongest === null || strongest.kind === 'password') {
      return next()
    }
    c.set('credentials', credentials)
    try {
      await identify(c, async () => {})
    } catch (refusal) {
      await discardBody(c.req.raw)
      throw refusal
    }
    c.set('isSenderKnown', true)
    return next()
  }
}
