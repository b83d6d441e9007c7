import { Pool } from 'undici'
import { type Case, createRunner } from './cases.ts'
import {
  addSamples,
  computeMultiple,
  createSamples,
  type Runner,
  runClosedLoop,
  type Samples,
  sendRequest,
  summarizeSamples,
  type Timing,
} from './closed-loop.ts'
import type { CaseCost, Cost } from './costs.ts'
import type { DataSet } from './data-set.ts'
import { readMemory, resetPeak } from './process/memory.ts'
import { startProgress } from './report/progress.ts'
import type { BaselineName } from './scenarios.ts'
import type { BenchServer } from './server.ts'
import { measureThroughput } from './throughput.ts'

/** The figures of a case on a number of connections: a row of report.json, whose keys stay stable. */
export type Measured = Timing &
  Cost & {
    scenario: string
    who: Case['who']
    connections: number
    /** The baseline that alternated with the case, its p50, and the multiple of the case. */
    beside: { yardstick: BaselineName; p50: number; times: number }
    /** Requests per second under a separate load generator. */
    throughput: number
    /** The peak heap of the isolate in MB, garbage included. */
    heap: number
    /** The peak memory of the runtime process in MB. */
    peak: number | null
  }

/** The figures of a baseline on a number of connections over the whole run; memory in MB. */
export type Floor = Timing & {
  name: BaselineName
  connections: number
  idle: number | null
  peak: number | null
}

export type Servers = { service: BenchServer; baselines: ReadonlyMap<BaselineName, BenchServer> }

/** The samples of a baseline while it alternated with one case. */
type BaselineSamples = {
  name: BaselineName
  connections: number
  samples: Samples
  peak: number | null
}

const CONNECTIONS = [1, 8]

/** Scenarios with a goal are measured longer by this factor. */
const GOAL_DURATION_FACTOR = 3

/** Measures cases against their baselines; `idle` is the MB of the service after one request of each. */
export async function measureAll(
  servers: Servers,
  data: DataSet,
  { cases, caseCosts }: { cases: readonly Case[]; caseCosts: readonly CaseCost[] },
  seconds: number,
): Promise<{ idle: number | null; measured: Measured[]; floors: Floor[] }> {
  const { service, baselines } = servers
  for (const one of cases) {
    await sendOnce(createRunner(one, service.origin, data))
  }
  const idle = readMemory(service.pid)?.now ?? null
  for (const { origin } of baselines.values()) {
    await sendOnce(createBaselineRunner(origin))
  }
  const idleFloors = new Map([...baselines].map(([name, { pid }]) => [name, readMemory(pid)?.now]))
  await warmUp(service.origin, data, cases, seconds)
  const measured: Measured[] = []
  const samplesByCase: BaselineSamples[] = []
  for (const one of cases) {
    const bar = startProgress(`${one.scenario.name}, ${one.who}`)
    for (const connections of CONNECTIONS) {
      const { row, floorSamples } = await measureCase(servers, data, one, { connections, seconds })
      const { cost, heap } = findCost(one, caseCosts)
      measured.push({ ...row, ...cost, heap })
      samplesByCase.push(floorSamples)
    }
    bar.end()
  }
  const floors = [...baselines.keys()].flatMap((name) =>
    CONNECTIONS.map((connections) => summarizeFloor(name, connections, samplesByCase)),
  )
  return {
    idle,
    measured,
    floors: floors.map((floor) => ({ ...floor, idle: idleFloors.get(floor.name) ?? null })),
  }
}

/** Sends all reads, so that the first case does not find a colder runtime than the last. */
async function warmUp(
  origin: string,
  data: DataSet,
  cases: readonly Case[],
  seconds: number,
): Promise<void> {
  const reads = cases.filter(({ writes }) => !writes).map((one) => createRunner(one, origin, data))
  let sent = 0
  const next = () => {
    sent += 1
    return reads[sent % reads.length]?.next() ?? { method: 'GET', path: '/rest/version' }
  }
  await runClosedLoop([{ target: { origin, headers: {} }, next }], { connections: 8, seconds })
}

async function measureCase(
  { service, baselines }: Servers,
  data: DataSet,
  one: Case,
  run: { connections: number; seconds: number },
): Promise<{ row: Omit<Measured, keyof Cost | 'heap'>; floorSamples: BaselineSamples }> {
  const { scenario, who } = one
  const name = scenario.goal?.baseline ?? 'one row'
  const baseline = baselines.get(name)
  if (baseline === undefined) {
    throw new Error(`The baseline ${name} does not run`)
  }
  resetPeak(service.pid)
  resetPeak(baseline.pid)
  const runner = createRunner(one, service.origin, data)
  const factor = scenario.goal === undefined ? 1 : GOAL_DURATION_FACTOR
  const [own = createSamples(), floor = createSamples()] = await runClosedLoop(
    [runner, createBaselineRunner(baseline.origin)],
    { ...run, seconds: run.seconds * factor },
  )
  const perSecond = await measureThroughput(runner, run)
  return {
    row: {
      scenario: scenario.name,
      who,
      connections: run.connections,
      ...summarizeSamples(own),
      beside: {
        yardstick: name,
        p50: summarizeSamples(floor).p50,
        times: computeMultiple(own, floor),
      },
      throughput: perSecond,
      peak: readMemory(service.pid)?.peak ?? null,
    },
    floorSamples: {
      name,
      connections: run.connections,
      samples: floor,
      peak: readMemory(baseline.pid)?.peak ?? null,
    },
  }
}

function findCost(
  { scenario, who }: Case,
  caseCosts: readonly CaseCost[],
): Omit<CaseCost, keyof Case> {
  const found = caseCosts.find((one) => one.scenario === scenario && one.who === who)
  if (found === undefined) {
    throw new Error(`${scenario.name}, ${who}, has no measured cost`)
  }
  return found
}

function summarizeFloor(
  name: BaselineName,
  connections: number,
  samplesByCase: readonly BaselineSamples[],
): Omit<Floor, 'idle'> {
  const own = samplesByCase.filter((one) => one.name === name && one.connections === connections)
  const samples = createSamples()
  for (const part of own) {
    addSamples(part.samples, samples)
  }
  const peaks = own.flatMap(({ peak }) => peak ?? [])
  const peak = peaks.length === 0 ? null : Math.max(...peaks)
  return { name, connections, ...summarizeSamples(samples), peak }
}

function createBaselineRunner(origin: string): Runner {
  return { target: { origin, headers: {} }, next: () => ({ method: 'GET', path: '/' }) }
}

async function sendOnce({ target, next }: Runner): Promise<void> {
  const pool = new Pool(target.origin)
  try {
    await sendRequest(pool, target, next())
  } finally {
    await pool.close()
  }
}
