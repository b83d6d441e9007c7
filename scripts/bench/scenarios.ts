import { createHmac } from 'node:crypto'
import type { Landmarks } from './landmarks.ts'
import type { BaselineName } from './servers.ts'

/** The limits of what an isolate loads at its start, and of all parts together, compressed as for the upload. */
export const BUNDLE_GZIP_KILOBYTES = 400
export const UPLOAD_GZIP_KILOBYTES = 900

export type Request = {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  body?: Record<string, unknown>
  /** The event of a code host, which signs the body. */
  event?: string
  /** Beside those of the caller. */
  headers?: Record<string, string>
}

export type Scenario = Limits & {
  name: string
  /** The n-th request of a run. */
  request: (landmarks: Landmarks, n: number) => Request
}

type Limits = {
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
  yardstick?: BaselineName | readonly string[]
  /** Why its rows may grow with the tracker; without a reason they must not. */
  grows?: string
}

const THREE_FIELDS = { include_fields: 'id,summary,status' }

/** What the page of a list asks for. */
const LISTED = {
  limit: '50',
  order: 'changeddate DESC',
  include_fields:
    'id,summary,status,resolution,is_open,product,component,assigned_to_detail,priority,severity,last_change_time',
}

/** Of a page with a discussion of 50 comments, or with 50 bugs. */
const MAX_PAGE_BYTES = 100_000

/** Everything that the bench measures. */
export const SCENARIOS: readonly Scenario[] = [
  scenario('version', { trips: 0, read: 0, goal: 1.15, yardstick: 'constant' }, () =>
    read('version'),
  ),
  scenario('bug', { trips: 1, read: 50, goal: 2.5 }, ({ bug }) => read(`bug/${bug}`)),
  scenario('bug, all fields', { trips: 1, read: 140 }, ({ bug }) =>
    read(`bug/${bug}`, { include_fields: '_all' }),
  ),
  scenario('bug, ID and summary', { trips: 1, read: 15 }, ({ bug }) =>
    read(`bug/${bug}`, { include_fields: 'id,summary' }),
  ),
  scenario('comments of a long bug', { trips: 1, read: 520 }, ({ longBug }) =>
    read(`bug/${longBug}/comment`),
  ),
  scenario('HTML of the comments of a long bug', { trips: 2, read: 620 }, ({ longBug }) =>
    read(`bug/${longBug}/comment`, { include_fields: 'count,creator_detail,html' }),
  ),
  scenario('long bug', { trips: 1, read: 200 }, ({ longBug }) => read(`bug/${longBug}`)),
  scenario(
    'page of a long bug',
    {
      ...{ trips: 2, read: 900, bytes: MAX_PAGE_BYTES, goal: 1.6 },
      yardstick: ['long bug', 'comments of a long bug'],
    },
    ({ longBug }) => page(`bug/${longBug}`),
  ),
  scenario('page of a long bug to edit', { trips: 2, read: 1800 }, ({ longBug }) =>
    page(`bug/${longBug}?edit=1`),
  ),
  scenario('search of a list', { trips: 1, read: 2300 }, ({ product }) =>
    read('bug', { product, status: 'RESOLVED', ...LISTED }),
  ),
  scenario(
    'page of a list, 50 bugs',
    {
      ...{ trips: 1, read: 2500, bytes: MAX_PAGE_BYTES, goal: 1.5 },
      yardstick: ['search of a list'],
    },
    ({ product }) => page(`bugs?${new URLSearchParams({ product, bug_status: 'RESOLVED' })}`),
  ),
  scenario('page of the home', { trips: 3, read: 900 }, () => page('')),
  scenario('product and status, 50 bugs', { trips: 1, read: 1800, goal: 5 }, ({ product }) =>
    search({ status: 'RESOLVED', product }),
  ),
  scenario('product and status, 50 bugs, three fields', { trips: 1, read: 270 }, ({ product }) =>
    search({ status: 'RESOLVED', product, ...THREE_FIELDS }),
  ),
  scenario('assignee, 50 bugs', { trips: 1, read: 1900 }, ({ assignee }) =>
    search({ assigned_to: assignee }),
  ),
  scenario('last change, 50 bugs', { trips: 1, read: 2300 }, ({ since }) =>
    search({ last_change_time: since }),
  ),
  scenario('summary substring, 50 bugs', { trips: 1, read: 1800 }, ({ word }) =>
    search({ summary: word }),
  ),
  scenario('quicksearch, 50 bugs', { trips: 2, read: 2300, goal: 6 }, ({ quicksearch }) =>
    search({ quicksearch }),
  ),
  scenario(
    'quicksearch, 50 bugs, three fields',
    { trips: 2, read: 700, goal: 3 },
    ({ quicksearch }) => search({ quicksearch, ...THREE_FIELDS }),
  ),
  scenario('chart of four rows, 50 bugs', { trips: 1, read: 1950, goal: 6 }, ({ product, word }) =>
    search({
      ...row(1, 'product', 'equals', product),
      ...row(2, 'bug_status', 'notequals', 'VERIFIED'),
      ...row(3, 'short_desc', 'substring', word),
      ...row(4, 'longdescs.count', 'greaterthan', '0'),
    }),
  ),
  scenario('comment word, 50 bugs', { trips: 1, read: 3100, goal: 5 }, () =>
    search({ longdesc: 'keyboard', longdesc_type: 'allwords', ...THREE_FIELDS }),
  ),
  scenario('status changes, 50 bugs', { trips: 1, read: 1000, goal: 6 }, ({ statusSince }) =>
    search({ ...row(1, 'bug_status', 'changedafter', statusSince), ...THREE_FIELDS }),
  ),
  scenario(
    'number of bugs of a product',
    { trips: 1, read: 460, goal: 3, grows: 'every bug of the product is counted' },
    ({ product }) => read('bug', { count_only: '1', product }),
  ),
  scenario('POST bug', { trips: 2, read: 180, written: 38, goal: 4 }, ({ product, component }, n) =>
    write('POST', 'bug', {
      ...{ product, component, version: 'unspecified' },
      summary: `The window does not close, seen ${n} times`,
      description: `Steps:\n1. Open a window\n2. Close it\n\nIt stays. This is report ${n}.`,
    }),
  ),
  scenario(
    'POST bug, ten webhooks',
    { trips: 2, read: 182, written: 40 },
    ({ product, heardComponent }, n) =>
      write('POST', 'bug', {
        ...{ product, component: heardComponent, version: 'unspecified' },
        summary: `The door does not open, seen ${n} times`,
        description: `Steps:\n1. Knock\n2. Wait\n\nNothing happens. This is report ${n}.`,
      }),
  ),
  scenario('PUT bug', { trips: 2, read: 152, written: 30 }, ({ writable }, n) =>
    write('PUT', `bug/${pickNth(writable, n)}`, {
      whiteboard: `seen ${n} times`,
      priority: n % 2 === 0 ? 'P1' : 'P2',
    }),
  ),
  scenario('POST comment', { trips: 2, read: 90, written: 20 }, ({ writable }, n) =>
    write('POST', `bug/${pickNth(writable, n)}/comment`, {
      comment: `It happened again, which makes ${n} times.\n\nNothing else changed.`,
    }),
  ),
  scenario('push', { trips: 3, read: 100, written: 20 }, ({ writable }, n) => ({
    ...write('POST', 'codehost/push_comment', {
      ref: 'refs/heads/main',
      repository: { full_name: 'example/browser', default_branch: 'main' },
      commits: [0, 1, 2].map((commit) => ({
        message: `Bug ${pickNth(writable, n + (commit % 2))}: Part ${commit} of push ${n}`,
        url: `https://github.com/example/browser/commit/${n}-${commit}`,
        author: { username: 'sam', name: 'Sam' },
      })),
    }),
    event: 'push',
  })),
  scenario('pull request', { trips: 3, read: 150, written: 40 }, ({ writable }, n) => ({
    ...write('POST', 'codehost/pull_request', {
      action: 'opened',
      pull_request: {
        html_url: `https://github.com/example/browser/pull/${n}`,
        number: n,
        title: `Bug ${pickNth(writable, n)}: Make it right`,
      },
      repository: { full_name: 'example/browser' },
    }),
    event: 'pull_request',
  })),
]

