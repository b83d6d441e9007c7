import { setTimeout as pause } from 'node:timers/promises'
import { timeOthers } from './bystander.ts'
import { type DataSet, openDatabase, withDataSet } from './data-set.ts'
import { FLOODS, type Flood, type FloodTarget } from './floods.ts'
import { quantile } from './loop.ts'
import { readCpuTime, readMemory, resetPeak, waitUntilIdle } from './process.ts'
import { type BenchServer, startServer } from './servers.ts'
import { type Columns, countEach, formatTable } from './table.ts'

/** The same requests that are sent at once. */
const AT_ONCE = 64
/** An older state may need minutes for them. */
const MAX_SECONDS = 40

/**
 * What no request may exceed: milliseconds, and MB that remain. The runtime keeps some 200 of what 64 histories of 30,000
 * changes took, and no more of them after a second and a third flood.
 */
const MOST = { cpu: 1000, statement: 300, p99: 500, megabytes: 250 }

/** What a flood cost. Times are in milliseconds; NaN where this state does not report it. */
export type FloodFigures = {
  readonly name: string
  /** Of one request alone, with its longest statement. */
  readonly answer: string
  readonly cpu: number
  readonly statement: number
  /** What others waited beside all of them. */
  readonly p99: number
  readonly answers: string
  /** MB of the process before, at its peak and when it is idle again. */
  readonly memory: { readonly before: number; readonly peak: number; readonly after: number }
}

const UNKNOWN = {
  ...{ answer: '', cpu: Number.NaN, statement: Number.NaN, p99: Number.POSITIVE_INFINITY },
  memory: { before: Number.NaN, peak: Number.NaN, after: Number.NaN },
}

/** Sends every flood to a server of its own. One that ends, or that answers nothing, is the worst that can happen. */
export function measureFloods(bugs: number, only = ''): Promise<FloodFigures[]> {
  return withDataSet(bugs, async (data) => {
    const target = findTarget(data)
    const all: FloodFigures[] = []
    for (const flood of FLOODS.filter(({ name }) => name.includes(only))) {
      process.stderr.write(`${flood.name}\n`)
      prepare(flood, target, data)
      const server = await startServer(data.folder, { vars: { SERVER_TIMING: 'on' } })
      try {
        all.push(await measureFlood(flood, target, server))
      } catch (error) {
        all.push({ ...UNKNOWN, name: flood.name, answers: `the server ended: ${error}` })
      } finally {
        await server.stop()
      }
    }
    return all
  })
}

function prepare(flood: Flood, target: FloodTarget, { folder }: DataSet): void {
  const database = openDatabase(folder)
  database.exec('BEGIN')
  flood.prepare?.(database, target)
  database.exec('COMMIT')
  database.close()
}

export function findTarget({ folder, keys, landmarks }: DataSet): FloodTarget {
  const database = openDatabase(folder)
  const bugs = database
    .prepare(
      `SELECT b.id FROM bugs b JOIN products p ON p.id = b.product_id
        WHERE p.name = ? AND b.group_count = 0 ORDER BY b.id LIMIT 500`,
    )
    .all(landmarks.product)
  database.close()
  return {
    longBug: landmarks.longBug,
    bugs: bugs.map(({ id }) => Number(id)),
    headers: { 'x-tracker-api-key': keys.developer },
  }
}

async function measureFlood(
  flood: Flood,
  target: FloodTarget,
  { origin, pid }: BenchServer,
): Promise<FloodFigures> {
  const watched = `${origin}/rest/bug/${target.bugs.at(-1)}`
  await timeOthers(watched, {}, () => pause(500))
  await waitUntilIdle(pid)
  const before = readMemory(pid).now
  resetPeak(pid)
  const spent = readCpuTime(pid)
  const one = await send(origin, flood.request(target, 0))
  const cpu = readCpuTime(pid) - spent
  await waitUntilIdle(pid)
  const statuses: string[] = []
  const others = await timeOthers(watched, {}, async () => {
    const signal = AbortSignal.timeout(MAX_SECONDS * 1000)
    const ask = async (_: unknown, n: number) => {
      const { status } = await send(origin, flood.request(target, n + 1), signal)
      statuses.push(status)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, ask))
  })
  const { peak } = readMemory(pid)
  await waitUntilIdle(pid)
  return {
    ...{ name: flood.name, cpu, answer: one.status, statement: one.longest },
    p99: quantile(others, 0.99),
    answers: countEach(statuses),
    memory: { before, peak, after: readMemory(pid).now },
  }
}

async function send(
  origin: string,
  {
    path,
    body,
    headers,
    method = body === undefined ? 'GET' : 'POST',
  }: ReturnType<Flood['request']>,
  signal = AbortSignal.timeout(10 * MAX_SECONDS * 1000),
): Promise<{ status: string; longest: number }> {
  try {
    const response = await fetch(`${origin}${path}`, {
      ...{ method, signal, body: body === undefined ? null : JSON.stringify(body) },
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    })
    const text = await response.text()
    const timing = response.headers.get('server-timing') ?? ''
    const [, longest] = /statement;dur=([\d.]+)/.exec(timing) ?? []
    // the protocols of calls answer 200 whatever happens
    const [, code] = /"code":\s*(-?\d+)/.exec(text.slice(0, 2000)) ?? []
    const status = code === undefined ? `${response.status}` : `fault ${code}`
    return { status, longest: Number(longest) }
  } catch {
    return { status: signal.aborted ? 'none' : 'broken', longest: Number.NaN }
  }
}

export function listFloodFailures(figures: FloodFigures): string[] {
  const { name, cpu, statement, p99, memory } = figures
  return [
    ...(cpu > MOST.cpu ? [`${name}: a request takes too much CPU`] : []),
    ...(statement > MOST.statement ? [`${name}: a statement takes too long`] : []),
    ...(p99 > MOST.p99 ? [`${name}: others wait too long`] : []),
    ...(memory.after - memory.before > MOST.megabytes ? [`${name}: memory remains`] : []),
  ]
}

const COLUMNS: Columns<FloodFigures> = {
  'one request, and 64 at once': ({ name }) => name,
  'CPU ms of one': ({ cpu }) => Math.round(cpu),
  'longest statement': ({ statement }) => Math.round(statement),
  answer: ({ answer }) => answer,
  'p99 of others': ({ p99 }) => Math.round(p99),
  'MB before': ({ memory }) => Math.round(memory.before),
  peak: ({ memory }) => Math.round(memory.peak),
  after: ({ memory }) => Math.round(memory.after),
  answers: ({ answers }) => answers,
}

export function formatFloods(figures: readonly FloodFigures[]): string {
  return formatTable(figures, COLUMNS)
}

/** Two measurements of the same floods, as rows of Markdown. */
export function compareFloods(
  before: readonly FloodFigures[],
  now: readonly FloodFigures[],
): string {
  const show = (ms: number) => (Number.isFinite(ms) ? (ms / 1000).toFixed(2) : 'ends')
  const rows = now.map((figures) => {
    const { cpu, p99 } = before.find(({ name }) => name === figures.name) ?? UNKNOWN
    const cells = [cpu, figures.cpu, p99, figures.p99].map(show)
    return `| ${[figures.name, ...cells].join(' | ')} |`
  })
  return [
    '| Request | CPU before | now | p99 of others before | now |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}
