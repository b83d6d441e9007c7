import { errorFacts, log } from './log.ts'

/** Gaps in a JSON answer, whose texts are made while it is sent. */
export type TextGaps = {
  /** Whether nothing waits to be filled. */
  readonly areNone: boolean
  /** A part of the answer with its gaps filled, in pieces. */
  filled(json: string): AsyncIterable<string>
}

/** For answers that are whole. */
export const NO_GAPS: TextGaps = {
  areNone: true,
  async *filled(json) {
    yield json
  },
}

/**
 * A JSON answer that is sent while the rest of it is still being made, one piece for each time that the
 * reader has taken the last: so that no more than a piece is held. A failure on the way breaks the answer
 * off, so that nobody takes a part for the whole; `what` names it in the log.
 */
export function streamJson(pieces: AsyncGenerator<string>, what: string): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await nextOf(pieces, what)
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
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}

/** The next piece that holds anything: nobody asks again after a turn that brought nothing. */
async function nextOf(pieces: AsyncGenerator<string>, what: string): Promise<string | undefined> {
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
    log('error', `${what} broken off`, errorFacts(error))
    throw error
  }
}