/** The headers with which a code host sends a request, signed with the key of the bot. */
export function signEvent({ event, body }: Request, botKey: string): Record<string, string> {
  const hash = createHmac('sha256', botKey).update(JSON.stringify(body)).digest('hex')
  return { 'x-github-event': event ?? '', 'x-hub-signature-256': `sha256=${hash}` }
}

function scenario(name: string, limits: Limits, request: Scenario['request']): Scenario {
  return { name, ...limits, request }
}

function read(path: string, query?: Record<string, string>): Request {
  const suffix = query === undefined ? '' : `?${new URLSearchParams(query)}`
  return { method: 'GET', path: `/rest/${path}${suffix}` }
}

/** A page for people, which reads the credentials of the API too. */
function page(path: string): Request {
  return { method: 'GET', path: `/${path}`, headers: { accept: 'text/html' } }
}

/** A page without the number of all hits, which a small tracker, such as that of the budgets, would count too. */
function search(query: Record<string, string>): Request {
  return read('bug', { limit: '50', count_total: '0', ...query })
}

/** A row of a custom search. */
export function row(n: number, field: string, operator: string, value: string) {
  return { [`f${n}`]: field, [`o${n}`]: operator, [`v${n}`]: value }
}

function write(method: 'POST' | 'PUT', path: string, body: Record<string, unknown>): Request {
  return { method, path: `/rest/${path}`, body }
}

function pickNth(ids: readonly number[], n: number): number {
  return ids[n % ids.length] ?? 0
}
