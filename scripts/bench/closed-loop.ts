import { build, type Histogram } from 'hdr-histogram-js'
import { Pool } from 'undici'
import type { Request } from './scenarios.ts'

/** Milliseconds, and requests per second. */
export type Timing = { p50: number; p99: number; perSecond: number; requests: number }

export type Target = { origin: string; headers: Record<string, string> }

/** Somebody who is asked: where, and for what next. */
export type Runner = { target: Target; next: () => Request }

/**
 * The time of each answer in microseconds, the seconds that the answers took together, and the p50 of
 * each block, in microseconds.
 */
export type Samples = { histogram: Histogram; seconds: number; blocks: number[] }

export type Answer = { status: number; bytes: number; headers: Record<string, unknown> }

const LONGEST_MICROSECONDS = 60_000_000
/** Short against the ups and downs of a shared machine, long against a request. */
const BLOCK_SECONDS = 0.25

/**
 * Sends one request after the other on each of the connections. Several runners take turns in short
 * blocks, so that all of them see the same machine; each is measured for `seconds` after a warm-up.
 * Answers their samples in the order given. Throws when an answer is not a success.
 */
export async function closedLoop(
  runners: readonly Runner[],
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Samples[]> {
  const lanes = runners.map((runner) => ({
    ...runner,
    pool: new Pool(runner.target.origin, { connections, pipelining: 1 }),
  }))
  const rounds = Math.ceil(seconds / BLOCK_SECONDS)
  const turns = async (all: Samples[]) => {
    for (let round = 0; round < rounds; round += 1) {
      for (const [n, lane] of lanes.entries()) {
        await block(lane, connections, all[n] ?? noSamples())
      }
    }
    return all
  }
  try {
    // as long as what is measured: the runtime goes on compiling for hundreds of requests
    await turns(lanes.map(noSamples))
    return await turns(lanes.map(noSamples))
  } finally {
    await Promise.all(lanes.map(({ pool }) => pool.close()))
  }
}

export function noSamples(): Samples {
  return { histogram: empty(), seconds: 0, blocks: [] }
}

function empty(): Histogram {
  return build({ highestTrackableValue: LONGEST_MICROSECONDS })
}

/** Adds samples to others of the same runner. */
export function pour(samples: Samples, into: Samples): void {
  into.histogram.add(samples.histogram)
  into.seconds += samples.seconds
}

/**
 * How many times as long one took as the other that it took turns with: in the middle of their pairs of
 * blocks. What slows the machine down for a while slows both blocks of a pair, and moves it but little.
 */
export function multipleOf({ blocks }: Samples, floor: Samples): number {
  const times = blocks.flatMap((p50, n) => {
    const beside = floor.blocks[n]
    return beside === undefined ? [] : p50 / beside
  })
  const sorted = times.sort((a, b) => a - b)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2
}

export function timingOf({ histogram, seconds }: Samples): Timing {
  return {
    p50: histogram.getValueAtPercentile(50) / 1000,
    p99: histogram.getValueAtPercentile(99) / 1000,
    perSecond: histogram.totalCount / seconds,
    requests: histogram.totalCount,
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

async function block(
  { target, next, pool }: Runner & { pool: Pool },
  connections: number,
  samples: Samples,
): Promise<void> {
  const begun = performance.now()
  const end = begun + BLOCK_SECONDS * 1000
  const histogram = empty()
  const connection = async () => {
    while (performance.now() < end) {
      const request = next()
      const sent = performance.now()
      await ask(pool, target, request)
      histogram.recordValue(Math.round((performance.now() - sent) * 1000))
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  samples.seconds += (performance.now() - begun) / 1000
  samples.blocks.push(histogram.getValueAtPercentile(50))
  samples.histogram.add(histogram)
}
