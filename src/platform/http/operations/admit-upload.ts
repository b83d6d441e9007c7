import type { MiddlewareHandler } from 'hono'
import { strongestCredential } from '../../access/credentials.ts'
import type { AppEnv } from '../request/app-env.ts'
import { discardBody } from '../request/body-chunks.ts'
import { findCredentials } from '../request/credentials.ts'
import { admitMeanwhile } from './admission.ts'
import { identifyCaller } from './identify-caller.ts'
import type { Operation, UploadedMember } from './operation.ts'

/** Bytes. A smaller body costs less than the round trip that would refuse it. */
const MAX_SMALL_BODY = 64 * 1024

/**
 * Refuses an upload before its body is read: for wrong credentials in headers or query, or by `upload.admit`.
 * Credentials in the body are known only after it is read.
 */
export function admitUpload(
  operation: Operation,
  { admit }: UploadedMember,
): MiddlewareHandler<AppEnv> {
  const identify = identifyCaller(operation, 'cached')
  return async function admitSender(c, next) {
    const { headers } = c.req.raw
    const length = headers.get('content-length')
    const credentials = findCredentials(headers, c.req.queries(), {})
    const isKnown = strongestCredential(credentials) !== null
    if (!isKnown || (length !== null && Number(length) <= MAX_SMALL_BODY)) {
      return next()
    }
    c.set('credentials', credentials)
    try {
      await admitMeanwhile(c, () =>
        identify(c, () => c.get('runForCaller')((ctx) => admit(ctx, c.req.param()))),
      )
    } catch (refusal) {
      await discardBody(c.req.raw)
      throw refusal
    }
    c.set('isSenderKnown', true)
    return next()
  }
}
