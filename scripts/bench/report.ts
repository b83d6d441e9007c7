import { cpus } from 'node:os'
import { gzipSync } from 'node:zlib'
import { type BundledFile, bundleWorker, toModules } from '../bundle.ts'
import { readV8Flags } from '../v8-flags.ts'
import { type Growth, SIZES } from './growth.ts'
import { type Figures, type Floor, findMaximum, type Measured } from './measure.ts'
import { SCENARIOS } from './scenarios.ts'
import { type Columns, formatTable } from './table.ts'

export type Report = Awaited<ReturnType<typeof createReport>>

const MAX_GROWTH_MEGABYTES = 100

/** The figures of a run, with what they depend on: the machine and the bundle. */
export async function createReport(bugs: number, figures: Figures | null, growth: Growth[]) {
  const processors = cpus()
  return {
    bugs,
    machine: {
      cpu: processors[0]?.model ?? 'unknown',
      cores: processors.length,
      node: process.version,
      v8Flags: readV8Flags(),
    },
    bundle: await measureBundle(),
    ...(figures ?? { databaseMegabytes: 0, start: null, idle: null, floors: [], measured: [] }),
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
  const { floors, measured, growth } = report
  const tables = [
    formatTable(listFacts(report), { '': ([name]) => name, ' ': ([, fact]) => fact }),
    ...(measured.length > 0 ? [formatTable(floors, FLOORS), formatTable(measured, CASES)] : []),
    ...(growth.length > 0 ? [formatGrowth(growth)] : []),
  ]
  return tables.join('\n\n')
}

function listFacts({ bugs, machine, bundle, ...figures }: Report): [name: string, fact: string][] {
  const { start, idle, floors, measured } = figures
  const facts: [string, string][] = [
    ['machine', `${machine.cores} × ${machine.cpu}, Node ${machine.node}`],
    ['V8', machine.v8Flags],
    [
      'bundle',
      `${bundle.startGzipKilobytes.toFixed(0)} KB gzip at the start of an isolate, ` +
        `${bundle.gzipKilobytes.toFixed(0)} KB with all parts (${bundle.kilobytes.toFixed(0)} KB)`,
    ],
  ]
  if (start === null || idle === null) {
    return facts
  }
  const peak = findMaximum(measured.map((row) => row.peak))
  const growth = peak === null || idle.runtime === null ? 0 : peak - idle.runtime
  const verdict = growth > MAX_GROWTH_MEGABYTES ? `MISSED: ${MAX_GROWTH_MEGABYTES} MB more` : ''
  return [
    ...facts,
    ['data', `${bugs.toLocaleString('en')} bugs, ${figures.databaseMegabytes.toFixed(0)} MB`],
    ['start', `${start.open.toFixed(0)} ms to an open port`],
    ['first answer', `${start.firstAnswer.toFixed(0)} ms`],
    ['heap of the Worker', formatRange(idle.heap, findMaximum(measured.map(({ heap }) => heap)))],
    ['runtime', `${formatRange(idle.runtime, peak)} ${verdict}`],
    ...[...Map.groupBy(floors, ({ name }) => name)].map(([name, own]): [string, string] => [
      `runtime of the baseline "${name}"`,
      formatRange(own[0]?.idle ?? null, findMaximum(own.map((floor) => floor.peak))),
    ]),
  ]
}

function formatRange(idle: number | null, most: number | null): string {
  return idle === null || most === null
    ? 'unknown'
    : `${idle.toFixed(0)} MB idle, ${most.toFixed(0)} MB at most`
}

const FLOORS: Columns<Floor> = {
  baseline: ({ name }) => name,
  c: ({ connections }) => connections,
  'p50 ms': ({ p50 }) => p50,
  'p99 ms': ({ p99 }) => p99,
  'req/s': ({ perSecond }) => Math.round(perSecond),
}

const CASES: Columns<Measured> = {
  scenario: ({ scenario }) => scenario,
  who: ({ who }) => who,
  c: ({ connections }) => connections,
  'p50 ms': ({ p50 }) => p50,
  'p99 ms': ({ p99 }) => p99,
  'req/s': ({ throughput }) => Math.round(throughput),
  '×': ({ beside }) => beside.times,
  of: ({ beside }) => beside.yardstick,
  goal: judgeGoal,
  trips: ({ trips }) => trips,
  read: ({ read }) => read,
  written: ({ written }) => written,
  bytes: ({ bytes }) => bytes,
  'heap MB': ({ heap }) => Math.round(heap),
  'runtime MB': ({ peak }) => peak && Math.round(peak),
}

/** A goal holds with one connection, for the first caller who may send the request. */
function judgeGoal({ scenario, who, connections, beside }: Measured): string {
  const found = SCENARIOS.find(({ name }) => name === scenario)
  const isFirst = who === 'anyone' || found?.budget.written !== undefined
  if (found?.goal === undefined || connections !== 1 || !isFirst) {
    return ''
  }
  return `${beside.times <= found.goal.times ? 'met' : 'MISSED'}: ${found.goal.times}`
}

function formatGrowth(growth: readonly Growth[]): string {
  const rows = [...Map.groupBy(growth, ({ scenario }) => scenario)]
  const columnsOf = (head: string, figure: (row: Growth) => number | null) =>
    Object.fromEntries(
      SIZES.map((bugs, n) => [
        `${head} at ${bugs.toLocaleString('en')}`,
        ([, own]: (typeof rows)[number]) => (own[n] === undefined ? null : figure(own[n])),
      ]),
    )
  return formatTable(rows, {
    scenario: ([name]) => name,
    ...columnsOf('rows', ({ read }) => read),
    ...columnsOf('p50 ms', ({ p50 }) => p50),
    '': ([name, own]) => {
      const reason = SCENARIOS.find((scenario) => scenario.name === name)?.grows
      return own.at(-1)?.grows ? `GROWS${reason === undefined ? '' : `: ${reason}`}` : ''
    },
  })
}

const STYLE = `body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem }
pre { overflow-x: auto; background: #f5f5f5; padding: 1rem }
td:first-child { text-align: right } div { width: 40rem }
div { position: relative; height: 14px } u, i, b { position: absolute; height: 14px }
u { background: #bee3f8 } i { background: #2b6cb0 } b { border-left: 2px solid #c53030 }`

/** The report as a page without scripts: a bar per scenario, a baseline, and the tables. */
export function renderPage(report: Report): string {
  const title = `Lacewing with ${report.bugs.toLocaleString('en')} bugs`
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${title}</title><style>${STYLE}</style>
<h1>${title}</h1>
${[1, 8].map((connections) => renderTimes(report, connections)).join('\n')}
${renderGrowth(report)}
<h2>Tables</h2>
<pre>${escapeHtml(formatReport(report))}</pre>
</html>
`
}

function renderTimes({ measured }: Report, connections: number): string {
  const rows = measured.filter((row) => row.connections === connections)
  const longest = Math.max(...rows.map(({ p99 }) => p99))
  const bars = rows.map(({ scenario, who, p50, p99, beside }) => {
    return renderBar(`${scenario}, ${who}`, p50.toFixed(2), [p50, p99, beside.p50], longest)
  })
  return bars.length === 0
    ? ''
    : `<h2>Milliseconds with connections: ${connections}</h2>
<p>Dark: p50. Light: p99. Red: p50 of the baseline.</p><table>${bars.join('\n')}</table>`
}

function renderGrowth({ growth }: Report): string {
  const timed = Map.groupBy(
    growth.filter(({ p50 }) => p50 !== null),
    ({ scenario }) => scenario,
  )
  const bars = [...timed].map(([name, own]) => {
    const times = (own.at(-1)?.read ?? 0) / Math.max(1, own[0]?.read ?? 1)
    return renderBar(name, times.toFixed(2), [Math.min(times, 5), Math.min(times, 5), 1], 5)
  })
  return bars.length === 0
    ? ''
    : `<h2>Rows read at 100,000 bugs as a multiple of those at 1,000</h2><table>${bars.join('\n')}</table>`
}

function renderBar(
  name: string,
  label: string,
  [dark, light, line]: readonly [number, number, number],
  longest: number,
): string {
  const [d, l, x] = [dark, light, line].map((figure) => `${((figure / longest) * 80).toFixed(1)}%`)
  const bar = `<u style="width:${l}"></u><i style="width:${d}"></i><b style="left:${x}"></b>`
  return `<tr><td>${escapeHtml(name)}<td><div>${bar}</div><td>${label}`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
