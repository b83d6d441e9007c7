import type { Context } from 'hono'
import { routePath } from 'hono/route'
import { Fault, fault } from '../../faults.ts'
import { errorFacts, log } from '../../lib/log.ts'
import type { AppEnv } from '../app-env.ts'
import { requestIdOf } from './request-id.ts'

const RETRY_AFTER_SECONDS: Readonly<Record<number, string>> = { 429: '60', 503: '1' }

/**
 * Answers a thrown fault with its error object. Any other error is answered with -32000 and the ID of the
 * request, and its details are logged only. Reference: errors.md, "Error object".
 */
export function onFault(error: unknown, c: Context<AppEnv>): Response {
  const answered = error instanceof Fault ? error : logUnforeseen(error, c)
  const response = c.json(
    { error: true, message: answered.message, code: answered.code },
    answered.status,
  )
  const retryAfter = RETRY_AFTER_SECONDS[answered.status]
  if (retryAfter !== undefined) {
    response.headers.set('retry-after', retryAfter)
  }
  return response
}

function logUnforeseen(error: unknown, c: Context<AppEnv>): Fault {
  const requestId = requestIdOf(c)
  // the pattern of the path and not the path, which may name people
  const request = { requestId, method: c.req.method, route: routePath(c) }
  log('error', 'unforeseen', { ...request, ...errorFacts(error) })
  return fault('unforeseen', { requestId })
}
