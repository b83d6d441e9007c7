import { errorFacts, log } from './log.ts'

/** Characters in a piece of a streamed response, about. */
export const PIECE_LENGTH = 64_000

/** Placeholders in the JSON of a streamed response, whose texts are produced while it is sent. */
export type ResponsePlaceholders = {
  /** Whether no placeholder is left to fill. */
  readonly isEmpty: boolean
  /** A part of the response with its placeholders filled, in pieces. */
  fillPlaceholders(json: string): AsyncIterable<string>
}

export const NO_PLACEHOLDERS: ResponsePlaceholders = {
  isEmpty: true,
  async *fillPlaceholders(json) {
    yield json
  },
}

/** Fills the placeholders of both. */
export function combinePlaceholders(
  first: ResponsePlaceholders,
  second: ResponsePlaceholders,
): ResponsePlaceholders {
  return {
    get isEmpty() {
      return first.isEmpty && second.isEmpty
    },
    async *fillPlaceholders(json) {
      for await (const piece of first.fillPlaceholders(json)) {
        yield* second.fillPlaceholders(piece)
      }
    },
  }
}

/**
 * A JSON response that is sent while it is produced. The next piece is produced when the client has read the
 * last one, so that at most one is in memory. An error aborts the response, so that no client takes a part
 * for the whole; `name` is its name in the log.
 */
export function streamJson(
  pieces: AsyncGenerator<string>,
  name: string,
  contentType = 'application/json',
): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await readPiece(pieces, name)
        if (piece === undefined) {
          controller.close()
        } else {
          controller.enqueue(encoder.encode(piece))
        }
      },
      async cancel() {
        await pieces.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': contentType } })
}

/** Skips empty pieces, because the stream does not pull again after a pull that enqueued nothing. */
async function readPiece(
  pieces: AsyncGenerator<string>,
  name: string,
): Promise<string | undefined> {
  try {
    for (;;) {
      const { done, value } = await pieces.next()
      if (done) {
        return undefined
      }
      if (value !== '') {
        return value
      }
    }
  } catch (error) {
    log('error', 'answer broken off', { part: name, ...errorFacts(error) })
    throw error
  }
}
