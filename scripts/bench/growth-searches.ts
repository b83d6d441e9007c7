import type { DatabaseSync } from 'node:sqlite'
import type { Landmarks } from './landmarks.ts'
import { row } from './scenarios.ts'

type Query = Record<string, string>

/** A search whose rows are read at every size. */
type GrowthSearch = {
  name: string
  path: string
  /** How many changes it finds, where these may be sorted for the page. */
  changes: number
}

/** Few enough that the page is full in the smallest tracker, where all hits would be counted too. */
const PAGE = { limit: '20', count_total: '0', include_fields: 'id' }
const ORDERS = {
  ', newest ID first': { order: 'bug_id DESC' },
  ', latest change first': { order: 'changeddate DESC' },
}

/** By values, which are walked in their order. */
const VALUE_ORDERS = Object.fromEntries(
  ['bug_status', 'priority', 'bug_severity DESC', 'Importance', 'component', 'assigned_to'].map(
    (order) => [`, by ${order}`, { order }],
  ),
)

/** So many changes to a value are sorted before a page is walked to. */
const MAX_SORTED = 2000

/** Up to so many candidates of a list are sorted; a page is found otherwise beyond. */
const THRESHOLDS = [150, 2000]
const SIDES = { below: 0.9, above: 1.1 }

/** All searches whose growth is measured, in a tracker whose database is open. */
export function listGrowthSearches(database: DatabaseSync, landmarks: Landmarks): GrowthSearch[] {
  const inOrders = (
    criteria: Record<string, Query>,
    orders: Record<string, Query>,
    changes = 0,
  ): GrowthSearch[] =>
    Object.entries(criteria).flatMap(([name, query]) =>
      Object.entries(orders).map(([by, order]) => ({
        ...{ name: `${name}${by}`, changes },
        path: `/rest/bug?${new URLSearchParams({ ...PAGE, ...query, ...order })}`,
      })),
    )
  const { statusChanges, fixes, product } = landmarks
  const orders = { ...ORDERS, ', first ID first': { order: 'bug_id' } }
  return [
    ...inOrders(listCriteria(landmarks), ORDERS),
    ...inOrders(
      {
        product: { product },
        'open status': { status: '__open__' },
        'open, of a product': { product, status: '__open__' },
      },
      VALUE_ORDERS,
    ),
    ...inOrders(listChanges(landmarks), orders, MAX_SORTED),
    ...statusChanges.flatMap(({ number, time }) => {
      const query = { chfield: 'bug_status', chfieldfrom: time }
      return inOrders({ [`the last ${number} changes of a status`]: query }, orders, number)
    }),
    ...fixes.flatMap(({ number, time }) => {
      const query = { chfield: 'resolution', chfieldvalue: 'FIXED', chfieldfrom: time }
      return inOrders({ [`the last ${number} changes to FIXED`]: query }, orders, number)
    }),
    ...inOrders(listGrowing(database, landmarks), { '': {} }),
    ...inOrders(Object.fromEntries(listThresholds(database)), { '': {} }),
    { name: 'possible duplicates', path: findDuplicates({}), changes: 0 },
    { name: 'possible duplicates in a product', path: findDuplicates({ product }), changes: 0 },
  ]
}

function findDuplicates(place: Query): string {
  const query = { ...place, include_fields: 'id', summary: FREQUENT }
  return `/rest/bug/possible_duplicates?${new URLSearchParams(query)}`
}

/** A summary of frequent words. */
const FREQUENT = 'Keyboard focus is lost in the account wizard when pasting from another program'

