import { itemAt } from '../generator/random.ts'
import { type DataSet, withDataSet } from './data-set.ts'
import {
  type Case,
  type Cost,
  computeQuotient,
  createRunner,
  createSamples,
  listCases,
  measureCost,
  measureThroughput,
  nameCase,
  type Runner,
  runClosedLoop,
  type Samples,
  summarizeSamples,
  type Timing,
} from './loop.ts'
import { readMemory, resetPeak } from './process.ts'
import type { Request } from './scenarios.ts'
import {
  BASELINE_NAMES,
  type BaselineName,
  type BenchServer,
  startBaseline,
  startInspectedServer,
  startServer,
} from './servers.ts'
import { startProgress } from './table.ts'

/** The figures of a case on a number of connections: a row of report.json, whose keys stay stable. */
export type Measured = Timing &
  CaseCost & {
    scenario: string
    who: Case['who']
    connections: number
    /** The baseline that alternated with the case, its p50, and the multiple of the case. */
    beside: { yardstick: BaselineName; p50: number; times: number }
    /** Requests per second under a separate load generator. */
    throughput: number
    /** The peak memory of the runtime process in MB. */
    peak: number | null
  }

/** The cost of one request, and the peak heap of the isolate under load in MB, garbage included. */
type CaseCost = Cost & { heap: number }

/** The figures of a baseline on a number of connections over the whole run; memory in MB. */
export type Floor = Timing & {
  name: BaselineName
  connections: number
  idle: number | null
  peak: number | null
}

export type Figures = {
  databaseMegabytes: number
  /** Milliseconds until the port is open, with an existing database, and of the first response. */
  start: { open: number; firstAnswer: number }
  /** MB after one request of each case: the heap of the isolate, and the process of the runtime. */
  idle: { heap: number; runtime: number | null }
  floors: Floor[]
  measured: Measured[]
}

const CONNECTIONS = [1, 8]

/** Scenarios with a goal are measured longer by this factor. */
const GOAL_DURATION_FACTOR = 3

/** A baseline, and its samples and peak by the number of connections. */
type Baseline = Runner & {
  name: BaselineName
  idle: number | null
  floors: Map<number, { samples: Samples; peak: number | null }>
}

/** Measures every case on one and on eight connections, in turns with its baseline. */
export async function measureAll(bugs: number, seconds: number, only?: string): Promise<Figures> {
  // times are measured on another server, because reported costs and an inspector take time themselves
  const { idleHeap, costs } = await withDataSet(bugs, (data) => measureCosts(data, seconds, only))
  return withDataSet(bugs, async (data) => {
    const started = performance.now()
    const service = await startServer(data.folder)
    const open = performance.now() - started
    const servers = [service]
    try {
      const firstAnswer = await timeFirstAnswer(service)
      const baselines: Baseline[] = []
      for (const name of BASELINE_NAMES) {
        const server = await startBaseline(name)
        servers.push(server)
        baselines.push(await prepareBaseline(name, server))
      }
      const cases = listCases(data, only)
      for (const one of cases) {
        await measureCost(createRunner(one, service, data))
      }
      const runtime = readMemory(service.pid)?.now ?? null
      await warmUp(service, data, cases, seconds)
      const measured: Measured[] = []
      for (const [n, one] of cases.entries()) {
        const bar = startProgress(nameCase(one))
        const baseline = findBaseline(baselines, one)
        for (const connections of CONNECTIONS) {
          const runner = createRunner(one, service, data)
          const row = await measureCase(one, runner, baseline, { connections, seconds })
          measured.push({ ...row, ...itemAt(costs, n) })
        }
        bar.end()
      }
      const databaseMegabytes = data.databaseBytes / 1_048_576
      const floors = baselines.flatMap(summarizeFloors)
      const idle = { heap: idleHeap, runtime }
      return { databaseMegabytes, start: { open, firstAnswer }, idle, floors, measured }
    } finally {
      await Promise.all(servers.map(({ stop }) => stop()))
    }
  })
}

