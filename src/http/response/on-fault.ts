import type { Context } from 'hono'
import { routePath } from 'hono/route'
import { Fault, fault } from '../../faults.ts'
import { errorFacts, log } from '../../lib/log.ts'
import type { AppEnv } from '../app-env.ts'
import { requestIdOf } from './request-id.ts'

const RETRY_AFTER_SECONDS: Readonly<Record<number, string>> = { 429: '60', 503: '1' }

/**
 * Turns whatever was thrown into the error object of the contract ("Errors"). The unforeseen becomes
 * -32000 with the ID of the request; what it was is logged and never answered.
 */
export function onFault(error: unknown, c: Context<AppEnv>): Response {
  const told = error instanceof Fault ? error : unforeseen(error, c)
  const response = c.json({ error: true, message: told.message, code: told.code }, told.status)
  const retryAfter = RETRY_AFTER_SECONDS[told.status]
  if (retryAfter !== undefined) {
    response.headers.set('retry-after', retryAfter)
  }
  return response
}

function unforeseen(error: unknown, c: Context<AppEnv>): Fault {
  const requestId = requestIdOf(c)
  // the pattern of the path and not the path, which may name people
  const where = { requestId, method: c.req.method, route: routePath(c) }
  log('error', 'unforeseen', { ...where, ...errorFacts(error) })
  return fault('unforeseen', { requestId })
}