/** What once grew with the tracker, or still does. */
function listGrowing(
  database: DatabaseSync,
  { product, developer, assignee }: Landmarks,
): Record<string, Query> {
  const daysAgo = (days: number) => dayBefore(database, days)
  return {
    'changed from a rare value': row(1, 'assigned_to', 'changedfrom', developer),
    'changed from a frequent value, of a product': {
      product,
      ...row(1, 'bug_status', 'changedfrom', 'VERIFIED'),
    },
    'fixed last week': { chfield: 'resolution', chfieldvalue: 'FIXED', chfieldfrom: daysAgo(7) },
    'comments beyond 50': row(1, 'longdescs.count', 'greaterthan', '50'),
    'open, by priority and severity': { status: '__open__', order: 'priority,bug_severity' },
    'product, by priority': { product, order: 'priority' },
    'comment substring of two words': { longdesc: 'error page', longdesc_type: 'substring' },
    'comment substring, trigrams frequent apart': {
      longdesc: 'ing the ing',
      longdesc_type: 'substring',
    },
    'comment regular expression': { longdesc: 'zq[0-9]', longdesc_type: 'regexp' },
    'number of open': { status: '__open__', count_only: '1' },
    'number of a product': { product, count_only: '1' },
    'number of a quicksearch': { quicksearch: 'ALL window', count_only: '1' },
    'quicksearch of three frequent words': { quicksearch: 'ALL window the start' },
    'quicksearch without a word': { quicksearch: 'ALL -window' },
    'see also': row(1, 'see_also', 'substring', 'example'),
    'regular expression of the summary': { short_desc: 'zq[0-9]', short_desc_type: 'regexp' },
    'my open, by change': { assigned_to: assignee, status: '__open__', order: 'changeddate' },
    'content by relevance': { content: 'window', order: 'relevance' },
    'six words by relevance': {
      content: 'print window dialog crash failure assertion',
      order: 'relevance',
    },
    'since a year, by summary': { last_change_time: daysAgo(365), order: 'short_desc' },
    'large offset': {
      product,
      offset: String(Math.min(100_000, Math.floor(countBugs(database) / 50))),
    },
    'product without a limit': { product, limit: '0' },
  }
}

/** Searches with a little less and a little more candidates than are sorted. */
function listThresholds(database: DatabaseSync): [name: string, query: Query][] {
  database.exec('CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, comments_body_fts, row)')
  return THRESHOLDS.flatMap((threshold) =>
    Object.entries(SIDES).flatMap(([side, factor]): [string, Query][] => {
      const count = Math.floor(threshold * factor)
      const name = (what: string) => `${what}, ${side} ${threshold}`
      const since = (column: string) =>
        `SELECT strftime('%Y-%m-%dT%H:%M:%SZ', min(at), 'unixepoch') FROM
          (SELECT ${column} AS at FROM bugs ORDER BY ${column} DESC LIMIT ?)`
      const word =
        'SELECT term FROM temp.words WHERE doc > ?1 * 0.7 ORDER BY abs(doc - ?1), term LIMIT 1'
      const find = (sql: string) => String(Object.values(database.prepare(sql).get(count) ?? {})[0])
      return [
        [name('filed since'), { creation_time: find(since('created_at')), order: 'priority' }],
        [
          name('changed since'),
          { last_change_time: find(since('changed_at')), order: 'bug_id DESC' },
        ],
        [
          name('word of comments'),
          { longdesc: find(word), longdesc_type: 'allwords', order: 'changeddate DESC' },
        ],
      ]
    }),
  )
}

function dayBefore(database: DatabaseSync, days: number): string {
  const row = database
    .prepare(`SELECT date(max(changed_at) - ? * 86400, 'unixepoch') AS day FROM bugs`)
    .get(days)
  return String(row?.day)
}

function countBugs(database: DatabaseSync): number {
  return Number(database.prepare('SELECT count(*) AS bugs FROM bugs').get()?.bugs)
}

/** Changes that few bugs or many have, whenever they were. */
function listChanges({ product, blocked }: Landmarks): Record<string, Query> {
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

/** What an index serves, by itself and in an order by ID and by time: its rows must not grow with the tracker. */
function listCriteria({ product, component, assignee, word }: Landmarks): Record<string, Query> {
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
