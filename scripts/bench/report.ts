import { cpus } from 'node:os'
import type { Growth } from './growth.ts'
import type { Measured } from './measure.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'
import { formatTable } from './table.ts'
import type { Yardstick } from './yardsticks.ts'

/** p50 in milliseconds and requests per second of a yardstick, with so many connections. */
export type Floor = {
  name: Yardstick['name']
  connections: number
  p50: number
  p99: number
  perSecond: number
  /** MB that its runtime occupied at most. */
  peak: number | null
}

/** MB: what the Worker's isolate holds, and what the whole runtime occupied at most so far. */
export type Memory = { heap: number; peak: number | null }

export type Report = {
  bugs: number
  databaseMegabytes: number
  machine: { cpu: string; cores: number; node: string }
  bundle: { gzipKilobytes: number; kilobytes: number }
  /** Milliseconds from nothing to an open port, with the database there, and of the first answer. */
  start: { open: number; firstAnswer: number } | null
  memory: { idle: Memory; end: Memory } | null
  floors: Floor[]
  measured: Measured[]
  growth: Growth[]
}

export type Verdict = { scenario: string; ratio: number; goal: number; isMet: boolean }

export function machine(): Report['machine'] {
  const processors = cpus()
  return {
    cpu: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    node: process.version,
  }
}

/** How each scenario with a goal stands to its yardstick: p50 by anyone who may, with one connection. */
export function verdicts({ measured, floors }: Report): Verdict[] {
  return SCENARIOS.flatMap(({ name, goal }) => {
    const own = measured.find((row) => row.scenario === name && row.connections === 1)
    const floor = floorOf(floors, goal, 1)
    if (goal === undefined || own === undefined || floor === undefined) {
      return []
    }
    const ratio = own.p50 / floor.p50
    return [{ scenario: name, ratio, goal: goal.times, isMet: ratio <= goal.times }]
  })
}

/** The report as text for a terminal. */
export function describe(report: Report): string {
  const { bundle, start, memory } = report
  const { cores, cpu, node } = report.machine
  const lines = [
    `${cores} × ${cpu}, Node ${node}`,
    `bundle ${bundle.gzipKilobytes.toFixed(0)} KB gzip (${bundle.kilobytes.toFixed(0)} KB)`,
  ]
  if (start !== null) {
    lines.push(
      `${report.bugs.toLocaleString('en')} bugs, ${inMegabytes(report.databaseMegabytes)}`,
      `start ${start.open.toFixed(0)} ms to an open port, first answer ${start.firstAnswer.toFixed(0)} ms`,
    )
  }
  if (memory !== null) {
    const most = Math.max(...report.measured.map(({ heap }) => heap))
    const floor = Math.max(...report.floors.map(({ peak }) => peak ?? 0))
    lines.push(
      `heap of the Worker ${inMegabytes(memory.idle.heap)} idle, ${inMegabytes(most)} at most, garbage included`,
      `runtime ${inMegabytes(memory.idle.peak)} idle, ${inMegabytes(memory.end.peak)} at most; ` +
        `with a yardstick ${inMegabytes(floor)}`,
    )
  }
  const parts = [lines.join('\n')]
  if (report.floors.length > 0) {
    parts.push(floorTable(report), scenarioTable(report), verdictTable(report))
  }
  if (report.growth.length > 0) {
    parts.push(growthTable(report))
  }
  return `${parts.join('\n\n')}\n`
}

function inMegabytes(size: number | null): string {
  return size === null ? 'unknown' : `${size.toFixed(0)} MB`
}

function floorTable({ floors }: Report): string {
  return formatTable(
    ['yardstick', 'c', 'p50 ms', 'p99 ms', 'req/s'],
    floors.map(({ name, connections, p50, p99, perSecond }) => [
      name,
      `${connections}`,
      p50.toFixed(2),
      p99.toFixed(2),
      perSecond.toFixed(0),
    ]),
  )
}

function scenarioTable({ measured, floors }: Report): string {
  const header = ['scenario', 'who', 'c', 'p50 ms', 'p99 ms', 'req/s', '× one row']
  return formatTable(
    [...header, 'trips', 'read', 'written', 'bytes'],
    measured.map((row) => {
      const floor = floorOf(floors, { yardstick: 'one row' }, row.connections)
      return [
        row.scenario,
        row.who,
        `${row.connections}`,
        row.p50.toFixed(2),
        row.p99.toFixed(2),
        row.throughput.toFixed(0),
        floor === undefined ? '' : (row.p50 / floor.p50).toFixed(1),
        `${row.trips}`,
        `${row.read}`,
        `${row.written}`,
        `${row.bytes}`,
      ]
    }),
  )
}

function verdictTable(report: Report): string {
  return formatTable(
    ['goal', 'ratio', 'at most', ''],
    verdicts(report).map(({ scenario, ratio, goal, isMet }) => [
      scenario,
      ratio.toFixed(2),
      goal.toFixed(2),
      isMet ? 'met' : 'MISSED',
    ]),
  )
}

function growthTable({ growth }: Report): string {
  const sizes = [...new Set(growth.map(({ bugs }) => bugs))]
  const rows = SCENARIOS.flatMap(({ name, grows }) => {
    const own = sizes.map((bugs) =>
      growth.find((row) => row.scenario === name && row.bugs === bugs),
    )
    return own.every((row) => row === undefined)
      ? []
      : [
          [
            name,
            ...own.map((row) => `${row?.read ?? ''}`),
            ...own.map((row) => row?.p50.toFixed(2) ?? ''),
            (own.at(-1)?.grows ?? false) ? `GROWS${grows === undefined ? '' : `: ${grows}`}` : '',
          ],
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

function floorOf(
  floors: readonly Floor[],
  goal: Pick<NonNullable<Scenario['goal']>, 'yardstick'> | undefined,
  connections: number,
): Floor | undefined {
  return floors.find((floor) => floor.name === goal?.yardstick && floor.connections === connections)
}
