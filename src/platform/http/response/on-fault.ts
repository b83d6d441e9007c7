import type { Context } from 'hono'
import { routePath } from 'hono/route'
import { isStorageFailure } from '../../db/storage-failure.ts'
import { Fault, fault } from '../../faults/fault.ts'
import { errorFacts, log } from '../../lib/log.ts'
import { readSettings } from '../../settings/settings.ts'
import type { AppEnv } from '../request/app-env.ts'
import { baseUrl } from '../request/base-url.ts'
import { isCodehostPath } from '../request/path.ts'
import { requestUnfinished, storageUnavailable, unforeseen } from './faults.ts'
import { requestIdOf } from './request-id.ts'

const RETRY_AFTER_SECONDS: Readonly<Record<number, string>> = { 429: '60', 503: '1' }

export function onFault(error: unknown, c: Context<AppEnv>): Response {
  const answered = toFault(error, c)
  const response = c.json(
    // the form that senders of events look for
    {
      error: isCodehostPath(c.req.path) ? 1 : true,
      message: answered.message,
      code: answered.code,
      ...documentationOf(answered, c),
    },
    answered.status,
  )
  setRetryAfter(response.headers, answered)
  return response
}

/** Where the setting wants it, the address that explains the number. */
function documentationOf({ code }: Fault, c: Context<AppEnv>): { documentation?: string } {
  try {
    const settings = readSettings(c.env)
    return settings.ERROR_DOCUMENTATION
      ? { documentation: `${baseUrl(settings, c.req.url)}/docs#error-${code}` }
      : {}
  } catch {
    // illegal settings may be what failed, and have to be answered all the same
    return {}
  }
}

/**
 * The fault that answers a thrown error: a failure of the storage is fault `storageUnavailable`, any other error
 * -32000 with the ID of the request; the details of both are logged only.
 */
export function toFault(error: unknown, c: Context<AppEnv>): Fault {
  return error instanceof Fault ? error : logError(error, c)
}

/** Says when to try again, for faults that pass. */
export function setRetryAfter(headers: Headers, { kind, status }: Fault): void {
  const retryAfter = kind === requestUnfinished ? '1' : RETRY_AFTER_SECONDS[status]
  if (retryAfter !== undefined) {
    headers.set('retry-after', retryAfter)
  }
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
  return isStorage ? fault(storageUnavailable) : fault(unforeseen, { requestId })
}
