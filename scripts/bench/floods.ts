import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { PEOPLE_FLOODS } from './people-floods.ts'
import { STRUCTURE_FLOODS } from './structure-floods.ts'

/** A public bug with a long discussion, some bugs of a product, and what their owner may send. */
export type FloodTarget = {
  readonly longBug: number
  readonly bugs: readonly number[]
  readonly headers: Record<string, string>
}

type Sent = {
  readonly path: string
  readonly body?: object
  readonly headers?: Record<string, string>
  readonly method?: string
}

/** A request that one caller sends many times at once, so that all others wait. */
export type Flood = {
  readonly name: string
  /** Changes a database at rest before the server starts. */
  readonly prepare?: (database: DatabaseSync, target: FloodTarget) => void
  readonly request: (target: FloodTarget, n: number) => Sent
}

const COLUMNS = [
  ...['bug_status', 'resolution', 'priority', 'bug_severity', 'product', 'component', 'version'],
  ...['target_milestone', 'op_sys', 'rep_platform', 'assigned_to', 'reporter', 'qa_contact'],
  ...['short_desc', 'status_whiteboard', 'opendate', 'changeddate', 'bug_file_loc', 'votes'],
  ...['longdescs.count', 'classification', 'alias', 'deadline', 'estimated_time', 'keywords'],
  ...['everconfirmed', 'dupe_count', 'cc_count', 'blocked', 'dependson', 'see_also', 'bug_id'],
]
const KEYWORDS_COUNTED = 290
const LISTED = 150_000
const PARAMETERS = 60_000
const GROUPS = 4_990
const TEXTS = 300_000
/** A wide table of short rows: most of its cells stand nowhere in the text. */
const TABLE = `${'|a'.repeat(200)}|\n${'|-'.repeat(200)}|\n${'|\n'.repeat(320)}\n`
const LONG_TEXT = 65_000
const CALLS = 20
const EDITED = 500
const WEBHOOKS = 1000
const LONG_COMMENTS = 190
const LINKS = 20_000
const CHANGES = 30_000
const CHAIN = 12_000

const TEN_STARTS = [...'abcdefghij'].map((letter) => `${letter}*`)

export const FLOODS: readonly Flood[] = [
  search('exclude words that begin with a', 'f1=content&o1=notmatches&v1=a*'),
  search('ten beginnings by relevance', content(TEN_STARTS)),
  search(
    'six words by relevance',
    content(['print', 'window', 'dialog', 'crash', 'failure', 'assertion']),
  ),
  search(
    'ten words by relevance',
    content([
      ...['print', 'window', 'dialog', 'crash', 'failure'],
      ...['assertion', 'keyboard', 'focus', 'account', 'menu'],
    ]),
  ),
  search('a phrase of 300 frequent words', content([`"${'the+'.repeat(300)}"`])),
  search('the same as a quicksearch', `quicksearch="${'the+'.repeat(300)}"`),
  search(
    '100 words of two letters by relevance',
    content(
      Array.from('bcdfghjklm', (first) => [...'acdefghklm'].map((next) => first + next)).flat(),
    ),
  ),
  search('longdescs.count notequals, 20 times', rows(20, 'longdescs.count', 'notequals')),
  search('a regular expression over comments', 'f1=longdesc&o1=regexp&v1=zq[0-9]'),
  search(
    'parts of comments beside a frequent word',
    'longdesc=ing%20the%20ing&longdesc_type=substring',
  ),
  search(
    'ends of words beside beginnings of words',
    'longdesc=ion%20the&longdesc_type=substring&order=changeddate&f1=longdesc&o1=substring&v1=ing%20page',
  ),
  search('a sign ahead of a frequent word', 'longdesc=(the&longdesc_type=substring'),
  search(
    'an order by 30 columns',
    `f1=bug_id&o1=greaterthan&v1=0&order=${COLUMNS.slice(0, 30).join(',')}`,
  ),
  {
    name: '500 bugs',
    request: () => ({ path: '/rest/bug?limit=500&f1=bug_id&o1=greaterthan&v1=0' }),
  },
  {
    name: '10,000 bugs in the order of summaries',
    request: () => ({ path: '/rest/bug?f1=bug_id&o1=greaterthan&v1=0&order=short_desc' }),
  },
  {
    name: 'all fields of 1,000 bugs',
    request: () => ({
      path: '/rest/bug?limit=1000&f1=bug_id&o1=greaterthan&v1=0&include_fields=_all',
    }),
  },
  call('keywords.count, 290 times, sent as JSON', 'Bug.search', () => ({
    ...Object.fromEntries(new URLSearchParams(rows(KEYWORDS_COUNTED, 'keywords.count', 'equals'))),
    j_top: 'OR',
  })),
  {
    name: 'the HTML of 65,000 characters of tables',
    request: ({ headers }) => ({
      path: '/rest/bug/comment/render',
      headers,
      body: { text: TABLE.repeat(LONG_TEXT / TABLE.length) },
    }),
  },
  call('5,000 groups of criteria by JSON-RPC', 'Bug.search', () =>
    Object.fromEntries(Array.from({ length: GROUPS }, (_, n) => [`f${n}`, 'OP'])),
  ),
  call('60,000 parameters by JSON-RPC', 'Bug.search', () =>
    Object.fromEntries(Array.from({ length: PARAMETERS }, (_, n) => [`p${n}`, ''])),
  ),
  call('300,000 empty texts by JSON-RPC', 'Bug.search', () => ({
    product: Array.from({ length: TEXTS }, () => ''),
  })),
  call('150,000 IDs by JSON-RPC', 'Bug.get', () => ({
    ids: Array.from({ length: LISTED }, (_, n) => n + 1),
  })),
  {
    name: 'a list of 20 searches by JSON-RPC',
    request: () => ({
      path: '/jsonrpc.cgi',
      body: Array.from({ length: CALLS }, (_, n) =>
        buildCall('Bug.search', { longdesc: `zq${n}`, longdesc_type: 'substring', limit: 20 }, n),
      ),
    }),
  },
  {
    name: 'a discussion of 12 MB by MCP',
    prepare: addLongComments,
    request: ({ longBug }) => ({
      path: '/mcp',
      headers: { accept: 'application/json, text/event-stream' },
      body: {
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'list_comments', arguments: { bug: longBug } },
      },
    }),
  },
  {
    name: `a bug with ${LINKS.toLocaleString('en')} links`,
    prepare: (database, { longBug }) =>
      addLinks(database, { bug: 'value', dependsOn: `${longBug}` }, CHAIN, CHAIN + LINKS),
    request: ({ longBug }) => ({ path: `/rest/bug/${longBug}` }),
  },
  {
    name: `a history of ${CHANGES.toLocaleString('en')} changes`,
    prepare: addChanges,
    request: ({ longBug }) => ({ path: `/rest/bug/${longBug}/history` }),
  },
  search('status changes of three days', 'chfield=bug_status&chfieldfrom=-3d'),
  // last, because bugs and their messages remain
  {
    name: `a link to the beginning of a chain of ${CHAIN.toLocaleString('en')} bugs`,
    prepare: (database) => addLinks(database, { bug: 'value', dependsOn: 'value + 1' }, 0, CHAIN),
    request: ({ headers }, n) => ({
      ...{ method: 'PUT', path: `/rest/bug/${CHAIN + 2 + n}`, headers },
      body: { depends_on: { add: [1] } },
    }),
  },
  {
    name: 'an edit of 500 bugs that 1,000 webhooks hear of',
    prepare: addWebhooks,
    request: ({ bugs, headers }, n) => ({
      ...{ method: 'PUT', path: `/rest/bug/${bugs[0]}`, headers },
      body: { ids: bugs.slice(0, EDITED), whiteboard: `flood ${n}` },
    }),
  },
  ...STRUCTURE_FLOODS,
  ...PEOPLE_FLOODS,
]

