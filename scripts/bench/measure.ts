import { itemAt } from '../generator/random.ts'
import { type DataSet, withDataSet, withServer } from './data-set.ts'
import {
  type Case,
  type Cost,
  computeQuotient,
  type Load,
  listCases,
  measureCost,
  measureThroughput,
  type Runner,
  runClosedLoop,
  summarizeSamples,
} from './loop.ts'
import { readMemory, resetPeak } from './process.ts'
import type { Request } from './request.ts'
import {
  BASELINE_NAMES,
  type BaselineName,
  type BenchServer,
  type InspectedServer,
  startBaseline,
  startInspectedServer,
  startServer,
} from './servers.ts'
import { startProgress } from './table.ts'

export type Figures = Awaited<ReturnType<typeof measureAll>>

/** The figures of a case on a number of connections: a row of report.json, whose keys stay stable. */
export type Measured = Awaited<ReturnType<typeof measureTimes>> & Partial<CaseCost>

/** The cost of one request, and the peak heap of the isolate under load in MB, garbage included. */
type CaseCost = Cost & { heap: number }

type Baseline = Runner & { name: BaselineName }
type Yardstick = { name: string; runners: readonly Runner[] }

const CONNECTIONS = [1, 8]

/** Scenarios with a goal are measured longer by this factor. */
const GOAL_DURATION_FACTOR = 3

/** Measures the baselines and every case on one and on eight connections, each in turns with a baseline. */
export async function measureAll(bugs: number, seconds: number, only?: string) {
  // times are measured on another server, because reported costs and an inspector take time themselves
  const { heap, costs } = await withServer(bugs, startInspectedServer, (server, data) =>
    measureCosts(server, data, seconds, only),
  )
  return withDataSet(bugs, async (data) => {
    const started = performance.now()
    const service = await startServer(data.folder)
    const open = performance.now() - started
    const servers: BenchServer[] = [service]
    try {
      const firstAnswer = await timeFirstAnswer(service)
      const baselines: Baseline[] = []
      for (const name of BASELINE_NAMES) {
        const server = await startBaseline(name)
        servers.push(server)
        baselines.push({ ...server, name, next: () => ({ method: 'GET', path: '/' }) })
      }
      const cases = listCases(data, service, only)
      const all = listCases(data, service)
      for (const one of cases) {
        await measureCost(one)
      }
      const runtime = readMemory(service.pid).now
      await warmUp(service, cases, seconds)
      const measured: Measured[] = []
      for (const runner of [...baselines, ...cases]) {
        const bar = startProgress(runner.name)
        for (const connections of CONNECTIONS) {
          const load = { connections, seconds }
          const times = await measureTimes(runner, findYardstick(runner, baselines, all), load)
          measured.push({ ...times, ...costs.get(runner.name) })
        }
        bar.end()
      }
      const databaseMegabytes = data.databaseBytes / 1_048_576
      return { databaseMegabytes, start: { open, firstAnswer }, idle: { heap, runtime }, measured }
    } finally {
      await Promise.all(servers.map(({ stop }) => stop()))
    }
  })
}

/** The cost and the peak heap of every case, and the heap in MB after one request of each. */
async function measureCosts(
  server: InspectedServer,
  data: DataSet,
  seconds: number,
  only?: string,
) {
  const bar = startProgress('costs and heap')
  try {
    const cases = listCases(data, server, only)
    await identify(server, data)
    const single: Cost[] = []
    for (const one of cases) {
      single.push(await measureCost(one))
    }
    const heap = await server.inspector.measureHeap()
    const costs = new Map<string, CaseCost>()
    for (const [n, one] of cases.entries()) {
      const run = () => measureThroughput(one, { connections: 8, seconds })
      const peak = await server.inspector.measureHeap(run)
      costs.set(one.name, { ...itemAt(single, n), heap: peak })
      bar.update(one.name)
    }
    return { heap, costs }
  } finally {
    bar.end()
  }
}

/** Makes the server cache the caller's identity, which costs the first request of a key more. */
export async function identify({ origin }: BenchServer, { keys }: DataSet): Promise<void> {
  const headers = { authorization: `Bearer ${keys.developer}` }
  await measureCost({ origin, next: () => ({ method: 'GET', path: '/rest/whoami', headers }) })
}

async function timeFirstAnswer({ origin }: BenchServer): Promise<number> {
  const started = performance.now()
  await measureCost({ origin, next: () => ({ method: 'GET', path: '/rest/version' }) })
  return performance.now() - started
}

/** What the p50 of a case is compared to: a baseline, or other scenarios of the same caller, one after the other. */
function findYardstick(
  runner: Baseline | Case,
  baselines: readonly Baseline[],
  cases: readonly Case[],
): Yardstick {
  const wanted = 'scenario' in runner ? (runner.scenario.yardstick ?? 'one row') : runner.name
  const runners =
    typeof wanted === 'string'
      ? baselines.filter(({ name }) => name === wanted)
      : cases.filter(
          ({ scenario, who }) =>
            wanted.includes(scenario.name) && 'who' in runner && who === runner.who,
        )
  const name = typeof wanted === 'string' ? wanted : wanted.join(' + ')
  if (runners.length !== (typeof wanted === 'string' ? 1 : wanted.length)) {
    throw new Error(`There is no ${name}`)
  }
  return { name, runners }
}

/** Sends all reads, so that the first case does not find a colder runtime than the last. */
async function warmUp(server: BenchServer, cases: readonly Case[], seconds: number): Promise<void> {
  const reads = cases.filter(({ writes }) => !writes)
  let sent = 0
  const next = (): Request => {
    sent += 1
    return reads[sent % reads.length]?.next() ?? { method: 'GET', path: '/rest/version' }
  }
  await runClosedLoop([{ ...server, next }], { connections: 8, seconds })
}

async function measureTimes(runner: Baseline | Case, yardstick: Yardstick, load: Load) {
  const [scenario, who, goal] =
    'scenario' in runner
      ? [runner.scenario.name, runner.who, runner.scenario.goal]
      : [`baseline: ${runner.name}`, 'anyone' as const, undefined]
  resetPeak(runner.pid)
  const seconds = load.seconds * (goal === undefined ? 1 : GOAL_DURATION_FACTOR)
  const runners = [runner, ...yardstick.runners]
  const [own, ...others] = await runClosedLoop(runners, { ...load, seconds })
  if (own === undefined) {
    throw new Error('A loop returns the samples of each runner')
  }
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0)
  const together = own.blocks.map((_, n) => sum(others.map(({ blocks }) => blocks[n] ?? 0)))
  const beside = {
    yardstick: yardstick.name,
    p50: sum(others.map((samples) => summarizeSamples(samples).p50)),
    times: computeQuotient(own.blocks, together).median,
  }
  const throughput = await measureThroughput(runner, load)
  const { peak } = readMemory(runner.pid)
  const { connections } = load
  return { scenario, who, connections, ...summarizeSamples(own), beside, throughput, peak }
}
