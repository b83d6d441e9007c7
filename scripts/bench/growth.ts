import { type DataSet, withDataSet } from './data-set.ts'
import type { Landmarks } from './landmarks.ts'
import { listCases, measureCost, runClosedLoop, summarizeSamples } from './loop.ts'
import { identify } from './measure.ts'
import { row } from './scenarios.ts'
import { type BenchServer, startInspectedServer, startServer } from './servers.ts'
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
/** So many changes to a value are sorted before a page is walked to. */
const MAX_SORTED = 2000
/** What a change adds that is found, sorted and read. */
const ROWS_OF_CHANGE = 9
const ORDERS = { 'newest ID first': 'bug_id DESC', 'latest change first': 'changeddate DESC' }

/** Measures the reads with an API key in a tracker of each size, and the rows of searches by each criterion. */
export async function measureGrowth(seconds: number, only = ''): Promise<Growth[]> {
  const growth: Growth[] = []
  for (const bugs of SIZES) {
    await withDataSet(bugs, async (data) => {
      const bar = startProgress(`reads at ${bugs.toLocaleString('en')} bugs`)
      const headers = { authorization: `Bearer ${data.keys.developer}` }
      const searches = listSearches(data.landmarks).map(({ name, query, changes }) => {
        const next = () => ({ method: 'GET', path: `/rest/bug?${query}`, headers }) as const
        return { name, next, changes }
      })
      const isMeasured = ({ name }: { name: string }) => name.includes(only)
      const inspected = await startInspectedServer(data.folder)
      await identify(inspected, data)
      for (const one of [...searches, ...listReads(data, inspected)].filter(isMeasured)) {
        const { read, bytes } = await measureCost({ ...one, origin: inspected.origin })
        const least = growth.find(({ scenario }) => scenario === one.name)?.read ?? read
        const listed = LISTED_ROWS + ('changes' in one ? one.changes * ROWS_OF_CHANGE : 0)
        const grows = read > Math.max(least * TOLERANCE, listed)
        growth.push({ scenario: one.name, bugs, read, bytes, p50: null, grows })
        bar.update(one.name)
      }
      // two servers may not share their data
      await inspected.stop()
      const server = await startServer(data.folder)
      for (const one of listReads(data, server).filter(isMeasured)) {
        const [samples] = await runClosedLoop([one], { connections: 1, seconds })
        const row = growth.find(({ scenario, bugs: n }) => scenario === one.name && n === bugs)
        if (samples !== undefined && row !== undefined) {
          row.p50 = summarizeSamples(samples).p50
        }
        bar.update(one.name)
      }
      bar.end()
      await server.stop()
    })
  }
  return growth
}

/** The reads of the scenarios, with an API key. */
function listReads(data: DataSet, server: BenchServer) {
  return listCases(data, server)
    .filter(({ who, writes }) => who !== 'anyone' && !writes)
    .map((one) => ({ ...one, name: one.scenario.name }))
}

type Search = {
  name: string
  query: URLSearchParams
  /** How many changes it finds, where these may be sorted for the page. */
  changes: number
}

/** What an index serves, by itself and in orders of a page: its rows must not grow with the tracker. */
function listSearches(landmarks: Landmarks): Search[] {
  const inOrders = (
    criteria: ReturnType<typeof listCriteria>,
    orders: Record<string, string>,
    changes = 0,
  ) =>
    Object.entries(criteria).flatMap(([name, query]) =>
      Object.entries(orders).map(([by, order]) => ({
        ...{ name: `${name}, ${by}`, query: new URLSearchParams({ ...PAGE, ...query, order }) },
        changes,
      })),
    )
  const { statusChanges, fixes } = landmarks
  const orders = { ...ORDERS, 'first ID first': 'bug_id' }
  return [
    ...inOrders(listCriteria(landmarks), ORDERS),
    ...inOrders(listChanges(landmarks), orders, MAX_SORTED),
    ...statusChanges.flatMap(({ number, time }) => {
      const query = { chfield: 'bug_status', chfieldfrom: time }
      return inOrders({ [`the last ${number} changes of a status`]: query }, orders, number)
    }),
    ...fixes.flatMap(({ number, time }) => {
      const query = { chfield: 'resolution', chfieldvalue: 'FIXED', chfieldfrom: time }
      return inOrders({ [`the last ${number} changes to FIXED`]: query }, orders, number)
    }),
  ]
}

/** Changes that few bugs or many have, whenever they were. */
function listChanges({ product, blocked }: Landmarks): Record<string, Record<string, string>> {
  return {
    'changes from no value': row(1, 'bug_status', 'changedfrom', 'NONE'),
    'changes to one value': row(1, 'blocked', 'changedto', blocked),
    'changes from FIXED': row(1, 'resolution', 'changedfrom', 'FIXED'),
    'changes to FIXED': row(1, 'resolution', 'changedto', 'FIXED'),
    'changes of any field to no value': row(1, 'anything', 'changedto', 'NONE'),
    'changes from WONTFIX in a product': {
      product,
      ...row(1, 'resolution', 'changedfrom', 'WONTFIX'),
    },
    'changes by a person': row(1, 'assigned_to', 'changedby', 'p3.s1@example.test'),
    'bugs filed since': { chfield: '[Bug creation]', chfieldfrom: '2000-01-01' },
  }
}

/** Criteria with many matches. */
function listCriteria({
  product,
  component,
  assignee,
  word,
}: Landmarks): Record<string, Record<string, string>> {
  const person = 'p0.s1@example.test'
  return {
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
}
