import { waitUntil } from 'cloudflare:workers'
import type { MiddlewareHandler } from 'hono'
import { fault } from '../../faults/fault.ts'
import { Tally } from '../../lib/isolate.ts'
import { serviceBusy } from '../response/faults.ts'
import type { AppEnv } from './app-env.ts'

/** Requests at once in one isolate. Each may hold a tenth of a megabyte while it waits for its turn. */
const MAX_REQUESTS = 500
/** Longer than any request; one that the runtime has ended does not count any longer. */
const MAX_REQUEST_MS = 30_000

/** Until when requests count that are not answered yet. */
const requests = new Tally<object>()

/** Refuses a request with 503 when so many others wait for their answers that the isolate could not hold more. */
export const admission: MiddlewareHandler<AppEnv> = async (_c, next) => {
  if (requests.size >= MAX_REQUESTS && countRequests() >= MAX_REQUESTS) {
    throw fault(serviceBusy)
  }
  const served = serveCounted(next)
  // reports its end although the client may be gone
  waitUntil(served.catch(() => {}))
  await served
}

async function serveCounted(next: () => Promise<void>): Promise<void> {
  const request = {}
  requests.set(request, Date.now() + MAX_REQUEST_MS)
  try {
    await next()
  } finally {
    requests.delete(request)
  }
}

function countRequests(): number {
  const now = Date.now()
  for (const [request, countedUntil] of requests) {
    if (countedUntil < now) {
      requests.delete(request)
    }
  }
  return requests.size
}
