import { withDataSet } from './data-set.ts'
import type { Landmarks } from './landmarks.ts'
import { listCases, measureCost, runClosedLoop, summarizeSamples } from './loop.ts'
import { identify } from './measure.ts'
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
  for (const bugs of SIZES) {
    await withDataSet(bugs, async (data) => {
      const bar = startProgress(`reads at ${bugs.toLocaleString('en')} bugs`)
      const headers = { authorization: `Bearer ${data.keys.developer}` }
      const searches = listCriteria(data.landmarks).map(([name, query]) => {
        const next = () => ({ method: 'GET', path: `/rest/bug?${query}`, headers }) as const
        return { name, next }
      })
      const inspected = await startInspectedServer(data.folder)
      const server = await startServer(data.folder)
      const reads = listCases(data, server).filter(({ who, writes }) => who !== 'anyone' && !writes)
      const cases = reads.map((one) => ({ ...one, name: one.scenario.name }))
      await identify(inspected, data)
      for (const one of [...searches, ...cases].filter(({ name }) => name.includes(only))) {
        const { read, bytes } = await measureCost({ ...one, origin: inspected.origin })
        const least = growth.find(({ scenario }) => scenario === one.name)?.read ?? read
        const grows = read > Math.max(least * TOLERANCE, LISTED_ROWS)
        const isTimed = 'scenario' in one
        const timed = isTimed ? await runClosedLoop([one], { connections: 1, seconds }) : []
        const [p50 = null] = timed.map((samples) => summarizeSamples(samples).p50)
        growth.push({ scenario: one.name, bugs, read, bytes, p50, grows })
        bar.update(one.name)
      }
      bar.end()
      await inspected.stop()
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