/** The cost and the peak heap of every case in their order, and the heap in MB after one request of each. */
async function measureCosts(data: DataSet, seconds: number, only?: string) {
  const server = await startInspectedServer(data.folder)
  const bar = startProgress('costs and heap')
  try {
    const cases = listCases(data, only)
    const costs = await measureCaseCosts(cases, server, data)
    const idleHeap = await server.inspector.measureHeap()
    const heaps: number[] = []
    for (const one of cases) {
      const load = { connections: 8, seconds }
      const run = () => measureThroughput(createRunner(one, server, data), load)
      heaps.push(await server.inspector.measureHeap(run))
      bar.update(nameCase(one))
    }
    return { idleHeap, costs: costs.map((cost, n) => ({ ...cost, heap: heaps[n] ?? 0 })) }
  } finally {
    bar.end()
    await server.stop()
  }
}

/** The cost of one request of each case, after the server has cached the caller's identity. */
export async function measureCaseCosts(
  cases: readonly Case[],
  server: BenchServer,
  data: DataSet,
): Promise<Cost[]> {
  const headers = { authorization: `Bearer ${data.keys.developer}` }
  await measureCost({ ...server, next: () => ({ method: 'GET', path: '/rest/whoami', headers }) })
  const costs: Cost[] = []
  for (const one of cases) {
    costs.push(await measureCost(createRunner(one, server, data)))
  }
  return costs
}

async function timeFirstAnswer({ origin }: BenchServer): Promise<number> {
  const started = performance.now()
  await measureCost({ origin, next: () => ({ method: 'GET', path: '/rest/version' }) })
  return performance.now() - started
}

async function prepareBaseline(name: BaselineName, server: BenchServer): Promise<Baseline> {
  const runner: Runner = { ...server, next: () => ({ method: 'GET', path: '/' }) }
  await measureCost(runner)
  return { ...runner, name, idle: readMemory(server.pid)?.now ?? null, floors: new Map() }
}

function findBaseline(baselines: readonly Baseline[], { scenario }: Case): Baseline {
  const name = scenario.goal?.baseline ?? 'one row'
  const found = baselines.find((baseline) => baseline.name === name)
  if (found === undefined) {
    throw new Error(`The baseline ${name} does not run`)
  }
  return found
}

/** Sends all reads, so that the first case does not find a colder runtime than the last. */
async function warmUp(
  service: BenchServer,
  data: DataSet,
  cases: readonly Case[],
  seconds: number,
): Promise<void> {
  const reads = cases.filter(({ writes }) => !writes).map((one) => createRunner(one, service, data))
  let sent = 0
  const next = (): Request => {
    sent += 1
    return reads[sent % reads.length]?.next() ?? { method: 'GET', path: '/rest/version' }
  }
  await runClosedLoop([{ ...service, next }], { connections: 8, seconds })
}

async function measureCase(
  { scenario, who }: Case,
  runner: Runner,
  baseline: Baseline,
  run: { connections: number; seconds: number },
): Promise<Omit<Measured, keyof CaseCost>> {
  const { connections, seconds } = run
  resetPeak(runner.pid)
  resetPeak(baseline.pid)
  const longer = seconds * (scenario.goal === undefined ? 1 : GOAL_DURATION_FACTOR)
  const [own = createSamples(), floor = createSamples()] = await runClosedLoop([runner, baseline], {
    connections,
    seconds: longer,
  })
  addFloor(baseline, connections, floor)
  return {
    scenario: scenario.name,
    who,
    connections,
    ...summarizeSamples(own),
    beside: {
      yardstick: baseline.name,
      p50: summarizeSamples(floor).p50,
      times: computeQuotient(own.blocks, floor.blocks).median,
    },
    throughput: await measureThroughput(runner, run),
    peak: readMemory(runner.pid)?.peak ?? null,
  }
}

function addFloor({ floors, pid }: Baseline, connections: number, samples: Samples): void {
  const total = floors.get(connections) ?? { samples: createSamples(), peak: null }
  total.samples.histogram.add(samples.histogram)
  total.samples.seconds += samples.seconds
  const peak = findMaximum([total.peak, readMemory(pid)?.peak ?? null])
  floors.set(connections, { ...total, peak })
}

function summarizeFloors({ name, idle, floors }: Baseline): Floor[] {
  return [...floors].map(([connections, { samples, peak }]) => {
    return { name, connections, ...summarizeSamples(samples), idle, peak }
  })
}

/** Null when no figure is known. */
export function findMaximum(figures: readonly (number | null)[]): number | null {
  const known = figures.filter((figure) => figure !== null)
  return known.length === 0 ? null : Math.max(...known)
}