function search(name: string, query: string): Flood {
  return { name, request: () => ({ path: `/rest/bug?limit=20&${query}` }) }
}

function call(name: string, method: string, makeParameters: () => object): Flood {
  return {
    name,
    request: () => ({ path: '/jsonrpc.cgi', body: buildCall(method, makeParameters(), 1) }),
  }
}

function buildCall(method: string, parameters: object, id: number) {
  return { jsonrpc: '2.0', id, method, params: parameters }
}

function content(words: readonly string[]): string {
  return `content=${words.join('+')}&order=relevance`
}

/** Criteria about one field, of which any may hold. */
function rows(count: number, field: string, operator: string): string {
  const all = Array.from(
    { length: count },
    (_, n) => `f${n}=${field}&o${n}=${operator}&v${n}=9${n}`,
  )
  return ['j_top=OR', ...all].join('&')
}

function addLongComments(database: DatabaseSync, { longBug }: FloodTarget): void {
  const last = `SELECT * FROM comments WHERE bug_id = ${longBug} ORDER BY id DESC LIMIT 1`
  const body = 'lacewing '.repeat(10_000).slice(0, 65_535)
  addCopies(database, 'comments', last, LONG_COMMENTS, (n, { number }) => ({
    number: Number(number) + n,
    body,
  }))
}

/** Copies of the one webhook of the data that hears of all changes of all bugs. */
function addWebhooks(database: DatabaseSync): void {
  addCopies(database, 'webhooks', 'SELECT * FROM webhooks LIMIT 1', WEBHOOKS, (n) => {
    const name = `flood ${n}`
    return { name, name_fold: name, events: 'change', product_id: null, component_id: null }
  })
}

/** Lets a bug depend on another, for the `value` of each ID behind `first`. */
function addLinks(
  database: DatabaseSync,
  { bug, dependsOn }: { bug: string; dependsOn: string },
  first: number,
  last: number,
): void {
  database.exec(
    `INSERT OR IGNORE INTO dependencies (bug_id, depends_on_id)
      SELECT ${bug}, ${dependsOn} FROM (SELECT id AS value FROM bugs WHERE id > ${first} AND id <= ${last})
       WHERE ${bug} <> ${dependsOn}`,
  )
}

function addChanges(database: DatabaseSync, { longBug }: FloodTarget): void {
  const last = `SELECT * FROM history WHERE field = 'priority' ORDER BY id DESC LIMIT 1`
  addCopies(database, 'history', last, CHANGES, (n, { changed_at }) => ({
    ...{ bug_id: longBug, changed_at: Number(changed_at) + n, notice_id: null },
    ...{ removed: n % 2 ? 'P1' : 'P2', added: n % 2 ? 'P2' : 'P1' },
    ...{ removed_fold: n % 2 ? 'p1' : 'p2', added_fold: n % 2 ? 'p2' : 'p1' },
  }))
}

type Row = Record<string, SQLOutputValue>

/** Adds copies of a row that differ in some columns. */
function addCopies(
  database: DatabaseSync,
  table: string,
  select: string,
  count: number,
  change: (n: number, row: Row) => Row,
): void {
  const row = database.prepare(select).get()
  if (row === undefined) {
    throw new Error(`the tracker has no row for ${select}`)
  }
  const { id, ...others } = row
  const names = Object.keys(others)
  const insert = database.prepare(
    `INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`,
  )
  for (let n = 1; n <= count; n += 1) {
    insert.run(...Object.values({ ...others, ...change(n, others) }))
  }
}
