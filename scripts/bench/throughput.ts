import autocannon from 'autocannon'
import type { Runner } from './closed-loop.ts'

/**
 * Measures the requests per second that a load generator completes. Its latencies are not used, because
 * they are whole milliseconds. Throws when a response is no success.
 */
export async function measureThroughput(
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
          const { method, path, body, headers } = next()
          return {
            ...request,
            method,
            path,
            ...(headers && { headers: { ...request.headers, ...headers } }),
            ...(body && { body: JSON.stringify(body) }),
          }
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
