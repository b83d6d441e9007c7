import { cpus } from 'node:os'
import { gzipSync } from 'node:zlib'
import { type BundledFile, bundleWorker, toModules } from '../bundle.ts'
import { readV8Flags } from '../v8-flags.ts'
import type { Growth } from './growth.ts'
import type { Figures, Measured } from './measure.ts'
import { SCENARIOS } from './scenarios.ts'
import { type Columns, formatTable, renderTable } from './table.ts'

type Report = Awaited<ReturnType<typeof createReport>>

const MAX_GROWTH_MEGABYTES = 100

/** The figures of a run, with what they depend on: the machine and the bundle. */
export async function createReport(bugs: number, figures: Figures | null, growth: Growth[]) {
  const processors = cpus()
  const cpu = processors[0]?.model ?? 'unknown'
  return {
    bugs,
    machine: { cpu, cores: processors.length, node: process.version, v8Flags: readV8Flags() },
    bundle: await measureBundle(),
    figures,
    growth,
  }
}

/** The size of all modules, and of what an isolate loads at its start. */
async function measureBundle() {
  const files = await bundleWorker('deployed')
  const join = (some: readonly BundledFile[]) =>
    Buffer.concat(toModules(some).map(({ contents }) => contents))
  const all = join(files)
  const atStart = join(files.filter(({ isNeededAtStart }) => isNeededAtStart))
  return {
    kilobytes: all.length / 1024,
    gzipKilobytes: gzipSync(all).length / 1024,
    startGzipKilobytes: gzipSync(atStart).length / 1024,
  }
}

/** The report as text for a terminal. */
export function formatReport(report: Report): string {
  return listTables(report)
    .map(([text]) => text)
    .join('\n\n')
}

/** The report as a page without scripts, with a bar behind each number. */
export function renderReport(report: Report): string {
  const title = `Lacewing with ${report.bugs.toLocaleString('en')} bugs`
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${title}</title><style>
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem } table { margin-top: 2rem }
td { padding: 0 1em; background: linear-gradient(90deg, #bee3f8 var(--bar), #0000 var(--bar)) }
</style>
<h1>${title}</h1>
${listTables(report)
  .map(([, html]) => html)
  .join('\n')}
</html>
`
}

/** Every table as text and as HTML. */
function listTables(report: Report): [text: string, html: string][] {
  const show = <Row>(rows: readonly Row[], columns: Columns<Row>): [string, string] => [
    formatTable(rows, columns),
    renderTable(rows, columns),
  ]
  const { figures, growth } = report
  const byScenario = [...Map.groupBy(growth, ({ scenario }) => scenario).values()]
  return [
    show(listFacts(report), { what: ([what]) => what, figure: ([, figure]) => figure }),
    ...(figures === null ? [] : [show(figures.measured, CASES)]),
    ...(byScenario.length === 0 ? [] : [show(byScenario, listGrowthColumns(growth))]),
  ]
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
  'req/s': ({ throughput }) => Math.round(throughput),
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
  const found = SCENARIOS.find(({ name }) => name === scenario)
  const isFirst = who === 'anyone' || found?.written !== undefined
  if (found?.goal === undefined || connections !== 1 || !isFirst) {
    return ''
  }
  return `${beside.times <= found.goal ? 'met' : 'MISSED'}: ${found.goal}`
}

function listGrowthColumns(growth: readonly Growth[]): Columns<Growth[]> {
  const sizes = [...new Set(growth.map(({ bugs }) => bugs))]
  const listSizes = (head: string, show: (row: Growth) => number): Columns<Growth[]> => {
    const columns = sizes.map((bugs) => [
      `${head} at ${bugs.toLocaleString('en')}`,
      (own: Growth[]) => own.filter((row) => row.bugs === bugs).map(show)[0] ?? Number.NaN,
    ])
    return Object.fromEntries(columns)
  }
  return {
    scenario: ([first]) => first?.scenario ?? '',
    ...listSizes('rows', ({ read }) => read),
    ...listSizes('CPU ms', ({ cpu }) => cpu),
    '': (own) => {
      const reason = SCENARIOS.find(({ name }) => name === own[0]?.scenario)?.grows
      const refusal = own
        .at(-1)
        ?.refusal?.replace(/^.* 400 /, '')
        .slice(0, 80)
      return refusal !== undefined
        ? `REFUSED: ${refusal}`
        : own.at(-1)?.grows
          ? `GROWS${reason === undefined ? '' : `: ${reason}`}`
          : ''
    },
  }
}
