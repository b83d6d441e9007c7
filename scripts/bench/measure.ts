import { withDataSet, withServer } from './data-set.ts'
import { type Case, listCases, type Runner, runClosedLoop, summarizeSamples } from './loop.ts'
import { readMemory, resetPeak } from './process.ts'
import { askWell, type Cost, get, REPORTS_COSTS } from './request.ts'
import { BASELINE_NAMES, type BenchServer, startBaseline, startServer } from './servers.ts'
import { computeQuotient, sum } from './statistics.ts'
import { startProgress } from './table.ts'

export type Figures = Awaited<ReturnType<typeof measureAll>>

/** The figures of a case on a number of connections: a row of report.json, whose keys stay stable. */
export type Measured = Awaited<ReturnType<typeof measureTimes>> & Partial<CaseCost>

/** The cost of one request, and the peak heap of the isolate under load in MB, garbage included. */
type CaseCost = Pick<Cost, 'trips' | 'read' | 'written'> & { bytes: number; heap: number }

/** A case, or a baseline, which is no scenario. */
type Measurable = Runner & Pick<Case, 'name' | 'who'> & Partial<Case>

const CONNECTIONS = [1, 8]

/** Scenarios with a goal are measured longer by this factor. */
const GOAL_DURATION_FACTOR = 3

/** Measures the baselines and every case on one and on eight connections, each in turns with a baseline. */
export async function measureAll(bugs: number, seconds: number, only = '') {
  // times are measured on another server, because reported costs and an inspector take time themselves
  const { heap, costs } = await measureCosts(bugs, seconds, only)
  return withDataSet(bugs, async (data) => {
    const started = performance.now()
    const service = await startServer(data.folder)
    const open = performance.now() - started
    const servers: BenchServer[] = [service]
    try {
      const { ms: firstAnswer } = await askWell(service.origin, get('/rest/version'))
      const baselines: Measurable[] = []
      for (const name of BASELINE_NAMES) {
        const server = await startBaseline(name)
        servers.push(server)
        baselines.push({
          ...server,
          name: `baseline: ${name}`,
          who: 'anyone',
          next: () => get('/'),
        })
      }
      const cases = listCases(data, service, only)
      for (const { origin, next } of cases) {
        await askWell(origin, next())
      }
      const runtime = readMemory(service.pid).now
      await warmUp(service, cases, seconds)
      const all = [...baselines, ...listCases(data, service)]
      const measured: Measured[] = []
      for (const one of [...baselines, ...cases]) {
        const bar = startProgress(one.name)
        for (const connections of CONNECTIONS) {
          const times = await measureTimes(one, all, { connections, seconds })
          measured.push({ ...times, ...costs.get(one.name) })
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
function measureCosts(bugs: number, seconds: number, only: string) {
  const form = { vars: REPORTS_COSTS, isInspected: true }
  return withServer(bugs, form, async (server, data) => {
    const bar = startProgress('costs and heap')
    const inspector = await server.inspect()
    const costs = new Map<string, CaseCost>()
    const cases = listCases(data, server, only)
    for (const { name, origin, next } of cases) {
      const { cost, bytes } = await askWell(origin, next())
      const { trips, read, written } = cost
      costs.set(name, { trips, read, written, bytes: bytes.length, heap: Number.NaN })
    }
    const heap = await inspector.measureHeap()
    for (const one of cases) {
      const run = () => runClosedLoop([one], { connections: 8, seconds: seconds / 2 })
      Object.assign(costs.get(one.name) ?? {}, { heap: await inspector.measureHeap(run) })
      bar.update(one.name)
    }
    bar.end()
    return { heap, costs }
  })
}

/** Sends all reads, so that the first case does not find a colder runtime than the last. */
async function warmUp(server: BenchServer, cases: readonly Case[], seconds: number): Promise<void> {
  const reads = cases.filter(({ writes }) => !writes)
  let sent = 0
  const next = () => {
    sent += 1
    return reads[sent % reads.length]?.next() ?? get('/rest/version')
  }
  await runClosedLoop([{ ...server, next }], { connections: 8, seconds })
}

/** Measures in turns with a yardstick: a baseline, or other scenarios of the same caller, one after the other. */
async function measureTimes(
  one: Measurable,
  all: readonly Measurable[],
  { connections, seconds }: { connections: number; seconds: number },
) {
  const { yardstick = 'one row', goal } = one.scenario ?? {}
  const named = [yardstick].flat()
  const isWanted = ({ name, scenario, who }: Measurable) =>
    typeof yardstick === 'string'
      ? name === (one.scenario ? `baseline: ${yardstick}` : one.name)
      : named.includes(scenario?.name ?? '') && who === one.who
  const runners = [one, ...all.filter(isWanted)]
  resetPeak(one.pid)
  const longer = seconds * (goal === undefined ? 1 : GOAL_DURATION_FACTOR)
  const [own, ...others] = await runClosedLoop(runners, { connections, seconds: longer })
  if (own === undefined || others.length !== named.length) {
    throw new Error(`There is no ${named.join(' + ')}`)
  }
  const { peak } = readMemory(one.pid)
  const together = own.blocks.map((_, n) => sum(others.map(({ blocks }) => blocks[n] ?? 0)))
  const beside = {
    yardstick: one.scenario ? named.join(' + ') : one.name.replace('baseline: ', ''),
    p50: sum(others.map((samples) => summarizeSamples(samples).p50)),
    times: computeQuotient(own.blocks, together).median,
  }
  const scenario = one.scenario?.name ?? one.name
  return { scenario, who: one.who, connections, ...summarizeSamples(own), beside, peak }
}
