import type { Context } from 'hono'
import { routePath } from 'hono/route'
import { isStorageFailure } from '../../db/storage-failure.ts'
import { Fault, type FaultName, fault } from '../../faults.ts'
import { errorFacts, log } from '../../lib/log.ts'
import type { AppEnv } from '../app-env.ts'
import { isCodehostPath } from '../request/path.ts'
import { requestIdOf } from './request-id.ts'

const RETRY_AFTER_SECONDS: Readonly<Record<number, string>> = { 429: '60', 503: '1' }

/** The faults of other statuses after which repeating the request helps. */
const RETRY_AFTER_FAULT: Partial<Record<FaultName, string>> = { requestUnfinished: '1' }

/**
 * Answers a thrown fault with its error object. A failure of the storage is answered as fault
 * `storageUnavailable`, any other error with -32000 and the ID of the request; the details of both are logged
 * only. Reference: errors.md, "Error object".
 */
export function onFault(error: unknown, c: Context<AppEnv>): Response {
  const answered = error instanceof Fault ? error : logError(error, c)
  const response = c.json(
    // the form that senders of events look for
    {
      error: isCodehostPath(c.req.path) ? 1 : true,
      message: answered.message,
      code: answered.code,
    },
    answered.status,
  )
  const retryAfter = RETRY_AFTER_FAULT[answered.fault] ?? RETRY_AFTER_SECONDS[answered.status]
  if (retryAfter !== undefined) {
    response.headers.set('retry-after', retryAfter)
  }
  return response
}

function logError(error: unknown, c: Context<AppEnv>): Fault {
  const isStorage = isStorageFailure(error)
  const requestId = requestIdOf(c)
  // the pattern of the path and not the path, which may name people
  const request = { requestId, method: c.req.method, route: routePath(c) }
  log('error', isStorage ? 'storage unavailable' : 'unforeseen', {
    ...request,
    ...errorFacts(error),
  })
  return isStorage ? fault('storageUnavailable') : fault('unforeseen', { requestId })
}
