import { fault } from '../../faults.ts'
import { StreamingJsonMember, type UploadBody } from '../../lib/streaming-json-member.ts'
import type { Settings } from '../../settings.ts'

/** How many times the limit an upload is read, so that the fault can state the size of one that is too large. */
const COUNTED_LIMITS = 2

const CHUNK_BYTES = 64 * 1024

/**
 * Reads the body of a request and decodes one member from base64 while it arrives, so that only its bytes
 * and the rest of the body are in memory. Bytes beyond the largest attachment are counted and dropped.
 * Fault 58 when the rest of the body, or the whole of it, is over its limit.
 * Reference: attachments.md, "Attach a file".
 */
export async function readUploadBody(
  request: Request,
  member: string,
  { MAX_BODY_KB: textKb, MAX_ATTACHMENT_KB: dataKb }: Settings,
): Promise<UploadBody> {
  const limitKb = textKb + Math.ceil((dataKb * COUNTED_LIMITS * 4) / 3)
  const reader = new StreamingJsonMember(member, {
    maxMemberBytes: dataKb * 1024,
    maxRestBytes: textKb * 1024,
    maxTotalBytes: limitKb * 1024,
  })
  if (Number(request.headers.get('content-length') ?? 0) > limitKb * 1024) {
    throw fault('bodyTooLarge', { limitKb })
  }
  for await (const bytes of readChunks(request.body)) {
    if (!reader.feed(bytes)) {
      throw fault('bodyTooLarge', { limitKb })
    }
  }
  return reader.finish()
}

/** All chunks share one buffer: a chunk must be used before the next one is read. */
async function* readChunks(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body === null) {
    return
  }
  const reader = body.pipeThrough(new IdentityTransformStream()).getReader({ mode: 'byob' })
  try {
    let buffer = new Uint8Array(CHUNK_BYTES)
    for (;;) {
      const { done, value } = await reader.read(buffer)
      if (done) {
        return
      }
      yield value
      buffer = new Uint8Array(value.buffer)
    }
  } finally {
    await reader.cancel()
  }
}
