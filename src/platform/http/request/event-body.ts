import { fault } from '../../faults/fault.ts'
import { discardBody, readChunks, readWhole } from './body-chunks.ts'
import { bodyTooLarge } from './faults.ts'
import { UploadMemory } from './upload-memory.ts'

/** The largest event that code hosts send. */
const LIMIT_KB = 25 * 1024

/** Bytes of a body that any operation takes without counting the memory for it. */
const SMALL_BODY = 1024 * 1024

/** The bytes of an event in pieces, in memory until `release`. */
export type EventBody = {
  readonly pieces: readonly Uint8Array<ArrayBuffer>[]
  readonly size: number
  release(): void
}

/**
 * Reads the bytes of an event. Its sender is unknown, so that a body over 1 MB takes part in the memory of
 * unidentified uploads. Fault 58 over 25 MB, after the rest is dropped; 32000 for a body that breaks off, and with
 * 503 while others fill that memory. Reference: codehost.md, "Limits".
 */
export async function readEventBody(request: Request): Promise<EventBody> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN)
  if (length > LIMIT_KB * 1024) {
    await discardBody(request)
    throw fault(bodyTooLarge, { limitKb: LIMIT_KB })
  }
  if (length <= SMALL_BODY || request.body === null) {
    const bytes = new Uint8Array(await readWhole(request))
    return { pieces: [bytes], size: bytes.length, release: () => {} }
  }
  return readPieces(request.body)
}

/** Reads to the end in any case, so that the sender can read the answer. */
async function readPieces(body: ReadableStream<Uint8Array>): Promise<EventBody> {
  const memory = new UploadMemory(false)
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  let refusal: unknown
  try {
    for await (const bytes of readChunks(body)) {
      refusal ??= refuseGrowth(memory, size, size + bytes.length)
      size += bytes.length
      if (refusal === undefined) {
        pieces.push(bytes.slice())
      } else {
        pieces.length = 0
      }
    }
    if (refusal !== undefined) {
      throw refusal
    }
  } catch (error) {
    memory.release()
    throw error
  }
  return { pieces, size, release: () => memory.release() }
}

/** The fault of a body that may not grow from one size to the other; its first megabyte is not counted. */
function refuseGrowth(memory: UploadMemory, from: number, to: number): unknown {
  if (to > LIMIT_KB * 1024) {
    return fault(bodyTooLarge, { limitKb: LIMIT_KB })
  }
  if (to <= SMALL_BODY) {
    return undefined
  }
  try {
    memory.grow(to - Math.max(from, SMALL_BODY))
    return undefined
  } catch (busy) {
    return busy
  }
}
