import { withServer } from './data-set.ts'
import { measureRequest } from './growth.ts'
import { listCases } from './loop.ts'
import { REPORTS_COSTS } from './request.ts'
import { sum } from './statistics.ts'
import { formatTable } from './table.ts'

/** Requests of a month, and the bugs that are stored. */
type Month = { name: string; reads: number; writes: number; bugs: number }

const MONTHS: readonly Month[] = [
  { name: '30 people', reads: 300_000, writes: 12_000, bugs: 20_000 },
  { name: 'two million bugs', reads: 20_000_000, writes: 300_000, bugs: 2_000_000 },
]

/** The shares of scenarios in all reads, and in all writes. */
const READS = {
  bug: 30,
  'comments of a long bug': 12,
  'page of a long bug': 8,
  'page of a list, 50 bugs': 8,
  'product and status, 50 bugs, three fields': 12,
  'product and status, 50 bugs': 5,
  'assignee, 50 bugs': 5,
  'last change, 50 bugs': 5,
  'quicksearch, 50 bugs, three fields': 8,
  'comment word, 50 bugs': 2,
  'number of bugs of a product': 3,
  version: 2,
}
const WRITES = { 'POST comment': 45, 'PUT bug': 35, 'POST bug': 10, 'pull request': 5, push: 5 }

/** Messages of a queue are written, read and deleted. */
const OPERATIONS_OF_WRITE = 3
/** A tick of the schedule each minute. */
const TICKS = 30 * 24 * 60

/** What is included in a month, and dollars for each unit beyond: Workers Paid, published in November 2026. */
const PRICES = {
  requests: { included: 10e6, unit: 1e6, dollars: 0.3 },
  cpu: { included: 30e6, unit: 1e6, dollars: 0.02 },
  read: { included: 25e9, unit: 1e6, dollars: 0.001 },
  written: { included: 50e6, unit: 1e6, dollars: 1 },
  gigabytes: { included: 5, unit: 1, dollars: 0.75 },
  queue: { included: 1e6, unit: 1e6, dollars: 0.4 },
}
const SUBSCRIPTION = 5

/** The requests of a month to price instead, of a tracker that stores so many bugs. */
type Flags = { bugs: number; reads?: number | undefined; writes: number }

type Used = Record<keyof typeof PRICES, number>

/** Prints what a month of some trackers uses and costs, from the requests of one of so many bugs. */
export function measureMonth({ bugs, reads, writes }: Flags): Promise<void> {
  const months = reads === undefined ? MONTHS : [{ name: 'a month', reads, writes, bugs }]
  return withServer(bugs, { vars: REPORTS_COSTS }, async (server, data) => {
    const cases = listCases(data, server).filter(({ who }) => who !== 'anyone')
    const measured = new Map<string, { read: number; written: number; cpu: number }>()
    for (const name of [...Object.keys(READS), ...Object.keys(WRITES)]) {
      const found = cases.find(({ scenario }) => scenario.name === name)
      if (found === undefined) {
        throw new Error(`There is no ${name}`)
      }
      measured.set(name, await measureRequest(found))
    }
    const byRequest = formatTable([...measured], {
      request: ([name]) => name,
      'rows read': ([, { read }]) => read,
      written: ([, { written }]) => written,
      'CPU ms': ([, { cpu }]) => cpu,
    })
    process.stdout.write(`${byRequest}\n`)
    const meanOf = (mix: Record<string, number>, key: 'read' | 'written' | 'cpu') => {
      const parts = Object.entries(mix).map(
        ([name, share]) => (measured.get(name)?.[key] ?? 0) * share,
      )
      return sum(parts) / sum(Object.values(mix))
    }
    for (const month of months) {
      const total = (key: 'read' | 'written' | 'cpu') =>
        month.reads * meanOf(READS, key) + month.writes * meanOf(WRITES, key)
      printMonth(month, {
        requests: month.reads + month.writes + TICKS,
        ...{ cpu: total('cpu'), read: total('read'), written: total('written') },
        gigabytes: (month.bugs * data.databaseBytes) / bugs / 1e9,
        queue: month.writes * OPERATIONS_OF_WRITE,
      })
    }
  })
}

function printMonth({ name, reads, writes, bugs }: Month, used: Used): void {
  const lines = (Object.keys(PRICES) as (keyof Used)[]).map((what) => {
    const { included, unit, dollars } = PRICES[what]
    const price = (Math.max(0, used[what] - included) / unit) * dollars
    return { what, used: used[what], included, price }
  })
  const dollars = SUBSCRIPTION + sum(lines.map(({ price }) => price))
  const table = formatTable(lines, {
    a: ({ what }) => what,
    used: ({ used: figure }) => Math.ceil(figure),
    included: ({ included }) => included,
    'beyond, $': ({ price }) => price,
  })
  const [some, others, stored] = [reads, writes, bugs].map((figure) => figure.toLocaleString('en'))
  process.stdout.write(`\n${name}: ${some} reads, ${others} writes, ${stored} bugs\n${table}\n`)
  process.stdout.write(`with the subscription of $${SUBSCRIPTION}: $${dollars.toFixed(2)}\n`)
}
