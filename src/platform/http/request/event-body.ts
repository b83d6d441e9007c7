import { readWhole } from './body-chunks.ts'
import { readPieces } from './counted-body.ts'
import { SMALL_BODY, UploadMemory } from './upload-memory.ts'

/** The largest event that code hosts send. */
const MAX_KB = 25 * 1024

/** The bytes of an event in pieces, in memory until `release`. */
export type EventBody = {
  readonly pieces: readonly Uint8Array<ArrayBuffer>[]
  readonly size: number
  release(): void
}

/**
 * Reads the bytes of an event. Its sender is unknown, so that a long body takes part in the memory of unidentified
 * uploads, and in the share of `network`.
 */
export async function readEventBody(request: Request, network: string | null): Promise<EventBody> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN)
  if (length <= SMALL_BODY) {
    const bytes = new Uint8Array(await readWhole(request))
    return { pieces: [bytes], size: bytes.length, release: () => {} }
  }
  const memory = new UploadMemory(false, network)
  const pieces = await readPieces(request, MAX_KB, memory)
  const size = pieces.reduce((sum, { length }) => sum + length, 0)
  return { pieces, size, release: () => memory.release() }
}
