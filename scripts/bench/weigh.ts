import { Pool } from 'undici'
import { type Case, casesOf, runnerOf } from './cases.ts'
import { ask, type Runner } from './closed-loop.ts'
import { type DataSet, dataSet, discard } from './data-set.ts'
import type { Inspector } from './inspector.ts'
import { progress } from './progress.ts'
import { serveWatched } from './serve.ts'
import { throughput } from './throughput.ts'

/** What one answer costs. */
export type Cost = { trips: number; read: number; written: number; bytes: number }

/** The costs of a case, and the most MB that the Worker's isolate held under its load. */
export type Weighed = Pick<Case, 'scenario' | 'who'> & { cost: Cost; heap: number }

const CONNECTIONS = 8

/**
 * Weighs every case, and the isolate when each was asked once, in MB with the garbage. Nothing is timed
 * here: a server that tells its costs while a debugger looks at it has more to do.
 */
export async function weighAll(
  bugs: number,
  seconds: number,
): Promise<{ idleHeap: number; weighed: Weighed[] }> {
  const data = await dataSet(bugs)
  const { origin, inspector, stop } = await serveWatched(data.folder, 'deployed')
  const bar = progress('costs and heap')
  try {
    const asked = await costsOf(origin, data, casesOf(data))
    const idleHeap = await inspector.heap()
    const weighed: Weighed[] = []
    for (const { cost, ...one } of asked) {
      const { scenario, who } = one
      const load = () =>
        throughput(runnerOf(one, origin, data), { connections: CONNECTIONS, seconds })
      weighed.push({ scenario, who, cost, heap: await highestHeap(inspector, load) })
      bar.tell(`${scenario.name}, ${who}`)
    }
    return { idleHeap, weighed }
  } finally {
    bar.end()
    await stop()
    discard(data)
  }
}

/** What each case costs, asked once at a server that tells and has met the caller. */
export async function costsOf(
  origin: string,
  data: DataSet,
  cases: readonly Case[],
): Promise<(Case & { cost: Cost })[]> {
  const authorization = `Bearer ${data.apiKey}`
  const whoami = { method: 'GET', path: '/rest/whoami' } as const
  await costOf({ target: { origin, headers: { authorization } }, next: () => whoami })
  const costs: (Case & { cost: Cost })[] = []
  for (const one of cases) {
    costs.push({ ...one, cost: await costOf(runnerOf(one, origin, data)) })
  }
  return costs
}

async function costOf({ target, next }: Runner): Promise<Cost> {
  const pool = new Pool(target.origin)
  try {
    const { bytes, headers } = await ask(pool, target, next())
    const told = String(headers['server-timing'] ?? '')
    const count = (what: string) => Number(told.match(`(\\d+) ${what}`)?.[1] ?? 0)
    return { bytes, trips: count('trips'), read: count('read'), written: count('written') }
  } finally {
    await pool.close()
  }
}

/** Runs something and looks at the isolate's heap ten times a second meanwhile. */
async function highestHeap(inspector: Inspector, run: () => Promise<unknown>): Promise<number> {
  let heap = await inspector.heap()
  const watch = setInterval(() => {
    inspector.heap().then(
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
