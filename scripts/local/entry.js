/**
 * The entry of the Worker on this computer. The platform compresses answers outside of the Worker; here the same
 * process does, which takes 37 ms for a MB of text and holds up every other caller for it.
 */
import worker from './worker.mjs'

/** Bytes of the largest answer that is compressed. */
const LARGEST = 256_000
/** Other types are never compressed. */
const TEXT = /^text\/|json|xml|javascript/
const PIECE_LENGTH = 64_000

export default {
  ...worker,
  fetch(request, env, context) {
    const answer = worker.fetch(request, env, context)
    return request.cf?.clientAcceptEncoding ? sparingLarge(answer) : answer
  },
}

/** The answer, marked as one that stays as it is when it is large, or a part: a range counts the bytes that are sent. */
async function sparingLarge(given) {
  const answer = await given
  if (answer.body === null || !TEXT.test(answer.headers.get('content-type') ?? '')) {
    return answer
  }
  const isPart = answer.headers.has('content-range')
  if (isPart || Number(answer.headers.get('content-length')) > LARGEST) {
    return uncompressed(answer, answer.body)
  }
  const { read, cancel } = openBody(answer.body)
  const pieces = []
  let length = 0
  try {
    while (length <= LARGEST) {
      const { done, value } = await read()
      if (done) {
        return new Response(new Blob(pieces), answer)
      }
      pieces.push(value)
      length += value.length
    }
  } catch {
    // the next read fails again, and breaks the answer off behind what was read
  }
  const rest = {
    async pull(controller) {
      const piece = pieces.shift()
      const { done, value } = piece === undefined ? await read() : { value: piece }
      if (done) {
        controller.close()
      } else {
        controller.enqueue(value)
      }
    },
    cancel,
  }
  return uncompressed(answer, new ReadableStream(rest, { highWaterMark: 0 }))
}

/** A stream of the runtime gives 4 KB at a time unless it is asked for more; one of the Worker cannot be asked. */
function openBody(body) {
  try {
    const reader = body.getReader({ mode: 'byob' })
    return {
      read: () => reader.readAtLeast(PIECE_LENGTH, new Uint8Array(2 * PIECE_LENGTH)),
      cancel: (reason) => reader.cancel(reason),
    }
  } catch {
    const reader = body.getReader()
    return { read: () => reader.read(), cancel: (reason) => reader.cancel(reason) }
  }
}

function uncompressed(answer, body) {
  const headers = new Headers(answer.headers)
  headers.set('content-encoding', 'identity')
  return new Response(body, { status: answer.status, headers })
}
