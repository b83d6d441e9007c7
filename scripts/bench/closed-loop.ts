import { build, type Histogram } from 'hdr-histogram-js'
import { Pool } from 'undici'
import type { Request } from './scenarios.ts'

/** Milliseconds, and requests per second. */
export type Timing = { p50: number; p99: number; perSecond: number; requests: number }

export type Target = { origin: string; headers: Record<string, string> }

export type Answer = { status: number; bytes: number; headers: Record<string, unknown> }

const LONGEST_MICROSECONDS = 60_000_000

/**
 * Sends one request after the other on each of the connections, for `seconds` after a warm-up, and
 * keeps the time of each answer in microseconds. Throws when an answer is not a success.
 */
export async function closedLoop(
  target: Target,
  next: () => Request,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Timing> {
  const pool = new Pool(target.origin, { connections, pipelining: 1 })
  const histogram = build({ highestTrackableValue: LONGEST_MICROSECONDS })
  try {
    // as long as what is measured: the runtime goes on compiling for hundreds of requests
    await lanes(pool, target, next, { connections, seconds, histogram: null })
    const begun = performance.now()
    await lanes(pool, target, next, { connections, seconds, histogram })
    const elapsed = (performance.now() - begun) / 1000
    return {
      p50: histogram.getValueAtPercentile(50) / 1000,
      p99: histogram.getValueAtPercentile(99) / 1000,
      perSecond: histogram.totalCount / elapsed,
      requests: histogram.totalCount,
    }
  } finally {
    await pool.close()
  }
}

/** Sends one request and reads its answer whole. */
export async function ask(pool: Pool, target: Target, request: Request): Promise<Answer> {
  const { statusCode, headers, body } = await pool.request({
    method: request.method,
    path: request.path,
    headers: { ...target.headers, ...(request.body && { 'content-type': 'application/json' }) },
    body: request.body === undefined ? null : JSON.stringify(request.body),
  })
  const bytes = await body.bytes()
  if (statusCode >= 400) {
    const said = new TextDecoder().decode(bytes).slice(0, 300)
    throw new Error(`${request.method} ${request.path}: ${statusCode} ${said}`)
  }
  return { status: statusCode, bytes: bytes.length, headers }
}

async function lanes(
  pool: Pool,
  target: Target,
  next: () => Request,
  run: { connections: number; seconds: number; histogram: Histogram | null },
): Promise<void> {
  const end = performance.now() + run.seconds * 1000
  const lane = async () => {
    while (performance.now() < end) {
      const request = next()
      const sent = performance.now()
      await ask(pool, target, request)
      run.histogram?.recordValue(Math.round((performance.now() - sent) * 1000))
    }
  }
  await Promise.all(Array.from({ length: run.connections }, lane))
}
