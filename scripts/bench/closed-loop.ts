import { build, type Histogram } from 'hdr-histogram-js'
import { Pool } from 'undici'
import { readCpuTime } from './process/process-cpu.ts'
import type { Request } from './scenarios.ts'

/** Milliseconds, and requests per second. */
export type Timing = { p50: number; p99: number; perSecond: number; requests: number }

/** Where requests go, and the process of the server if its CPU time is to be counted. */
export type Target = { origin: string; headers: Record<string, string>; pid?: number | null }

/** A source of requests and the server that they go to. */
export type Runner = { target: Target; next: () => Request }

/**
 * Latencies and the p50 of each block in microseconds, the duration of all blocks in seconds, and the CPU
 * time of the server per request in milliseconds, in each round.
 */
export type Samples = { histogram: Histogram; seconds: number; blocks: number[]; cpu: number[] }

/** A median, and two standard errors of it: in 19 of 20 runs it is no further from the truth. */
export type Quotient = { median: number; error: number }

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
    const turns = pools.map((entry, n) => ({ ...entry, samples: all[n] ?? createSamples() }))
    for (let round = 0; round < rounds; round += 1) {
      const counts = turns.map(startCpuCount)
      // a load that grows or shrinks steadily favors none of them when every other round is reversed
      for (const turn of round % 2 === 0 ? turns : turns.toReversed()) {
        await runBlock(turn, connections, turn.samples)
      }
      // for each only now: what a server does after its answers counts too
      for (const endCount of counts) {
        endCount()
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
  return { histogram: createHistogram(), seconds: 0, blocks: [], cpu: [] }
}

function createHistogram(): Histogram {
  return build({ highestTrackableValue: MAX_MICROSECONDS })
}

/** Counts the CPU time of a server until the returned function is called, and adds it to the samples. */
function startCpuCount({ target, samples }: { target: Target; samples: Samples }): () => void {
  const { pid } = target
  const started = pid == null ? null : readCpuTime(pid)
  const before = samples.histogram.totalCount
  return () => {
    const ended = pid == null ? null : readCpuTime(pid)
    if (started !== null && ended !== null) {
      samples.cpu.push((ended - started) / (samples.histogram.totalCount - before))
    }
  }
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
  return computeQuotient(blocks, baseline.blocks).median
}

/** The quotients of two lists of values that were measured in turns: their median and its error. */
export function computeQuotient(values: readonly number[], others: readonly number[]): Quotient {
  const quotients = values.flatMap((value, n) => {
    const other = others[n]
    return other === undefined ? [] : value / other
  })
  const sorted = quotients.sort((a, b) => a - b)
  const at = (share: number) => {
    const place = share * (sorted.length - 1)
    const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
    return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2
  }
  // 0.93 quartile ranges per root of the number of pairs are the standard error of a median
  const error = (2 * 0.93 * (at(0.75) - at(0.25))) / Math.sqrt(sorted.length)
  return { median: at(0.5), error }
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
    headers: {
      ...target.headers,
      ...request.headers,
      ...(request.body && { 'content-type': 'application/json' }),
    },
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
