import type { Context, MiddlewareHandler } from 'hono'
import { strongestCredential } from '../../access/credentials.ts'
import { Fault } from '../../faults/fault.ts'
import type { AppEnv } from '../request/app-env.ts'
import { discardBody } from '../request/body-chunks.ts'
import { findCredentials } from '../request/credentials.ts'
import { SMALL_BODY } from '../request/upload-memory.ts'
import { admitMeanwhile } from './admission.ts'
import { identifyCaller } from './identify-caller.ts'
import { anyone, type Operation } from './operation.ts'

type Called = Pick<Operation, 'method' | 'credentials' | 'requires' | 'scope'> & {
  readonly isCountedLater?: true
}

/** What a call by another protocol asks for stands in its body, and what it counts as. */
const ANY_CALL: Called = {
  ...({ method: 'POST', credentials: 'all', scope: 'read' } as const),
  requires: anyone,
  isCountedLater: true,
}

/**
 * Identifies by headers or query who sends a long body, so that it does not share the memory of strangers. It costs no
 * round trip that the verb does not save. A password, which takes long to verify, waits for the body.
 */
export function identifySender(operation: Operation): MiddlewareHandler<AppEnv> {
  return async function identifyBeforeBody(c, next) {
    try {
      await findSender(c, operation)
    } catch (refusal) {
      await discardBody(c.req.raw)
      throw refusal
    }
    return next()
  }
}

/**
 * The same for a call by another protocol: whether its sender is known. Wrong credentials refuse nothing before the body
 * says what is called, because that may ignore them.
 */
export async function isSenderOfCallKnown(c: Context<AppEnv>): Promise<boolean> {
  try {
    await findSender(c, ANY_CALL)
  } catch (error) {
    if (!(error instanceof Fault)) {
      throw error
    }
  }
  return c.get('isSenderKnown') ?? false
}

async function findSender(c: Context<AppEnv>, called: Called): Promise<void> {
  const { headers, body } = c.req.raw
  const length = headers.get('content-length')
  const isShort = body === null || (length !== null && Number(length) <= SMALL_BODY)
  if (isShort || called.credentials !== 'all') {
    return
  }
  const credentials = findCredentials(headers, c.req.queries(), {})
  const strongest = strongestCredential(credentials)
  if (strongest === null || strongest.kind === 'password') {
    return
  }
  c.set('credentials', credentials)
  await admitMeanwhile(c, async () => identifyCaller(called, 'cached')(c, async () => {}))
  c.set('isSenderKnown', true)
}
