import { readBody } from './body-chunks.ts'
import type { UploadMemory } from './upload-memory.ts'

/**
 * Reads a body as `readBody` does and counts its bytes in `memory`, until that is released. A body that is refused is
 * dropped and released at once, while its rest may still arrive: of several that are too long together, one goes on.
 */
export async function readCounted(
  request: Request,
  limitKb: number,
  memory: UploadMemory,
  { take, drop }: { take(bytes: Uint8Array): unknown; drop(): void },
): Promise<void> {
  const takeCounted = (bytes: Uint8Array) => {
    memory.grow(bytes.length)
    return take(bytes)
  }
  const giveUp = () => {
    memory.release()
    drop()
  }
  try {
    await readBody(request, limitKb, takeCounted, giveUp)
  } catch (error) {
    giveUp()
    throw error
  }
}

/** The bytes of such a body in pieces. */
export async function readPieces(
  request: Request,
  limitKb: number,
  memory: UploadMemory,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  await readCounted(request, limitKb, memory, {
    take: (bytes) => {
      pieces.push(bytes.slice())
    },
    drop: () => pieces.splice(0),
  })
  return pieces
}
