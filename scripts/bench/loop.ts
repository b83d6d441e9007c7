import { Pool } from 'undici'
import type { DataSet } from './data-set.ts'
import { readCpuTime } from './process.ts'
import type { Request } from './request.ts'
import { SCENARIOS, type Scenario, signEvent } from './scenarios.ts'
import type { BenchServer } from './servers.ts'
import { quantile } from './statistics.ts'

/** A source of requests and the server that they go to. */
export type Runner = Pick<BenchServer, 'origin' | 'pid'> & { next: () => Request }

/** A scenario for one kind of caller on a server. Writes need an API key. */
export type Case = Runner & { name: string; scenario: Scenario; who: Caller; writes: boolean }

export type Caller = 'anyone' | 'with a key'

/**
 * Latencies and the p50 of each block in milliseconds, the duration of all blocks in seconds, and the CPU
 * time of the server per request in milliseconds, in each round.
 */
export type Samples = { latencies: number[]; seconds: number; blocks: number[]; cpu: number[] }

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
        ...request.headers,
        ...(who === 'with a key' && { authorization: `Bearer ${keys.developer}` }),
        ...(request.event !== undefined && signEvent(request, keys.bot)),
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
  { connections, seconds }: { connections: number; seconds: number },
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
  const latencies: number[] = []
  const connection = async () => {
    while (performance.now() < end) {
      const request = next()
      const sent = performance.now()
      await send(pool, request)
      latencies.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  samples.seconds += (performance.now() - started) / 1000
  samples.blocks.push(quantile(latencies, 0.5))
  samples.latencies.push(...latencies)
}

/** Counts the CPU time of a server until the returned function is called, and adds it to the samples. */
function startCpuCount({ pid, samples }: Turn): () => void {
  const started = readCpuTime(pid)
  const before = samples.latencies.length
  return () => {
    samples.cpu.push((readCpuTime(pid) - started) / (samples.latencies.length - before))
  }
}

function createSamples(): Samples {
  return { latencies: [], seconds: 0, blocks: [], cpu: [] }
}

/** Milliseconds, and requests per second. */
export function summarizeSamples({ latencies, seconds }: Samples) {
  return {
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    perSecond: latencies.length / seconds,
    requests: latencies.length,
  }
}

/** Sends one request and reads the whole response. Throws when it is no success. */
async function send(pool: Pool, { method, path, headers = {}, body: sent }: Request) {
  const text = sent === undefined ? null : JSON.stringify(sent)
  const type = sent && { 'content-type': 'application/json' }
  const answer = await pool.request({ method, path, headers: { ...type, ...headers }, body: text })
  const bytes = await answer.body.bytes()
  if (answer.statusCode >= 400) {
    const reason = new TextDecoder().decode(bytes).slice(0, 300)
    throw new Error(`${method} ${path}: ${answer.statusCode} ${reason}`)
  }
}
