import { waitUntil } from 'cloudflare:workers'
import type { Context, MiddlewareHandler } from 'hono'
import { fault } from '../../faults/fault.ts'
import { Capacity } from '../../load/capacity.ts'
import { readSettings } from '../../settings/settings.ts'
import type { AppEnv } from '../request/app-env.ts'
import { findClientAddress, networkOf } from '../request/client-address.ts'
import { serviceBusy } from '../response/faults.ts'

/** Requests at once in one isolate. A search holds up to 100 KB while it waits, others 20. */
const MAX_REQUESTS = 500
/** Those of one address leave room for others. */
const MAX_REQUESTS_OF_ADDRESS = 400
/** So many of an address are served in any case, so that few addresses cannot shut out all others. */
const FEW_REQUESTS = 10
const MAX_REQUESTS_WITH_RESERVE = 700
/** Longer than any request; one that the runtime has ended does not count any longer. */
const MAX_REQUEST_MS = 30_000

const requests = new Capacity<string>()

/** Counts a request that is admitted, and what its body holds, until it is answered. */
export const admission: MiddlewareHandler<AppEnv> = async (c, next) => {
  const served = serve(c, next)
  // reports its end although the client may be gone
  waitUntil(served.catch(() => {}))
  await served
}

async function serve(c: Context<AppEnv>, next: () => Promise<void>): Promise<void> {
  try {
    await next()
  } finally {
    c.get('uploadMemory')?.release()
    const admitted = c.get('admission')
    if (admitted !== undefined) {
      requests.release(admitted)
    }
  }
}

/**
 * Refuses a request with 503 when so many others wait for their answers that the isolate could not hold more. It is
 * called when its body is read, which clients may send as slowly as they like.
 */
export function admit(c: Context<AppEnv>): void {
  if (c.get('admission') !== undefined) {
    return
  }
  const network = networkOf(findClientAddress(c.req.raw.headers, readSettings(c.env)))
  // below this nothing can be full, so that what has expired need not be looked for
  if (requests.size >= MAX_REQUESTS_OF_ADDRESS) {
    assertRoomFor(network)
  }
  const shares = network === null ? ['all'] : ['all', `network ${network}`]
  c.set('admission', requests.hold(shares, 1, MAX_REQUEST_MS))
}

/** Does what comes ahead of a body. Its place is free again while that arrives. */
export async function admitMeanwhile<Result>(
  c: Context<AppEnv>,
  work: () => Promise<Result>,
): Promise<Result> {
  admit(c)
  try {
    return await work()
  } finally {
    const admitted = c.get('admission')
    if (admitted !== undefined) {
      requests.release(admitted)
    }
    c.set('admission', undefined)
  }
}

function assertRoomFor(network: string | null): void {
  const own = network === null ? 0 : requests.heldOf(`network ${network}`)
  const most = network !== null && own < FEW_REQUESTS ? MAX_REQUESTS_WITH_RESERVE : MAX_REQUESTS
  if (requests.heldOf('all') >= most || own >= MAX_REQUESTS_OF_ADDRESS) {
    throw fault(serviceBusy)
  }
}
