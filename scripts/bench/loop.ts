import autocannon from 'autocannon'
import { build, type Histogram } from 'hdr-histogram-js'
import { Pool } from 'undici'
import type { DataSet } from './data-set.ts'
import { readCpuTime } from './process.ts'
import type { Request } from './request.ts'
import { SCENARIOS, type Scenario, signEvent } from './scenarios.ts'
import type { BenchServer } from './servers.ts'

/** A source of requests and the server that they go to. */
export type Runner = Pick<BenchServer, 'origin' | 'pid'> & { next: () => Request }

/** A scenario for one kind of caller on a server. Writes need an API key. */
export type Case = Runner & { name: string; scenario: Scenario; who: Caller; writes: boolean }

export type Caller = 'anyone' | 'with a key'

/**
 * Latencies and the p50 of each block in microseconds, the duration of all blocks in seconds, and the CPU
 * time of the server per request in milliseconds, in each round.
 */
export type Samples = { histogram: Histogram; seconds: number; blocks: number[]; cpu: number[] }

/** A median, and two standard errors of it: in 19 of 20 runs it is no further from the truth. */
export type Quotient = { median: number; error: number }

/** The cost of one response. */
export type Cost = { trips: number; read: number; written: number; bytes: number }

export type Load = { connections: number; seconds: number }

const MAX_MICROSECONDS = 60_000_000
/** Shorter than the load changes of a shared machine, longer than a request. */
const BLOCK_SECONDS = 0.25

/** Every scenario whose name contains `only`, with an API key, and the reads without one too. */
export function listCases(
  { landmarks, keys }: Pick<DataSet, 'landmarks' | 'keys'>,
  { origin, pid }: Pick<BenchServer, 'origin' | 'pid'>,
  only = '',
): Case[] {
  const createCase = (scenario: Scenario, who: Caller): Case => {
    let sent = 0
    const next = () => {
      sent += 1
      const request = scenario.request(landmarks, sent)
      const headers = {
        ...(who === 'with a key' && { authorization: `Bearer ${keys.developer}` }),
        ...(request.event !== undefined && signEvent(request, keys.bot)),
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
      }
      return { ...request, headers }
    }
    const writes = scenario.request(landmarks, 0).method !== 'GET'
    return { name: `${scenario.name}, ${who}`, scenario, who, writes, origin, pid, next }
  }
  return SCENARIOS.filter(({ name }) => name.includes(only)).flatMap((scenario) => {
    const keyed = createCase(scenario, 'with a key')
    return keyed.writes ? [keyed] : [createCase(scenario, 'anyone'), keyed]
  })
}

/**
 * Sends one request after the other on each connection, and returns the samples of the runners in their
 * order. Several runners alternate in short blocks, so that all see the same load of the machine; each is
 * measured for `seconds` after a warm-up. Throws when a response is no success.
 */
export async function runClosedLoop(
  runners: readonly Runner[],
  { connections, seconds }: Load,
): Promise<Samples[]> {
  const turns = runners.map((runner) => ({
    ...runner,
    pool: new Pool(runner.origin, { connections, pipelining: 1 }),
    samples: createSamples(),
  }))
  try {
    // the warm-up is as long as the measurement: the runtime compiles for hundreds of requests
    for (const _ of ['warm-up', 'measurement']) {
      for (const turn of turns) {
        turn.samples = createSamples()
      }
      for (let round = 0; round < seconds / BLOCK_SECONDS; round += 1) {
        const counts = turns.map(startCpuCount)
        // a load that grows or shrinks steadily favors none of them when every other round is reversed
        for (const turn of round % 2 === 0 ? turns : turns.toReversed()) {
          await runBlock(turn, connections)
        }
        // for each only now: what a server does after its answers counts too
        for (const endCount of counts) {
          endCount()
        }
      }
    }
    return turns.map(({ samples }) => samples)
  } finally {
    await Promise.all(turns.map(({ pool }) => pool.close()))
  }
}

type Turn = Runner & { pool: Pool; samples: Samples }

