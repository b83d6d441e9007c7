import { build, type Histogram } from 'hdr-histogram-js'
import { Pool } from 'undici'
import type { Request } from './scenarios.ts'

/** Milliseconds, and requests per second. */
export type Timing = { p50: number; p99: number; perSecond: number; requests: number }

export type Target = { origin: string; headers: Record<string, string> }

/** A source of requests and the server that they go to. */
export type Runner = { target: Target; next: () => Request }

/** Latencies and the p50 of each block in microseconds, and the duration of all blocks in seconds. */
export type Samples = { histogram: Histogram; seconds: number; blocks: number[] }

export type BenchResponse = { status: number; bytes: number; headers: Record<string, unknown> }

const MAX_MICROSECONDS = 60_000_000
/** Shorter than the load changes of a shared machine, longer than a request. */
const BLOCK_SECONDS = 0.25

/**
 * Sends one request after the other on each connection, and returns the samples of the runners in their
 * order. Several runners alternate in short blocks, so that all see the same load of the machine; each is
 * measured for `seconds` after a warm-up. Throws when a response is no success.
 */
export async function runClosedLoop(
  runners: readonly Runner[],
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Samples[]> {
  const pools = runners.map((runner) => ({
    ...runner,
    pool: new Pool(runner.target.origin, { connections, pipelining: 1 }),
  }))
  const rounds = Math.ceil(seconds / BLOCK_SECONDS)
  const alternate = async (all: Samples[]) => {
    for (let round = 0; round < rounds; round += 1) {
      for (const [n, entry] of pools.entries()) {
        await runBlock(entry, connections, all[n] ?? createSamples())
      }
    }
    return all
  }
  try {
    // the warm-up is as long as the measurement: the runtime compiles for hundreds of requests
    await alternate(pools.map(createSamples))
    return await alternate(pools.map(createSamples))
  } finally {
    await Promise.all(pools.map(({ pool }) => pool.close()))
  }
}

export function createSamples(): Samples {
  return { histogram: createHistogram(), seconds: 0, blocks: [] }
}

function createHistogram(): Histogram {
  return build({ highestTrackableValue: MAX_MICROSECONDS })
}

/** Adds the latencies and the duration of samples to a total. */
export function addSamples(samples: Samples, total: Samples): void {
  total.histogram.add(samples.histogram)
  total.seconds += samples.seconds
}

/**
 * The latency of a runner as a multiple of the baseline that alternated with it: the median over their
 * pairs of blocks. A temporary load of the machine slows both blocks of a pair, so it hardly matters.
 */
export function computeMultiple({ blocks }: Samples, baseline: Samples): number {
  const times = blocks.flatMap((p50, n) => {
    const other = baseline.blocks[n]
    return other === undefined ? [] : p50 / other
  })
  const sorted = times.sort((a, b) => a - b)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2
}

export function summarizeSamples({ histogram, seconds }: Samples): Timing {
  return {
    p50: histogram.getValueAtPercentile(50) / 1000,
    p99: histogram.getValueAtPercentile(99) / 1000,
    perSecond: histogram.totalCount / seconds,
    requests: histogram.totalCount,
  }
}

/** Sends one request and reads the whole response. Throws when it is no success. */
export async function sendRequest(
  pool: Pool,
  target: Target,
  request: Request,
): Promise<BenchResponse> {
  const { statusCode, headers, body } = await pool.request({
    method: request.method,
    path: request.path,
    headers: { ...target.headers, ...(request.body && { 'content-type': 'application/json' }) },
    body: request.body === undefined ? null : JSON.stringify(request.body),
  })
  const bytes = await body.bytes()
  if (statusCode >= 400) {
    const text = new TextDecoder().decode(bytes).slice(0, 300)
    throw new Error(`${request.method} ${request.path}: ${statusCode} ${text}`)
  }
  return { status: statusCode, bytes: bytes.length, headers }
}

async function runBlock(
  { target, next, pool }: Runner & { pool: Pool },
  connections: number,
  samples: Samples,
): Promise<void> {
  const started = performance.now()
  const end = started + BLOCK_SECONDS * 1000
  const histogram = createHistogram()
  const connection = async () => {
    while (performance.now() < end) {
      const request = next()
      const sent = performance.now()
      await sendRequest(pool, target, request)
      histogram.recordValue(Math.round((performance.now() - sent) * 1000))
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  samples.seconds += (performance.now() - started) / 1000
  samples.blocks.push(histogram.getValueAtPercentile(50))
  samples.histogram.add(histogram)
}
