import autocannon from 'autocannon'
import type { Runner } from './closed-loop.ts'

/**
 * Requests per second that a load generator gets through on so many connections. Its latencies are
 * whole milliseconds, so they are not used. Throws when any answer is not a success.
 */
export async function throughput(
  { target, next }: Runner,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<number> {
  const result = await autocannon({
    url: target.origin,
    connections,
    duration: seconds,
    headers: { ...target.headers, 'content-type': 'application/json' },
    requests: [
      {
        setupRequest: (request) => {
          const { method, path, body } = next()
          return { ...request, method, path, ...(body && { body: JSON.stringify(body) }) }
        },
      },
    ],
  })
  const failed = result.non2xx + result.errors + result.timeouts
  if (failed > 0) {
    throw new Error(`${failed} of ${result.requests.total} requests failed under load`)
  }
  return result.requests.total / result.duration
}