async function runBlock({ next, pool, samples }: Turn, connections: number): Promise<void> {
  const started = performance.now()
  const end = started + BLOCK_SECONDS * 1000
  const { histogram } = createSamples()
  const connection = async () => {
    while (performance.now() < end) {
      const request = next()
      const sent = performance.now()
      await sendRequest(pool, request)
      histogram.recordValue(Math.round((performance.now() - sent) * 1000))
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  samples.seconds += (performance.now() - started) / 1000
  samples.blocks.push(histogram.getValueAtPercentile(50))
  samples.histogram.add(histogram)
}

/** Counts the CPU time of a server until the returned function is called, and adds it to the samples. */
function startCpuCount({ pid, samples }: Turn): () => void {
  const started = readCpuTime(pid)
  const before = samples.histogram.totalCount
  return () => {
    samples.cpu.push((readCpuTime(pid) - started) / (samples.histogram.totalCount - before))
  }
}

function createSamples(): Samples {
  const histogram = build({ highestTrackableValue: MAX_MICROSECONDS })
  return { histogram, seconds: 0, blocks: [], cpu: [] }
}

/** Milliseconds, and requests per second. */
export function summarizeSamples({ histogram, seconds }: Samples) {
  return {
    p50: histogram.getValueAtPercentile(50) / 1000,
    p99: histogram.getValueAtPercentile(99) / 1000,
    perSecond: histogram.totalCount / seconds,
    requests: histogram.totalCount,
  }
}

/**
 * The quotients of two lists of values that were measured in turns: their median and its error. A temporary
 * load of the machine slows both values of a pair, so it hardly matters.
 */
export function computeQuotient(values: readonly number[], others: readonly number[]): Quotient {
  const quotients = values.map((value, n) => value / (others[n] ?? Number.NaN))
  const spread = quantile(quotients, 0.75) - quantile(quotients, 0.25)
  // 0.93 quartile ranges per root of the number of pairs are the standard error of a median
  const error = (2 * 0.93 * spread) / Math.sqrt(quotients.length)
  return { median: quantile(quotients, 0.5), error }
}

/** The value below which a share of all values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = share * (sorted.length - 1)
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2
}

/** Sends the next request of a runner alone and returns what it cost, as far as the server reports it. */
export async function measureCost({
  origin,
  next,
}: Pick<Runner, 'origin' | 'next'>): Promise<Cost> {
  const pool = new Pool(origin)
  try {
    const { bytes, timing } = await sendRequest(pool, next())
    const count = (what: string) => Number(timing.match(`(\\d+) ${what}`)?.[1] ?? 0)
    return { bytes, trips: count('trips'), read: count('read'), written: count('written') }
  } finally {
    await pool.close()
  }
}

/** Sends one request and reads the whole response. Throws when it is no success. */
async function sendRequest(pool: Pool, { method, path, headers = {}, body: sent }: Request) {
  const text = sent === undefined ? null : JSON.stringify(sent)
  const answer = await pool.request({ method, path, headers, body: text })
  const bytes = await answer.body.bytes()
  if (answer.statusCode >= 400) {
    const reason = new TextDecoder().decode(bytes).slice(0, 300)
    throw new Error(`${method} ${path}: ${answer.statusCode} ${reason}`)
  }
  return { bytes: bytes.length, timing: String(answer.headers['server-timing'] ?? '') }
}

/**
 * Measures the requests per second that a load generator completes. Its latencies are not used, because
 * they are whole milliseconds. Throws when a response is no success.
 */
export async function measureThroughput(
  { origin, next }: Runner,
  { connections, seconds }: Load,
): Promise<number> {
  const setupRequest = (request: autocannon.Request): autocannon.Request => {
    const { body, event: _, ...rest } = next()
    return { ...request, ...rest, ...(body && { body: JSON.stringify(body) }) }
  }
  const requests = [{ setupRequest }]
  const result = await autocannon({ url: origin, connections, duration: seconds, requests })
  const failed = result.non2xx + result.errors + result.timeouts
  if (failed > 0) {
    throw new Error(`${failed} of ${result.requests.total} requests failed under load`)
  }
  return result.requests.total / result.duration
}
