import { Pool } from 'undici'
import { type Case, casesOf, runnerOf } from './cases.ts'
import {
  ask,
  closedLoop,
  multipleOf,
  noSamples,
  pour,
  type Runner,
  type Samples,
  type Timing,
  timingOf,
} from './closed-loop.ts'
import type { DataSet } from './data-set.ts'
import { forgetPeak, memoryOf } from './memory.ts'
import { progress } from './progress.ts'
import type { YardstickName } from './scenarios.ts'
import type { Served } from './serve.ts'
import { throughput } from './throughput.ts'
import type { Cost, Weighed } from './weigh.ts'

/** A case with so many connections, in turns with a yardstick. */
export type Measured = Timing &
  Cost & {
    scenario: string
    who: Case['who']
    connections: number
    /** The yardstick that took turns with it, its p50 meanwhile, and how many times that. */
    beside: { yardstick: YardstickName; p50: number; times: number }
    /** Requests per second under a load generator that does nothing else. */
    throughput: number
    /** The most MB that the Worker's isolate held, garbage included. */
    heap: number
    /** The most MB that the process of the runtime occupied meanwhile. */
    peak: number | null
  }

/** All that was seen of a yardstick with so many connections; MB of its process. */
export type Floor = Timing & {
  name: YardstickName
  connections: number
  idle: number | null
  peak: number | null
}

export type Servers = { service: Served; yardsticks: ReadonlyMap<YardstickName, Served> }

/** What was seen of a yardstick beside one case. */
type Piece = { name: YardstickName; connections: number; samples: Samples; peak: number | null }

const CONNECTIONS = [1, 8]

/** What has a goal is measured so many times as long as other things. */
const LENGTH_FOR_GOALS = 3

/** Times every case in turns with its yardstick; `idle` is the service's MB when each was asked once. */
export async function measureAll(
  servers: Servers,
  data: DataSet,
  weighed: readonly Weighed[],
  seconds: number,
): Promise<{ idle: number | null; measured: Measured[]; floors: Floor[] }> {
  const { service, yardsticks } = servers
  const cases = casesOf(data)
  for (const one of cases) {
    await once(runnerOf(one, service.origin, data))
  }
  const idle = memoryOf(service.pid)?.now ?? null
  for (const { origin } of yardsticks.values()) {
    await once(atYardstick(origin))
  }
  const idleFloors = new Map([...yardsticks].map(([name, { pid }]) => [name, memoryOf(pid)?.now]))
  await warmUp(service.origin, data, cases, seconds)
  const measured: Measured[] = []
  const pieces: Piece[] = []
  for (const one of cases) {
    const bar = progress(`${one.scenario.name}, ${one.who}`)
    for (const connections of CONNECTIONS) {
      const { row, piece } = await measure(servers, data, one, { connections, seconds })
      const { cost, heap } = weightOf(one, weighed)
      measured.push({ ...row, ...cost, heap })
      pieces.push(piece)
    }
    bar.end()
  }
  const floors = [...yardsticks.keys()].flatMap((name) =>
    CONNECTIONS.map((connections) => pooled(name, connections, pieces)),
  )
  return {
    idle,
    measured,
    floors: floors.map((floor) => ({ ...floor, idle: idleFloors.get(floor.name) ?? null })),
  }
}

/** All reads in turn, so that what is measured first finds no colder runtime than what comes last. */
async function warmUp(
  origin: string,
  data: DataSet,
  cases: readonly Case[],
  seconds: number,
): Promise<void> {
  const reads = cases.filter(({ writes }) => !writes).map((one) => runnerOf(one, origin, data))
  let sent = 0
  const next = () => {
    sent += 1
    return reads[sent % reads.length]?.next() ?? { method: 'GET', path: '/rest/version' }
  }
  await closedLoop([{ target: { origin, headers: {} }, next }], { connections: 8, seconds })
}

async function measure(
  { service, yardsticks }: Servers,
  data: DataSet,
  one: Case,
  run: { connections: number; seconds: number },
): Promise<{ row: Omit<Measured, keyof Cost | 'heap'>; piece: Piece }> {
  const { scenario, who } = one
  const name = scenario.goal?.yardstick ?? 'one row'
  const yardstick = yardsticks.get(name)
  if (yardstick === undefined) {
    throw new Error(`The yardstick ${name} does not run`)
  }
  forgetPeak(service.pid)
  forgetPeak(yardstick.pid)
  const runner = runnerOf(one, service.origin, data)
  const length = scenario.goal === undefined ? 1 : LENGTH_FOR_GOALS
  const [own = noSamples(), floor = noSamples()] = await closedLoop(
    [runner, atYardstick(yardstick.origin)],
    { ...run, seconds: run.seconds * length },
  )
  const perSecond = await throughput(runner, run)
  return {
    row: {
      scenario: scenario.name,
      who,
      connections: run.connections,
      ...timingOf(own),
      beside: { yardstick: name, p50: timingOf(floor).p50, times: multipleOf(own, floor) },
      throughput: perSecond,
      peak: memoryOf(service.pid)?.peak ?? null,
    },
    piece: {
      name,
      connections: run.connections,
      samples: floor,
      peak: memoryOf(yardstick.pid)?.peak ?? null,
    },
  }
}

function weightOf({ scenario, who }: Case, weighed: readonly Weighed[]): Omit<Weighed, keyof Case> {
  const weight = weighed.find((one) => one.scenario === scenario && one.who === who)
  if (weight === undefined) {
    throw new Error(`${scenario.name}, ${who}, was not weighed`)
  }
  return weight
}

function pooled(
  name: YardstickName,
  connections: number,
  pieces: readonly Piece[],
): Omit<Floor, 'idle'> {
  const own = pieces.filter((piece) => piece.name === name && piece.connections === connections)
  const samples = noSamples()
  for (const piece of own) {
    pour(piece.samples, samples)
  }
  const peaks = own.flatMap(({ peak }) => peak ?? [])
  const peak = peaks.length === 0 ? null : Math.max(...peaks)
  return { name, connections, ...timingOf(samples), peak }
}

function atYardstick(origin: string): Runner {
  return { target: { origin, headers: {} }, next: () => ({ method: 'GET', path: '/' }) }
}

async function once({ target, next }: Runner): Promise<void> {
  const pool = new Pool(target.origin)
  try {
    await ask(pool, target, next())
  } finally {
    await pool.close()
  }
}
