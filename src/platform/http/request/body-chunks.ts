import { Fault, fault } from '../../faults/fault.ts'
import { log } from '../../lib/log.ts'
import { Arrivals } from '../../load/arrivals.ts'
import { bodyIncomplete, bodyTooLarge, uploadsBusy } from './faults.ts'

const CHUNK_BYTES = 64 * 1024
/** The first chunk is shorter: what has come of a body is known chunk by chunk, and a slow one takes long for a whole. */
const FIRST_BYTES = 4 * 1024

/** A body that brings less than this in each such time is given up. */
const LEAST_BYTES = 256 * 1024
const PATIENCE_MS = 60_000

/** Bodies that arrive at once in one isolate, as many as the requests that it serves; each takes up to 0.25 MB. */
const MAX_ARRIVING = 500

const arriving = new Arrivals(MAX_ARRIVING)

/** Bytes of a refused body that are read and dropped, because many clients write it all before they read. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024

/**
 * Reads a body in chunks that share one buffer: a chunk must be used before the next one is read. Refuses a body that
 * breaks off, that brings almost nothing for a minute, or that comes slowest when too many arrive.
 */
export async function* readChunks(
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Uint8Array> {
  if (body === null) {
    return
  }
  const reader = body.pipeThrough(new IdentityTransformStream()).getReader({ mode: 'byob' })
  const stall = Promise.withResolvers<never>()
  stall.promise.catch(() => {})
  const arrival = arriving.begin(() => stall.reject(fault(uploadsBusy)))
  let recentBytes = 0
  const watch = setInterval(() => {
    if (recentBytes < LEAST_BYTES) {
      stall.reject(new Error('The body stalled'))
    }
    recentBytes = 0
  }, PATIENCE_MS)
  try {
    let buffer = new Uint8Array(CHUNK_BYTES)
    for (;;) {
      const least = arrival.amount === 0 ? FIRST_BYTES : CHUNK_BYTES
      const { done, value } = await failAsClient(
        Promise.race([reader.readAtLeast(least, buffer), stall.promise]),
      )
      if (done) {
        return
      }
      recentBytes += value.length
      arrival.amount += value.length
      yield value
      buffer = new Uint8Array(value.buffer)
    }
  } finally {
    arriving.end(arrival)
    clearInterval(watch)
    // not awaited, because a body that stalls may never confirm it
    reader.cancel().catch(() => {})
  }
}

/**
 * Passes a body on in chunks as `readChunks` does. It reads to the end in any case, so that the client can read the
 * answer, and then throws the first refusal of `take`. What was taken of a refused body is given up at once by `drop`,
 * because its rest may come slowly. A body over its limit is refused after the rest is dropped.
 */
export async function readBody(
  request: Request,
  limitKb: number,
  take: (bytes: Uint8Array) => unknown,
  drop: () => void,
): Promise<void> {
  const limit = limitKb * 1024
  if (Number(request.headers.get('content-length') ?? 0) > limit) {
    await discardBody(request)
    throw fault(bodyTooLarge, { limitKb })
  }
  let size = 0
  let refusal: unknown
  for await (const bytes of readChunks(request.body)) {
    size += bytes.length
    try {
      if (refusal === undefined && size > limit) {
        throw fault(bodyTooLarge, { limitKb })
      }
      if (refusal === undefined) {
        await take(bytes)
      }
    } catch (error) {
      refusal = error
      drop()
    }
  }
  if (refusal !== undefined) {
    throw refusal
  }
}

/** Reads a body that is short enough to be one piece. */
export async function readWhole(request: Request): Promise<ArrayBuffer> {
  const stall = Promise.withResolvers<never>()
  const arrival = arriving.begin(() => stall.reject(fault(uploadsBusy)))
  const timer = setTimeout(() => stall.reject(new Error('The body stalled')), PATIENCE_MS)
  try {
    return await failAsClient(Promise.race([request.arrayBuffer(), stall.promise]))
  } finally {
    arriving.end(arrival)
    clearTimeout(timer)
  }
}

/** Reads and drops the rest of a refused body, so that its client reads why; breaks off a very long one. */
export async function discardBody({ body, bodyUsed }: Request): Promise<void> {
  if (bodyUsed || body?.locked) {
    return
  }
  let size = 0
  try {
    for await (const bytes of readChunks(body)) {
      size += bytes.length
      if (size > MAX_DISCARDED_BYTES) {
        return
      }
    }
  } catch {
    // the body is refused in any case
  }
}

/** A body that cannot be read is no failure of the service. */
async function failAsClient<Value>(reading: Promise<Value>): Promise<Value> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Fault) {
      throw error
    }
    const reason = error instanceof Error ? error.message : ''
    log('info', 'a request body broke off', { reason })
    throw fault(bodyIncomplete)
  }
}
