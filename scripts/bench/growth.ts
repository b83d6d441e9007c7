import { itemAt } from '../generator/random.ts'
import { withDataSet } from './data-set.ts'
import type { Landmarks } from './landmarks.ts'
import {
  createRunner,
  createSamples,
  listCases,
  measureCost,
  runClosedLoop,
  summarizeSamples,
} from './loop.ts'
import { measureCaseCosts } from './measure.ts'
import { row } from './scenarios.ts'
import { startInspectedServer, startServer } from './servers.ts'
import { startProgress } from './table.ts'

/** The cost of a read in a tracker with the given number of bugs. */
export type Growth = {
  scenario: string
  bugs: number
  read: number
  bytes: number
  /** Null for what is not timed. */
  p50: number | null
  /** Whether it reads clearly more rows than in the smallest tracker, lists of candidates apart. */
  grows: boolean
}

export const SIZES = [1000, 10_000, 100_000]

/** Allows for differences between bugs that are drawn alike: some have one more person on CC. */
const TOLERANCE = 1.25
/**
 * Two lists of up to 2,000 candidates may be read and counted for a page, before a walk through bugs: with fewer
 * matches, rows grow up to here.
 */
const LISTED_ROWS = 10_000

/** Few enough that the page is full in the smallest tracker, where all hits would be counted too. */
const PAGE = { limit: '20', count_total: '0', include_fields: 'id' }
const ORDERS = { 'newest ID first': 'bug_id DESC', 'latest change first': 'changeddate DESC' }

/** Measures the reads with an API key in a tracker of each size, and the rows of searches by each criterion. */
export async function measureGrowth(seconds: number, only = ''): Promise<Growth[]> {
  const growth: Growth[] = []
  const add = (one: Omit<Growth, 'grows'>) => {
    const least = growth.find(({ scenario }) => scenario === one.scenario)?.read ?? one.read
    growth.push({ ...one, grows: one.read > Math.max(least * TOLERANCE, LISTED_ROWS) })
  }
  for (const bugs of SIZES) {
    await withDataSet(bugs, async (data) => {
      const bar = startProgress(`reads at ${bugs.toLocaleString('en')} bugs`)
      const keyed = listCases(data, only).filter(({ who }) => who === 'with a key')
      const cases = keyed.filter(({ writes }) => !writes)
      const inspected = await startInspectedServer(data.folder)
      const costs = await measureCaseCosts(cases, inspected, data)
      const headers = { authorization: `Bearer ${data.keys.developer}` }
      for (const [scenario, query] of listCriteria(data.landmarks)) {
        if (scenario.includes(only)) {
          const path = `/rest/bug?${query}`
          const next = () => ({ method: 'GET', path, headers }) as const
          const { read, bytes } = await measureCost({ ...inspected, next })
          add({ scenario, bugs, read, bytes, p50: null })
        }
      }
      await inspected.stop()
      const server = await startServer(data.folder)
      for (const [n, one] of cases.entries()) {
        const runner = createRunner(one, server, data)
        const [samples = createSamples()] = await runClosedLoop([runner], {
          connections: 1,
          seconds,
        })
        const { read, bytes } = itemAt(costs, n)
        const { p50 } = summarizeSamples(samples)
        add({ scenario: one.scenario.name, bugs, read, bytes, p50 })
        bar.update(one.scenario.name)
      }
      bar.end()
      await server.stop()
    })
  }
  return growth
}

/** What an index serves, by itself and in an order by ID and by time: its rows must not grow with the tracker. */
function listCriteria({ product, component, assignee, word }: Landmarks) {
  const person = 'p0.s1@example.test'
  const criteria: Record<string, Record<string, string>> = {
    product: { product },
    component: { product, component },
    status: { status: 'RESOLVED' },
    'open status': { status: '__open__' },
    resolution: { resolution: 'FIXED' },
    severity: { severity: 'S3' },
    priority: { priority: 'P3' },
    milestone: { product, target_milestone: 'M1' },
    keyword: { keywords: 'crash-s1' },
    flag: row(1, 'flagtypes.name', 'equals', 'needinfo-s1?'),
    assignee: { assigned_to: assignee },
    creator: { creator: person },
    'QA contact': { qa_contact: 'p12.s1@example.test' },
    CC: { cc: person },
    commenter: { commenter: person },
    'people in roles': { email1: person, emailtype1: 'exact', emailcc1: '1', emailreporter1: '1' },
    'filed since': { creation_time: '2000-01-01' },
    'changed since': { last_change_time: '2000-01-01' },
    IDs: { id: Array.from({ length: 30 }, (_, n) => n + 1).join(',') },
    aliases: { alias: 'first-s1' },
    'word of the summary': { short_desc: word, short_desc_type: 'allwords' },
    'part of the summary': { summary: word },
    'word of comments': { longdesc: 'keyboard', longdesc_type: 'allwords' },
    'part of comments': { longdesc: 'eyboar', longdesc_type: 'substring' },
    content: { content: word },
    'quicksearch of one word': { quicksearch: `ALL ${word}` },
    'quicksearch of two words': { quicksearch: `ALL blank ${word}` },
    'status changes': row(1, 'bug_status', 'changedafter', '2000-01-01'),
  }
  return Object.entries(criteria).flatMap(([name, query]) =>
    Object.entries(ORDERS).map(([by, order]) => {
      return [`${name}, ${by}`, new URLSearchParams({ ...PAGE, ...query, order })] as const
    }),
  )
}
