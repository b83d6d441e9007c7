import { Pool } from 'undici'
import { type Case, createRunner, listCases } from './cases.ts'
import { type Runner, sendRequest } from './closed-loop.ts'
import { type DataSet, deleteDataSet, prepareDataSet } from './data-set.ts'
import type { Inspector } from './process/inspector.ts'
import { startProgress } from './report/progress.ts'
import { startInspectedServer } from './server.ts'
import { measureThroughput } from './throughput.ts'

/** The cost of one response. */
export type Cost = { trips: number; read: number; written: number; bytes: number }

/** The cost of a case, and the peak heap of the isolate under its load in MB. */
export type CaseCost = Pick<Case, 'scenario' | 'who'> & { cost: Cost; heap: number }

const CONNECTIONS = 8

/**
 * Measures the cost and the peak heap of every case, and the heap in MB after one request of each. Times
 * are measured on another server, because reported costs and an inspector take time themselves.
 */
export async function measureCosts(
  bugs: number,
  seconds: number,
  only?: string,
): Promise<{ idleHeap: number; caseCosts: CaseCost[] }> {
  const data = await prepareDataSet(bugs)
  const { origin, inspector, stop } = await startInspectedServer(data.folder, 'deployed')
  const bar = startProgress('costs and heap')
  try {
    const costs = await measureCaseCosts(origin, data, listCases(data, only))
    const idleHeap = await inspector.measureHeap()
    const caseCosts: CaseCost[] = []
    for (const { cost, ...one } of costs) {
      const { scenario, who } = one
      const load = () =>
        measureThroughput(createRunner(one, origin, data), { connections: CONNECTIONS, seconds })
      caseCosts.push({ scenario, who, cost, heap: await measurePeakHeap(inspector, load) })
      bar.update(`${scenario.name}, ${who}`)
    }
    return { idleHeap, caseCosts }
  } finally {
    bar.end()
    await stop()
    deleteDataSet(data)
  }
}

/** Measures the cost of each case with one request, after the server has cached the caller's identity. */
export async function measureCaseCosts(
  origin: string,
  data: DataSet,
  cases: readonly Case[],
): Promise<(Case & { cost: Cost })[]> {
  const authorization = `Bearer ${data.apiKey}`
  const whoami = { method: 'GET', path: '/rest/whoami' } as const
  await measureCost({ target: { origin, headers: { authorization } }, next: () => whoami })
  const costs: (Case & { cost: Cost })[] = []
  for (const one of cases) {
    costs.push({ ...one, cost: await measureCost(createRunner(one, origin, data)) })
  }
  return costs
}

async function measureCost({ target, next }: Runner): Promise<Cost> {
  const pool = new Pool(target.origin)
  try {
    const { bytes, headers } = await sendRequest(pool, target, next())
    const timing = String(headers['server-timing'] ?? '')
    const count = (what: string) => Number(timing.match(`(\\d+) ${what}`)?.[1] ?? 0)
    return { bytes, trips: count('trips'), read: count('read'), written: count('written') }
  } finally {
    await pool.close()
  }
}

/** The highest heap of the isolate during `run`, measured ten times a second. */
async function measurePeakHeap(inspector: Inspector, run: () => Promise<unknown>): Promise<number> {
  let heap = await inspector.measureHeap()
  const watch = setInterval(() => {
    inspector.measureHeap().then(
      (now) => {
        heap = Math.max(heap, now)
      },
      () => clearInterval(watch),
    )
  }, 100)
  try {
    await run()
    return heap
  } finally {
    clearInterval(watch)
  }
}
