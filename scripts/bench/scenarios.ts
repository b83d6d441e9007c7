import { createHmac } from 'node:crypto'
import type { Landmarks } from './landmarks.ts'
import { fillPath, type Request, readTable } from './request.ts'

/** The limits of what an isolate loads at its start, and of all parts together, compressed as for the upload. */
export const BUNDLE_GZIP_KILOBYTES = 400
export const UPLOAD_GZIP_KILOBYTES = 900

/** A request that the bench measures, and its limits. */
export type Scenario = {
  name: string
  /**
   * The most that one request with an API key may cost in a tracker of 1,000 bugs; rows are counted as D1 bills them.
   * Each table of which a row was ever written costs every insert that makes an ID one row, because SQLite reads
   * through its list of the last IDs.
   */
  trips: number
  read: number
  written?: number
  /** The most bytes of an answer before it is compressed. */
  bytes?: number
  /** The limit of its p50 with one connection, as a multiple of the p50 of a baseline, by default `one row`. */
  goal?: number
  /** Or of the p50 of other scenarios together. */
  yardstick?: 'constant' | readonly string[]
  /** Why its rows may grow with the tracker; without a reason they must not. */
  grows?: string
  /** The n-th request of a run. */
  request: (landmarks: Landmarks, n: number) => Request
}

const THREE = 'include_fields=id,summary,status'

/** A page without the number of all hits, which a small tracker, such as that of the budgets, would count too. */
const FIFTY = 'limit=50&count_total=0'

/** What the page of a list asks for. */
const LISTED = `limit=50&order=changeddate+DESC&include_fields=id,summary,status,resolution,is_open,product,component,\
assigned_to_detail,priority,severity,last_change_time`

const CHART = `f1=product&o1=equals&v1={product}&f2=bug_status&o2=notequals&v2=VERIFIED\
&f3=short_desc&o3=substring&v3={word}&f4=longdescs.count&o4=greaterthan&v4=0`

/** Name, trips, rows read, path. A page for people, which reads the credentials of the API too, begins with a slash. */
const READS = `
  version                                   | 0 |    0 | version
  bug                                       | 1 |   50 | bug/{bug}
  bug, all fields                           | 1 |  140 | bug/{bug}?include_fields=_all
  bug, ID and summary                       | 1 |   15 | bug/{bug}?include_fields=id,summary
  comments of a long bug                    | 1 |  520 | bug/{longBug}/comment
  HTML of the comments of a long bug        | 2 |  620 | bug/{longBug}/comment?include_fields=count,creator_detail,html
  long bug                                  | 1 |  200 | bug/{longBug}
  page of a long bug                        | 2 |  900 | /bug/{longBug}
  page of a long bug to edit                | 2 | 1800 | /bug/{longBug}?edit=1
  search of a list                          | 1 | 2300 | bug?product={product}&status=RESOLVED&${LISTED}
  page of a list, 50 bugs                   | 1 | 2500 | /bugs?product={product}&bug_status=RESOLVED
  page of the home                          | 3 |  900 | /
  product and status, 50 bugs               | 1 | 1950 | bug?${FIFTY}&status=RESOLVED&product={product}
  product and status, 50 bugs, three fields | 1 |  270 | bug?${FIFTY}&status=RESOLVED&product={product}&${THREE}
  assignee, 50 bugs                         | 1 | 1950 | bug?${FIFTY}&assigned_to={assignee}
  last change, 50 bugs                      | 1 | 2300 | bug?${FIFTY}&last_change_time={since}
  summary substring, 50 bugs                | 1 | 2100 | bug?${FIFTY}&summary={word}
  quicksearch, 50 bugs                      | 2 | 2300 | bug?${FIFTY}&quicksearch={quicksearch}
  quicksearch, 50 bugs, three fields        | 2 |  700 | bug?${FIFTY}&quicksearch={quicksearch}&${THREE}
  chart of four rows, 50 bugs               | 1 | 2300 | bug?${FIFTY}&${CHART}
  comment word, 50 bugs                     | 1 | 3100 | bug?${FIFTY}&longdesc=keyboard&longdesc_type=allwords&${THREE}
  status changes, 50 bugs                   | 1 | 1000 | bug?${FIFTY}&f1=bug_status&o1=changedafter&v1={statusSince}&${THREE}
  number of bugs of a product               | 1 |  460 | bug?count_only=1&product={product}
`

/** Of a page with a discussion of 50 comments, or with 50 bugs. */
const MAX_PAGE_BYTES = 100_000

