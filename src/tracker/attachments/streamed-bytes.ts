import type { Ctx } from '../../platform/context.ts'
import { MOST_OF_REQUEST, take } from '../../platform/db/request-limits.ts'
import { fault } from '../../platform/faults/fault.ts'
import { turnOwner } from '../../platform/http/operations/caller-key.ts'
import { base64Length } from '../../platform/lib/base64.ts'
import { errorFacts, log } from '../../platform/lib/log.ts'
import { Placeholders } from '../../platform/lib/placeholders.ts'
import { NO_PLACEHOLDERS, type ResponsePlaceholders } from '../../platform/lib/stream.ts'
import { countSender } from '../../platform/load/readers.ts'
import { Turns } from '../../platform/load/turns.ts'
import { attachmentLost, attachmentsTooLong } from './faults.ts'

/** Where the bytes of an attachment are: its ID, their key and their size. */
type ObjectRef = {
  readonly id: number
  readonly objectKey: string
  readonly size: number
}

type OpenedObject = Uint8Array | ReadableStream<Uint8Array> | 'lost'

/** What reading an object costs, in bytes of a large one. */
const LEAST_ATTACHMENT = 400_000
/** Objects read at once. The connections of a Worker are limited, and further reads would wait. */
const MAX_CONCURRENT_READS = 4
/** Objects up to this size are read completely while others are sent. */
const MAX_WHOLE_BYTES = 256 * 1024
/** Bytes of a large object in memory at once; a multiple of three for base64. */
const PIECE_BYTES = 3 * 16 * 1024

/** Objects that are opened: answers with hundreds would keep everybody else's reads waiting. */
const openings = new Turns<string>(0, MAX_CONCURRENT_READS)

type Reader = Pick<Ctx, 'caller' | 'env' | 'ip' | 'session'>

/**
 * Placeholders in the JSON of a response for the bytes of attachments. The response is sent while the bytes
 * are read, a few objects at once and large ones piece by piece, so that its memory does not grow with its
 * size.
 */
export class StreamedBytes {
  readonly #placeholders = new Placeholders()
  readonly #refs: ObjectRef[] = []

  addPlaceholder(ref: ObjectRef): string {
    return this.#placeholders.write(String(this.#refs.push(ref) - 1))
  }

  /**
   * Returns the streamed response with all placeholders filled, or the answer itself when it has none. Throws a fault
   * where one request would read too many bytes, or those of the only one are lost.
   */
  async respond<Answer extends object>(
    ctx: Reader,
    answer: Answer,
    others: ResponsePlaceholders = NO_PLACEHOLDERS,
  ): Promise<Answer | Response> {
    if (this.#refs.length === 0 && others.isEmpty) {
      return answer
    }
    const pieces = [...this.#placeholders.split(JSON.stringify(answer))]
    const order = pieces.flatMap(({ name }) =>
      name === null ? [] : (this.#refs[Number(name)] ?? []),
    )
    admitBytes(ctx, order)
    const texts = pieces.map(({ text }) => text)
    const objects = new ObjectPrefetcher(ctx, order)
    const [first] = order
    // before the first byte is sent, the request can still fail with a proper fault
    if (first !== undefined && (await objects.open(0)) === 'lost' && order.length === 1) {
      throw fault(attachmentLost, { id: first.id })
    }
    const { readable, writable } = new IdentityTransformStream()
    writeResponse(writable.getWriter(), texts, objects, others).catch((error: unknown) => {
      log('warn', 'answer broken off', { part: 'attachments', ...errorFacts(error) })
    })
    return new Response(readable, { headers: { 'content-type': 'application/json' } })
  }
}

function admitBytes(ctx: Reader, refs: readonly ObjectRef[]): void {
  const bytes = refs.reduce((sum, { size }) => sum + Math.max(size, LEAST_ATTACHMENT), 0)
  if (take(ctx, 'attachmentBytes', bytes) > MOST_OF_REQUEST.attachmentBytes) {
    throw fault(attachmentsTooLong, {
      megabytes: MOST_OF_REQUEST.attachmentBytes / 1_000_000,
      leastKb: LEAST_ATTACHMENT / 1_000,
    })
  }
}

/** Opens objects in their order, a few ahead of the one that is read. */
class ObjectPrefetcher {
  readonly #ctx: Reader
  readonly #refs: readonly ObjectRef[]
  readonly #opened: Promise<OpenedObject>[] = []

  constructor(ctx: Reader, refs: readonly ObjectRef[]) {
    this.#ctx = ctx
    this.#refs = refs
  }

  async open(index: number): Promise<OpenedObject> {
    for (const ref of this.#refs.slice(this.#opened.length, index + MAX_CONCURRENT_READS)) {
      const opening = openings.run(turnOwner(this.#ctx), () => openObject(this.#ctx, ref))
      // the caller handles the error when it awaits this object
      opening.catch(() => {})
      this.#opened.push(opening)
    }
    const object = this.#opened[index]
    if (object === undefined) {
      throw new Error('There are more placeholders than objects')
    }
    return object
  }
}

/** The bytes of an attachment: a buffer for small ones, otherwise a stream. */
async function openObject(
  { env }: Reader,
  { id, objectKey, size }: ObjectRef,
): Promise<OpenedObject> {
  const object = await env.FILES.get(objectKey)
  if (object === null) {
    log('error', 'the bytes of an attachment are lost', { attachmentId: id })
    return 'lost'
  }
  return size <= MAX_WHOLE_BYTES ? new Uint8Array(await object.arrayBuffer()) : object.body
}

type Writer = WritableStreamDefaultWriter<Uint8Array>

/** An error aborts the response, so that no client takes a part for the whole. */
async function writeResponse(
  writer: Writer,
  texts: readonly string[],
  objects: ObjectPrefetcher,
  others: ResponsePlaceholders,
) {
  const encoder = new TextEncoder()
  try {
    for (const [index, text] of texts.entries()) {
      const filled = others.fillPlaceholders(text)
      for await (const piece of others.isEmpty ? filled : countSender(filled)) {
        await writer.write(encoder.encode(piece))
      }
      if (index < texts.length - 1) {
        await writeBytes(writer, await objects.open(index))
      }
    }
    await writer.close()
  } catch (error) {
    await writer.abort(error)
    throw error
  }
}

/** Bytes that are lost are null, and do not hide those of others. */
async function writeBytes(writer: Writer, object: OpenedObject) {
  const encoder = new TextEncoder()
  if (object === 'lost') {
    await writer.write(encoder.encode('null'))
    return
  }
  if (object instanceof Uint8Array) {
    await writer.write(encoder.encode(`"${object.toBase64()}"`))
    return
  }
  await writer.write(encoder.encode('"'))
  await writeLarge(writer, object)
  await writer.write(encoder.encode('"'))
}

/** All pieces share one buffer, because the garbage collector may free discarded buffers much later. */
async function writeLarge(writer: Writer, object: ReadableStream<Uint8Array>) {
  const reader = object.getReader({ mode: 'byob' })
  const encoder = new TextEncoder()
  const text = new Uint8Array(base64Length(PIECE_BYTES))
  let piece = new Uint8Array(PIECE_BYTES)
  for (;;) {
    const { value } = await reader.readAtLeast(PIECE_BYTES, piece)
    if (value === undefined || value.length === 0) {
      return
    }
    const { written } = encoder.encodeInto(value.toBase64(), text)
    await writer.write(text.subarray(0, written))
    piece = new Uint8Array(value.buffer)
  }
}
