import { base64Length, encodeBase64Into, toBase64 } from '../lib/base64.ts'
import { errorFacts, log } from '../lib/log.ts'
import { NO_PLACEHOLDERS, type ResponsePlaceholders } from '../lib/stream.ts'

/** Where the bytes of an attachment are, and how many. */
export type ObjectRef = { readonly objectKey: string; readonly size: number }

/** Objects asked for at once: more would wait for each other on the way out of the Worker. */
const MAX_CONCURRENT_READS = 4
/** Up to this size an object is read as a whole, beside the others. */
const MAX_WHOLE_BYTES = 256 * 1024
/** Bytes of a large object that are held at once: a multiple of three. */
const PIECE_BYTES = 3 * 16 * 1024

/**
 * Gaps in a JSON answer that are to hold the bytes of attachments. The answer is written while these are
 * read, a few of them at once and large ones piece by piece: it takes the same memory whatever it holds.
 */
export class StreamedBytes {
  /** Nobody can have written it into a text of the answer. */
  readonly #mark = crypto.randomUUID()
  readonly #places: ObjectRef[] = []

  /** The text that stands for the base64 of these bytes in the answer. */
  addPlaceholder(place: ObjectRef): string {
    return `${this.#mark}:${this.#places.push(place) - 1}`
  }

  /** The answer with all gaps filled, those of `others` too; as it is when there are none. */
  async respond<Answer extends object>(
    files: R2Bucket,
    answer: Answer,
    others: ResponsePlaceholders = NO_PLACEHOLDERS,
  ): Promise<Answer | Response> {
    if (this.#places.length === 0 && others.isEmpty) {
      return answer
    }
    const pieces = JSON.stringify(answer).split(new RegExp(`"${this.#mark}:(\\d+)"`))
    const order = pieces.filter((_, i) => i % 2 === 1).map((at) => this.#places[Number(at)])
    const texts = pieces.filter((_, i) => i % 2 === 0)
    const objects = new ObjectPrefetcher(
      files,
      order.filter((place) => place !== undefined),
    )
    if (this.#places.length > 0) {
      // what is missing from the start is an error and no broken answer
      await objects.open(0)
    }
    const { readable, writable } = new IdentityTransformStream()
    writeResponse(writable.getWriter(), texts, objects, others).catch((error: unknown) => {
      log('warn', 'bugs or attachments broken off', errorFacts(error))
    })
    return new Response(readable, { headers: { 'content-type': 'application/json' } })
  }
}

/** Objects that are asked for in their order, a few ahead of who reads them. */
class ObjectPrefetcher {
  readonly #files: R2Bucket
  readonly #places: readonly ObjectRef[]
  readonly #asked: Promise<Uint8Array | ReadableStream<Uint8Array>>[] = []

  constructor(files: R2Bucket, places: readonly ObjectRef[]) {
    this.#files = files
    this.#places = places
  }

  async open(index: number): Promise<Uint8Array | ReadableStream<Uint8Array>> {
    for (const place of this.#places.slice(this.#asked.length, index + MAX_CONCURRENT_READS)) {
      const asking = openObject(this.#files, place)
      // it is awaited in its turn
      asking.catch(() => {})
      this.#asked.push(asking)
    }
    const object = this.#asked[index]
    if (object === undefined) {
      throw new Error('There are more gaps than bytes')
    }
    return object
  }
}

/** The bytes of an attachment, whole when they are few. */
async function openObject(files: R2Bucket, { objectKey, size }: ObjectRef) {
  const object = await files.get(objectKey)
  if (object === null) {
    throw new Error('The bytes of an attachment are missing')
  }
  return size <= MAX_WHOLE_BYTES ? new Uint8Array(await object.arrayBuffer()) : object.body
}

type Writer = WritableStreamDefaultWriter<Uint8Array>

/** A failure on the way breaks the answer off, so that nobody takes a part for the whole. */
async function writeResponse(
  writer: Writer,
  texts: readonly string[],
  objects: ObjectPrefetcher,
  others: ResponsePlaceholders,
) {
  const encoder = new TextEncoder()
  try {
    for (const [place, text] of texts.entries()) {
      for await (const piece of others.fillPlaceholders(text)) {
        await writer.write(encoder.encode(piece))
      }
      if (place < texts.length - 1) {
        await writeBytes(writer, await objects.open(place))
      }
    }
    await writer.close()
  } catch (error) {
    await writer.abort(error)
    throw error
  }
}

async function writeBytes(writer: Writer, object: Uint8Array | ReadableStream<Uint8Array>) {
  const encoder = new TextEncoder()
  if (object instanceof Uint8Array) {
    await writer.write(encoder.encode(`"${toBase64(object)}"`))
    return
  }
  await writer.write(encoder.encode('"'))
  await writeLarge(writer, object)
  await writer.write(encoder.encode('"'))
}

/** The same memory serves for every piece: what is thrown away stays for long. */
async function writeLarge(writer: Writer, object: ReadableStream<Uint8Array>) {
  const reader = object.getReader({ mode: 'byob' })
  const text = new Uint8Array(base64Length(PIECE_BYTES))
  let piece = new Uint8Array(PIECE_BYTES)
  for (;;) {
    const { value } = await reader.readAtLeast(PIECE_BYTES, piece)
    if (value === undefined || value.length === 0) {
      return
    }
    encodeBase64Into(text, value)
    await writer.write(text.subarray(0, base64Length(value.length)))
    piece = new Uint8Array(value.buffer)
  }
}
