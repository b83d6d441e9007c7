import { errorFacts, log } from '../lib/log.ts'

/**
 * A search answer that is sent while the rest of it is still being read: `first`, which is not empty, at
 * once, then each chunk of `rest`. A failure on the way breaks the answer off, so that nobody takes a part for the whole.
 */
export function streamBugs(
  first: readonly object[],
  rest: () => AsyncGenerator<readonly object[]>,
): Response {
  const encoder = new TextEncoder()
  const chunks = rest()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(`{"faults":[],"bugs":[${joined(first)}`))
    },
    async pull(controller) {
      const bugs = await nextOf(chunks)
      if (bugs === undefined) {
        controller.enqueue(encoder.encode(']}'))
        controller.close()
      } else {
        controller.enqueue(encoder.encode(`,${joined(bugs)}`))
      }
    },
    async cancel() {
      await chunks.return(undefined)
    },
  })
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}

/** The next chunk that holds anything: nobody asks again after a turn that brought nothing. */
async function nextOf(
  chunks: AsyncGenerator<readonly object[]>,
): Promise<readonly object[] | undefined> {
  try {
    for (;;) {
      const { done, value } = await chunks.next()
      if (done) {
        return undefined
      }
      if (value.length > 0) {
        return value
      }
    }
  } catch (error) {
    log('error', 'search answer broken off', errorFacts(error))
    throw error
  }
}

function joined(bugs: readonly object[]): string {
  return bugs.map((bug) => JSON.stringify(bug)).join(',')
}
