import { Pool } from 'undici'
import { ask, closedLoop, type Target, type Timing } from './closed-loop.ts'
import type { Inspector } from './inspector.ts'
import type { Landmarks } from './landmarks.ts'
import { progress } from './progress.ts'
import { type Request, SCENARIOS, type Scenario } from './scenarios.ts'
import type { Served } from './serve.ts'
import { throughput } from './throughput.ts'

/** What one answer costs. */
export type Cost = { trips: number; read: number; written: number; bytes: number }

/** One scenario, by one caller, with so many connections. */
export type Measured = Timing &
  Cost & {
    scenario: string
    who: 'anyone' | 'with a key'
    connections: number
    /** The most MB that the Worker's isolate held meanwhile, garbage included. */
    heap: number
    /** Requests per second under a load generator that does nothing else. */
    throughput: number
  }

export const CONNECTIONS = [1, 8]

/** Measures every scenario that a caller may do: those who have no key cannot write. */
export async function measureAll(
  { origin, inspector }: Served,
  at: Landmarks,
  apiKey: string,
  seconds: number,
): Promise<Measured[]> {
  await warmUp(origin, at, seconds)
  const measured: Measured[] = []
  for (const scenario of SCENARIOS) {
    const writes = scenario.request(at, 0).method !== 'GET'
    for (const who of writes ? (['with a key'] as const) : (['anyone', 'with a key'] as const)) {
      const headers: Target['headers'] =
        who === 'anyone' ? {} : { authorization: `Bearer ${apiKey}` }
      const bar = progress(`${scenario.name}, ${who}`)
      const { heap, result } = await watched(inspector, () =>
        measure({ origin, headers }, scenario, at, who, seconds),
      )
      measured.push(...result.map((row) => ({ ...row, heap })))
      bar.end()
    }
  }
  return measured
}

/** All reads in turn, so that what is measured first finds no colder runtime than what comes last. */
async function warmUp(origin: string, at: Landmarks, seconds: number): Promise<void> {
  const reads = SCENARIOS.map(({ request }) => request(at, 0)).filter(
    ({ method }) => method === 'GET',
  )
  let sent = 0
  const next = () => {
    sent += 1
    return reads[sent % reads.length] ?? { method: 'GET', path: '/rest/version' }
  }
  await closedLoop({ origin, headers: {} }, next, { connections: 8, seconds: 2 * seconds })
}

/** Runs something and looks at the isolate's heap ten times a second meanwhile. */
async function watched<Result>(inspector: Inspector, run: () => Promise<Result>) {
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
    const result = await run()
    return { result, heap }
  } finally {
    clearInterval(watch)
  }
}

/** The cost of one request, in trips and rows as the server tells them. */
export async function costOf(target: Target, request: Request): Promise<Cost> {
  const pool = new Pool(target.origin)
  try {
    const { bytes, headers } = await ask(pool, target, request)
    const told = String(headers['server-timing'] ?? '')
    const count = (what: string) => Number(told.match(`(\\d+) ${what}`)?.[1] ?? 0)
    return { bytes, trips: count('trips'), read: count('read'), written: count('written') }
  } finally {
    await pool.close()
  }
}

async function measure(
  target: Target,
  scenario: Scenario,
  at: Landmarks,
  who: Measured['who'],
  seconds: number,
): Promise<Omit<Measured, 'heap'>[]> {
  let sent = 0
  const next = () => {
    sent += 1
    return scenario.request(at, sent)
  }
  const measured: Omit<Measured, 'heap'>[] = []
  for (const connections of CONNECTIONS) {
    const timing = await closedLoop(target, next, { connections, seconds })
    const cost = await costOf(target, next())
    const perSecond = await throughput(target, next, { connections, seconds })
    measured.push({
      scenario: scenario.name,
      who,
      connections,
      ...timing,
      ...cost,
      throughput: perSecond,
    })
  }
  return measured
}
