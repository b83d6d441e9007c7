import { errorFacts, log } from './log.ts'

/** Bytes in a piece of a streamed response, about. */
export const PIECE_LENGTH = 64_000
/** The most that one character of a string takes in UTF-8. */
export const BYTES_OF_CHARACTER = 3

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

/** A JSON response that is sent while it is produced, as `streamText` does. */
export function streamJson(
  pieces: AsyncGenerator<string>,
  name: string,
  contentType = 'application/json',
): Response {
  return new Response(streamText(pieces, name), { headers: { 'content-type': contentType } })
}

/**
 * The body of a response that is sent while it is produced. The next piece is produced when the client has read the
 * last one, so that at most one is in memory. An error aborts the response, so that no client takes a part
 * for the whole; `name` is its name in the log.
 */
export function streamText(pieces: AsyncGenerator<string>, name: string): ReadableStream {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const bytes = await collectPiece(pieces, name)
        if (bytes.length === 0) {
          controller.close()
        } else {
          controller.enqueue(bytes)
        }
      },
      async cancel() {
        await pieces.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

/** A long text in pieces, none of which ends within a character. */
export function* cutText(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = start + PIECE_LENGTH
    const isWithin = /[\uD800-\uDBFF]/.test(text.charAt(end - 1))
    yield text.slice(start, isWithin ? end + 1 : end)
    start = isWithin ? end + 1 : end
  }
}

/** What stands around the text of a body, and how each piece of it is written. */
type Translation = {
  readonly begin: string
  readonly write: (text: string) => string
  readonly end: () => string
}

/**
 * The text of a body in another form, which is sent while it is read. A body that is piped through a stream of
 * transformation does not learn that the client is gone, and would hold what it has for ever.
 */
export function translateBody(
  body: ReadableStream<Uint8Array>,
  { begin, write, end }: Translation,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let text = begin
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // nothing is sent for pieces without a text of their own
        do {
          const { done, value } = await reader.read()
          text += write(decoder.decode(value, { stream: !done }))
          if (done) {
            controller.enqueue(encoder.encode(text + end()))
            controller.close()
            return
          }
        } while (text === '')
        controller.enqueue(encoder.encode(text))
        text = ''
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/**
 * The bytes of texts worth a piece of the response; empty behind the last one. Each text is encoded by itself: one
 * character beyond Latin would slow down all that it is joined with.
 */
async function collectPiece(
  pieces: AsyncGenerator<string>,
  name: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  let bytes = new Uint8Array(2 * PIECE_LENGTH)
  let length = 0
  try {
    while (length < PIECE_LENGTH) {
      const { done, value } = await pieces.next()
      if (done) {
        break
      }
      const most = length + BYTES_OF_CHARACTER * value.length
      if (most > bytes.length) {
        const larger = new Uint8Array(most)
        larger.set(bytes.subarray(0, length))
        bytes = larger
      }
      length += encoder.encodeInto(value, bytes.subarray(length)).written
    }
    return bytes.slice(0, length)
  } catch (error) {
    log('error', 'answer broken off', { part: name, ...errorFacts(error) })
    throw error
  }
}
