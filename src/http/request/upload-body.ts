import { fault } from '../../faults.ts'
import { StreamingJsonMember, type UploadBody } from '../../lib/streaming-json-member.ts'
import type { Settings } from '../../settings.ts'

/** An upload that is too large is counted up to so many times the limit, so that it can be told how large it is. */
const COUNTED = 2

/** Bytes that are read at once. */
const PIECE = 64 * 1024

/**
 * The body of a request, read as it arrives, with one member of it decoded from base64 on the way: never
 * more than its bytes and the rest of the body are in memory. Bytes beyond the largest attachment are not
 * kept. Fault 58 when the body without them, or all of it, is far beyond what can be accepted.
 */
export async function readUploadBody(
  request: Request,
  member: string,
  { MAX_BODY_KB: textKb, MAX_ATTACHMENT_KB: dataKb }: Settings,
): Promise<UploadBody> {
  const limitKb = textKb + Math.ceil((dataKb * COUNTED * 4) / 3)
  const reader = new StreamingJsonMember(member, {
    maxMemberBytes: dataKb * 1024,
    maxRestBytes: textKb * 1024,
    maxTotalBytes: limitKb * 1024,
  })
  if (Number(request.headers.get('content-length') ?? 0) > limitKb * 1024) {
    throw fault('bodyTooLarge', { limitKb })
  }
  for await (const bytes of pieces(request.body)) {
    if (!reader.feed(bytes)) {
      throw fault('bodyTooLarge', { limitKb })
    }
  }
  return reader.finish()
}

/** All pieces stand in the same memory: each must be done with before the next is asked for. */
async function* pieces(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body === null) {
    return
  }
  const reader = body.pipeThrough(new IdentityTransformStream()).getReader({ mode: 'byob' })
  try {
    let memory = new Uint8Array(PIECE)
    for (;;) {
      const { done, value } = await reader.read(memory)
      if (done) {
        return
      }
      yield value
      memory = new Uint8Array(value.buffer)
    }
  } finally {
    await reader.cancel()
  }
}
