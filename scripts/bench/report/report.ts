import { cpus } from 'node:os'
import { readV8Flags } from '../../v8-flags.ts'
import type { Growth } from '../growth.ts'
import type { Floor, Measured } from '../measure.ts'
import { SCENARIOS } from '../scenarios.ts'
import { formatTable } from './table.ts'

export type Report = {
  bugs: number
  databaseMegabytes: number
  machine: { cpu: string; cores: number; node: string; v8Flags: string }
  /** All modules; of them, what an isolate loads at its start. */
  bundle: { gzipKilobytes: number; kilobytes: number; startGzipKilobytes: number }
  /** Milliseconds until the port is open, with an existing database, and of the first response. */
  start: { open: number; firstAnswer: number } | null
  /** MB after one request of each case: the heap of the isolate, and the process of the runtime. */
  idle: { heap: number; runtime: number | null } | null
  floors: Floor[]
  measured: Measured[]
  growth: Growth[]
}

export type Verdict = { goal: string; figure: number; limit: number; isMet: boolean }

const MAX_GROWTH_MEGABYTES = 100

export function describeMachine(): Report['machine'] {
  const processors = cpus()
  return {
    cpu: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    node: process.version,
    v8Flags: readV8Flags(),
  }
}

/**
 * Compares the figures with the goals: each scenario on one connection, for the first caller who may send
 * it, as a multiple of its baseline; and the growth of the runtime in MB.
 */
export function judgeGoals({ measured, idle }: Report): Verdict[] {
  const times = SCENARIOS.flatMap(({ name, goal }) => {
    const own = measured.find((row) => row.scenario === name && row.connections === 1)
    return goal === undefined || own === undefined
      ? []
      : [{ goal: `${name}, × ${goal.baseline}`, figure: own.beside.times, limit: goal.times }]
  })
  const peak = findMaximum(measured.map((row) => row.peak))
  const growth =
    peak === null || typeof idle?.runtime !== 'number'
      ? []
      : [
          {
            goal: 'growth of the runtime, MB',
            figure: peak - idle.runtime,
            limit: MAX_GROWTH_MEGABYTES,
          },
        ]
  return [...times, ...growth].map((one) => ({ ...one, isMet: one.figure <= one.limit }))
}

/** The report as text for a terminal. */
export function formatReport(report: Report): string {
  const { bundle, start, idle, floors, measured } = report
  const { cores, cpu, node, v8Flags: flags } = report.machine
  const lines = [
    `${cores} × ${cpu}, Node ${node}, V8 with ${flags}`,
    `bundle ${bundle.startGzipKilobytes.toFixed(0)} KB gzip at the start of an isolate, ` +
      `${bundle.gzipKilobytes.toFixed(0)} KB with all parts (${bundle.kilobytes.toFixed(0)} KB)`,
  ]
  if (start !== null) {
    lines.push(
      `${report.bugs.toLocaleString('en')} bugs, ${formatMegabytes(report.databaseMegabytes)}`,
      `start ${start.open.toFixed(0)} ms to an open port, first answer ${start.firstAnswer.toFixed(0)} ms`,
    )
  }
  if (idle !== null) {
    const heap = findMaximum(measured.map((row) => row.heap))
    lines.push(
      `heap of the Worker ${formatRange(idle.heap, heap)}, garbage included`,
      `runtime ${formatRange(idle.runtime, findMaximum(measured.map(({ peak }) => peak)))}`,
      ...floors
        .filter(({ connections }) => connections === 1)
        .map(({ name, idle: own }) => {
          const peaks = floors.filter((floor) => floor.name === name).map(({ peak }) => peak)
          return `runtime of the baseline "${name}" ${formatRange(own, findMaximum(peaks))}`
        }),
    )
  }
  const parts = [lines.join('\n')]
  if (report.floors.length > 0) {
    parts.push(formatFloors(report), formatScenarios(report), formatVerdicts(report))
  }
  if (report.growth.length > 0) {
    parts.push(formatGrowth(report))
  }
  return `${parts.join('\n\n')}\n`
}

/** Null when no figure is known. */
function findMaximum(figures: readonly (number | null)[]): number | null {
  const known = figures.flatMap((figure) => figure ?? [])
  return known.length === 0 ? null : Math.max(...known)
}

function formatRange(idle: number | null, most: number | null): string {
  return `${formatMegabytes(idle)} idle, ${formatMegabytes(most)} at most`
}

function formatMegabytes(size: number | null): string {
  return size === null ? 'unknown' : `${size.toFixed(0)} MB`
}

function formatFloors({ floors }: Report): string {
  return formatTable(
    ['baseline', 'c', 'p50 ms', 'p99 ms', 'req/s'],
    floors.map(({ name, connections, p50, p99, perSecond }) => [
      name,
      `${connections}`,
      p50.toFixed(2),
      p99.toFixed(2),
      perSecond.toFixed(0),
    ]),
  )
}

function formatScenarios({ measured }: Report): string {
  const header = ['scenario', 'who', 'c', 'p50 ms', 'p99 ms', 'req/s', '×', 'of']
  return formatTable(
    [...header, 'trips', 'read', 'written', 'bytes', 'heap MB', 'runtime MB'],
    measured.map((row) => [
      row.scenario,
      row.who,
      `${row.connections}`,
      row.p50.toFixed(2),
      row.p99.toFixed(2),
      row.throughput.toFixed(0),
      row.beside.times.toFixed(2),
      row.beside.yardstick,
      `${row.trips}`,
      `${row.read}`,
      `${row.written}`,
      `${row.bytes}`,
      row.heap.toFixed(0),
      row.peak === null ? '' : row.peak.toFixed(0),
    ]),
  )
}

function formatVerdicts(report: Report): string {
  return formatTable(
    ['goal', 'measured', 'at most', ''],
    judgeGoals(report).map(({ goal, figure, limit, isMet }) => [
      goal,
      figure.toFixed(2),
      limit.toFixed(2),
      isMet ? 'met' : 'MISSED',
    ]),
  )
}

function formatGrowth({ growth }: Report): string {
  const sizes = [...new Set(growth.map(({ bugs }) => bugs))]
  const rows = [...new Set(growth.map(({ scenario }) => scenario))].map((name) => {
    const own = sizes.map((bugs) =>
      growth.find((row) => row.scenario === name && row.bugs === bugs),
    )
    const reason = SCENARIOS.find((scenario) => scenario.name === name)?.grows
    return [
      name,
      ...own.map((row) => `${row?.read ?? ''}`),
      ...own.map((row) => row?.p50?.toFixed(2) ?? ''),
      (own.at(-1)?.grows ?? false) ? `GROWS${reason === undefined ? '' : `: ${reason}`}` : '',
    ]
  })
  const names = sizes.map((bugs) => bugs.toLocaleString('en'))
  return formatTable(
    [
      'scenario',
      ...names.map((bugs) => `rows at ${bugs}`),
      ...names.map((bugs) => `p50 ms at ${bugs}`),
      '',
    ],
    rows,
  )
}
