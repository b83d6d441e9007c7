import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type BundledFile, bundleWorker, toModules } from '../bundle.ts'
import { readV8Flags } from '../v8-flags.ts'
import { type Growth, measureGrowth } from './growth.ts'
import { type Figures, type Measured, measureAll } from './measure.ts'
import { SCENARIOS } from './scenarios.ts'
import { type Columns, formatTable, renderTable } from './table.ts'

type Report = Awaited<ReturnType<typeof describeRun>>

type Flags = { bugs: number; seconds: number; sizes: number[]; only: string; out: string }

const MAX_GROWTH_MEGABYTES = 100

/** Measures every scenario, prints the figures, and writes them as JSON and as a page. */
export async function reportFigures({ bugs, seconds, only, out }: Flags): Promise<void> {
  writeReport(await describeRun(bugs, await measureAll(bugs, seconds, only), []), out)
}

/** The same for what grows with the tracker. */
export async function reportGrowth({ bugs, sizes, only, out }: Flags): Promise<void> {
  writeReport(await describeRun(bugs, null, await measureGrowth(sizes, only)), out)
}

/** The figures of a run, with what they depend on: the machine and the bundle. */
async function describeRun(bugs: number, figures: Figures | null, growth: Growth[]) {
  const processors = cpus()
  const cpu = processors[0]?.model ?? 'unknown'
  const machine = { cpu, cores: processors.length, node: process.version, v8Flags: readV8Flags() }
  return { bugs, machine, bundle: await measureBundle(), figures, growth }
}

/** The size of all modules, and of what an isolate loads at its start. */
async function measureBundle() {
  const files = await bundleWorker('deployed')
  const concat = (some: readonly BundledFile[]) =>
    Buffer.concat(toModules(some).map(({ contents }) => contents))
  const all = concat(files)
  const atStart = concat(files.filter(({ isNeededAtStart }) => isNeededAtStart))
  return {
    kilobytes: all.length / 1024,
    gzipKilobytes: gzipSync(all).length / 1024,
    startGzipKilobytes: gzipSync(atStart).length / 1024,
  }
}

/** Prints the tables, and writes the figures and a page without scripts, with a bar behind each number. */
function writeReport(report: Report, out: string): void {
  const texts: string[] = []
  const pages: string[] = []
  const show = <Row>(rows: readonly Row[], columns: Columns<Row>) => {
    texts.push(formatTable(rows, columns))
    pages.push(renderTable(rows, columns))
  }
  const { bugs, figures, growth } = report
  show(listFacts(report), { what: ([what]) => what, figure: ([, figure]) => figure })
  if (figures !== null) {
    show(figures.measured, CASES)
  }
  const byScenario = [...Map.groupBy(growth, ({ scenario }) => scenario).values()]
  if (byScenario.length > 0) {
    show(byScenario, listGrowthColumns(growth))
  }
  const title = `Lacewing with ${bugs.toLocaleString('en')} bugs`
  const page = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${title}</title><style>
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem } table { margin-top: 2rem }
td { padding: 0 1em; background: linear-gradient(90deg, #bee3f8 var(--bar), #0000 var(--bar)) }
</style>
<h1>${title}</h1>
${pages.join('\n')}
</html>
`
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(out, 'report.html'), page)
  const written = `Written to ${out}/report.json and report.html`
  process.stdout.write(`\n${texts.join('\n\n')}\n\n${written}\n`)
}

function listFacts({ bugs, machine, bundle, figures }: Report): [what: string, figure: string][] {
  const round = (figure: number) => figure.toFixed(0)
  const facts: [string, string][] = [
    ['machine', `${machine.cores} × ${machine.cpu}, Node ${machine.node}`],
    ['V8', machine.v8Flags],
    ['KB of the bundle, gzip, at the start of an isolate', round(bundle.startGzipKilobytes)],
    ['with all parts', round(bundle.gzipKilobytes)],
    ['with all parts, not compressed', round(bundle.kilobytes)],
  ]
  if (figures === null) {
    return facts
  }
  const { databaseMegabytes, start, idle, measured } = figures
  const own = measured.filter(({ heap }) => heap !== undefined)
  const heap = Math.max(...own.map((row) => row.heap ?? 0))
  const peak = Math.max(...own.map((row) => row.peak))
  const growth = `${round(peak - idle.runtime)} more than idle, at most ${MAX_GROWTH_MEGABYTES}`
  const verdict = peak - idle.runtime > MAX_GROWTH_MEGABYTES ? 'MISSED' : 'met'
  return [
    ...facts,
    ['bugs', bugs.toLocaleString('en')],
    ['MB of the database', round(databaseMegabytes)],
    ['ms to an open port', round(start.open)],
    ['ms of the first answer', round(start.firstAnswer)],
    ['MB of the heap, garbage included, idle and at most', `${round(idle.heap)}, ${round(heap)}`],
    ['MB of the runtime, idle', round(idle.runtime)],
    ['at most', `${round(peak)} (${growth}: ${verdict})`],
  ]
}

const CASES: Columns<Measured> = {
  scenario: ({ scenario }) => scenario,
  who: ({ who }) => who,
  c: ({ connections }) => connections,
  'p50 ms': ({ p50 }) => p50,
  'p99 ms': ({ p99 }) => p99,
  'req/s': ({ perSecond }) => Math.round(perSecond),
  '×': ({ beside }) => beside.times,
  of: ({ beside }) => `${beside.yardstick}, ${beside.p50.toFixed(2)}`,
  goal: judgeGoal,
  trips: ({ trips = Number.NaN }) => trips,
  read: ({ read = Number.NaN }) => read,
  written: ({ written = Number.NaN }) => written,
  bytes: ({ bytes = Number.NaN }) => bytes,
  'heap MB': ({ heap = Number.NaN }) => Math.round(heap),
  'runtime MB': ({ peak }) => Math.round(peak),
}

/** A goal holds with one connection, for the first caller who may send the request. */
function judgeGoal({ scenario, who, connections, beside }: Measured): string {
  const { goal, written } = SCENARIOS.find(({ name }) => name === scenario) ?? {}
  const isFirst = who === 'anyone' || written !== undefined
  return goal === undefined || connections !== 1 || !isFirst
    ? ''
    : `${beside.times <= goal ? 'met' : 'MISSED'}: ${goal}`
}

function listGrowthColumns(growth: readonly Growth[]): Columns<Growth[]> {
  const sizes = [...new Set(growth.map(({ bugs }) => bugs))]
  const listSizes = (head: string, show: (row: Growth) => number): Columns<Growth[]> =>
    Object.fromEntries(
      sizes.map((bugs) => [
        `${head} at ${bugs.toLocaleString('en')}`,
        (own: Growth[]) => own.filter((row) => row.bugs === bugs).map(show)[0] ?? Number.NaN,
      ]),
    )
  return {
    scenario: ([first]) => first?.scenario ?? '',
    ...listSizes('rows', ({ read }) => read),
    ...listSizes('CPU ms', ({ cpu }) => cpu),
    '': judgeGrowth,
  }
}

function judgeGrowth(own: readonly Growth[]): string {
  const last = own.at(-1)
  const reason = SCENARIOS.find(({ name }) => name === last?.scenario)?.grows
  if (last?.refusal) {
    return `REFUSED: ${last.refusal.replace(/^.* 400 /, '').slice(0, 80)}`
  }
  return last?.grows ? ['GROWS', ...(reason ? [reason] : [])].join(': ') : ''
}