/** The other limits of reads. */
const MORE: Readonly<Record<string, Partial<Scenario>>> = {
  version: { goal: 1.15, yardstick: 'constant' },
  bug: { goal: 2.5 },
  'page of a long bug': {
    ...{ goal: 1.6, yardstick: ['long bug', 'comments of a long bug'], bytes: MAX_PAGE_BYTES },
  },
  'page of a list, 50 bugs': {
    ...{ goal: 1.5, yardstick: ['search of a list'], bytes: MAX_PAGE_BYTES },
  },
  'product and status, 50 bugs': { goal: 5 },
  'quicksearch, 50 bugs': { goal: 6 },
  'quicksearch, 50 bugs, three fields': { goal: 3 },
  'chart of four rows, 50 bugs': { goal: 6 },
  'comment word, 50 bugs': { goal: 5 },
  'status changes, 50 bugs': { goal: 6 },
  'number of bugs of a product': { goal: 3, grows: 'every bug of the product is counted' },
}

const WRITES: readonly Scenario[] = [
  {
    ...{ name: 'POST bug', trips: 2, read: 180, written: 38, goal: 4 },
    request: ({ product, component }, n) => {
      const description = `Steps:\n1. Open a window\n2. Close it\n\nIt stays. This is report ${n}.`
      const summary = `The window does not close, seen ${n} times`
      return post('bug', { product, component, version: 'unspecified', summary, description })
    },
  },
  {
    ...{ name: 'POST bug, ten webhooks', trips: 2, read: 182, written: 40 },
    request: ({ product, heardComponent: component }, n) => {
      const description = `Steps:\n1. Knock\n2. Wait\n\nNothing happens. This is report ${n}.`
      const summary = `The door does not open, seen ${n} times`
      return post('bug', { product, component, version: 'unspecified', summary, description })
    },
  },
  {
    ...{ name: 'PUT bug', trips: 2, read: 152, written: 30 },
    request: ({ writable }, n) => {
      const body = { whiteboard: `seen ${n} times`, priority: n % 2 === 0 ? 'P1' : 'P2' }
      return { method: 'PUT', path: `/rest/bug/${pickNth(writable, n)}`, body }
    },
  },
  {
    ...{ name: 'POST comment', trips: 2, read: 90, written: 20 },
    request: ({ writable }, n) => {
      const comment = `It happened again, which makes ${n} times.\n\nNothing else changed.`
      return post(`bug/${pickNth(writable, n)}/comment`, { comment })
    },
  },
  {
    ...{ name: 'push', trips: 3, read: 100, written: 20 },
    request: ({ writable }, n) => {
      const commits = [0, 1, 2].map((commit) => ({
        message: `Bug ${pickNth(writable, n + (commit % 2))}: Part ${commit} of push ${n}`,
        url: `https://github.com/example/browser/commit/${n}-${commit}`,
        author: { username: 'sam', name: 'Sam' },
      }))
      const repository = { full_name: 'example/browser', default_branch: 'main' }
      const body = { ref: 'refs/heads/main', repository, commits }
      return { ...post('codehost/push_comment', body), event: 'push' }
    },
  },
  {
    ...{ name: 'pull request', trips: 3, read: 150, written: 40 },
    request: ({ writable }, number) => {
      const title = `Bug ${pickNth(writable, number)}: Make it right`
      const html_url = `https://github.com/example/browser/pull/${number}`
      const repository = { full_name: 'example/browser' }
      const body = { action: 'opened', pull_request: { html_url, number, title }, repository }
      return { ...post('codehost/pull_request', body), event: 'pull_request' }
    },
  },
]

/** Everything that the bench measures. */
export const SCENARIOS: readonly Scenario[] = [
  ...readTable(READS).map(([name = '', trips, read, path = '']) => ({
    ...{ name, trips: Number(trips), read: Number(read), ...MORE[name] },
    request: (landmarks: Landmarks): Request => {
      const filled = fillPath(path, landmarks)
      return path.startsWith('/')
        ? { method: 'GET', path: filled, headers: { accept: 'text/html' } }
        : { method: 'GET', path: `/rest/${filled}` }
    },
  })),
  ...WRITES,
]

/** The headers with which a code host sends a request, signed with the key of the bot. */
export function signEvent({ event, body }: Request, botKey: string): Record<string, string> {
  const hash = createHmac('sha256', botKey).update(JSON.stringify(body)).digest('hex')
  return { 'x-github-event': event ?? '', 'x-hub-signature-256': `sha256=${hash}` }
}

function post(path: string, body: object): Request {
  return { method: 'POST', path: `/rest/${path}`, body }
}

function pickNth(ids: readonly number[], n: number): number {
  return ids[n % ids.length] ?? 0
}
