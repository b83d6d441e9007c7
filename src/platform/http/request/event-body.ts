import { readBody, readWhole } from './body-chunks.ts'
import { UploadMemory } from './upload-memory.ts'

/** The largest event that code hosts send. */
const MAX_KB = 25 * 1024

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
 * unidentified uploads.
 */
export async function readEventBody(request: Request): Promise<EventBody> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN)
  if (length <= SMALL_BODY) {
    const bytes = new Uint8Array(await readWhole(request))
    return { pieces: [bytes], size: bytes.length, release: () => {} }
  }
  const memory = new UploadMemory(false)
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  try {
    await readBody(request, MAX_KB, (bytes) => {
      const from = Math.max(size, SMALL_BODY)
      size += bytes.length
      if (size > SMALL_BODY) {
        memory.grow(size - from)
      }
      pieces.push(bytes.slice())
    })
  } catch (error) {
    memory.release()
    throw error
  }
  return { pieces, size, release: () => memory.release() }
}
