/**
 * A search answer that is sent while the rest of it is still being read: `first` at once, then each chunk
 * of `rest`. A failure on the way breaks the answer off, so that nobody takes a part for the whole.
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
      const { done, value } = await chunks.next()
      if (done) {
        controller.enqueue(encoder.encode(']}'))
        controller.close()
      } else if (value.length > 0) {
        controller.enqueue(encoder.encode(`,${joined(value)}`))
      }
    },
    async cancel() {
      await chunks.return(undefined)
    },
  })
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}

function joined(bugs: readonly object[]): string {
  return bugs.map((bug) => JSON.stringify(bug)).join(',')
}
