import { createHmac } from 'node:crypto'
import type { Landmarks } from './landmarks.ts'
import type { BaselineName } from './servers.ts'

/** The limits of what an isolate loads at its start, and of all parts together, compressed as for the upload. */
export const BUNDLE_GZIP_KILOBYTES = 400
export const UPLOAD_GZIP_KILOBYTES = 650

export type Request = {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  body?: Record<string, unknown>
  /** The event of a code host, which signs the body. */
  event?: string
  /** Beside those of the caller. */
  headers?: Record<string, string>
}

export type Scenario = {
  name: string
  /**
   * The most that one request with an API key may cost in a tracker of 1,000 bugs; rows are counted as D1 bills them.
   * Each table of which a row was ever written costs every insert that makes an ID one row, because SQLite reads
   * through its list of the last IDs.
   */
  budget: { trips: number; read: number; written?: number }
  /** The n-th request of a run. */
  request: (landmarks: Landmarks, n: number) => Request
  /** The limit of its p50 with one connection, as a multiple of the p50 of a baseline, by default `one row`. */
  goal?: { times: number; baseline?: BaselineName }
  /** Why its rows may grow with the tracker; without a reason they must not. */
  grows?: string
}

const THREE_FIELDS = { include_fields: 'id,summary,status' }

/** Everything that the bench measures. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'version',
    budget: { trips: 0, read: 0 },
    request: () => read('version'),
    goal: { times: 1.15, baseline: 'constant' },
  },
  {
    name: 'bug',
    budget: { trips: 1, read: 50 },
    request: ({ bug }) => read(`bug/${bug}`),
    goal: { times: 2.5 },
  },
  {
    name: 'bug, all fields',
    budget: { trips: 1, read: 140 },
    request: ({ bug }) => read(`bug/${bug}`, { include_fields: '_all' }),
  },
  {
    name: 'bug, ID and summary',
    budget: { trips: 1, read: 15 },
    request: ({ bug }) => read(`bug/${bug}`, { include_fields: 'id,summary' }),
  },
  {
    name: 'comments of a long bug',
    budget: { trips: 1, read: 520 },
    request: ({ longBug }) => read(`bug/${longBug}/comment`),
  },
  {
    name: 'product and status, 50 bugs',
    budget: { trips: 1, read: 1800 },
    request: ({ product }) => search({ status: 'RESOLVED', product }),
    goal: { times: 5 },
  },
  {
    name: 'product and status, 50 bugs, three fields',
    budget: { trips: 1, read: 270 },
    request: ({ product }) => search({ status: 'RESOLVED', product, ...THREE_FIELDS }),
  },
  {
    name: 'assignee, 50 bugs',
    budget: { trips: 1, read: 1900 },
    request: ({ assignee }) => search({ assigned_to: assignee }),
  },
  {
    name: 'last change, 50 bugs',
    budget: { trips: 1, read: 2300 },
    request: ({ since }) => search({ last_change_time: since }),
  },
  {
    name: 'summary substring, 50 bugs',
    budget: { trips: 1, read: 1800 },
    request: ({ word }) => search({ summary: word }),
  },
  {
    name: 'quicksearch, 50 bugs',
    budget: { trips: 2, read: 2300 },
    request: ({ quicksearch }) => search({ quicksearch }),
    goal: { times: 6 },
  },
  {
    name: 'quicksearch, 50 bugs, three fields',
    budget: { trips: 2, read: 700 },
    request: ({ quicksearch }) => search({ quicksearch, ...THREE_FIELDS }),
    goal: { times: 3 },
  },
  {
    name: 'chart of four rows, 50 bugs',
    budget: { trips: 1, read: 1900 },
    request: ({ product, word }) =>
      search({
        ...row(1, 'product', 'equals', product),
        ...row(2, 'bug_status', 'notequals', 'VERIFIED'),
        ...row(3, 'short_desc', 'substring', word),
        ...row(4, 'longdescs.count', 'greaterthan', '0'),
      }),
    goal: { times: 6 },
  },
  {
    name: 'comment word, 50 bugs',
    budget: { trips: 1, read: 3100 },
    request: () => search({ longdesc: 'keyboard', longdesc_type: 'allwords', ...THREE_FIELDS }),
    goal: { times: 5 },
  },
  {
    name: 'status changes, 50 bugs',
    budget: { trips: 1, read: 1000 },
    request: ({ statusSince }) =>
      search({ ...row(1, 'bug_status', 'changedafter', statusSince), ...THREE_FIELDS }),
    goal: { times: 6 },
  },
  {
    name: 'number of bugs of a product',
    budget: { trips: 1, read: 460 },
    request: ({ product }) => read('bug', { count_only: '1', product }),
    goal: { times: 3 },
    grows: 'every bug of the product is counted',
  },
  {
    name: 'POST bug',
    budget: { trips: 2, read: 180, written: 38 },
    request: ({ product, component }, n) =>
      write('POST', 'bug', {
        ...{ product, component, version: 'unspecified' },
        summary: `The window does not close, seen ${n} times`,
        description: `Steps:\n1. Open a window\n2. Close it\n\nIt stays. This is report ${n}.`,
      }),
    goal: { times: 4 },
  },
  {
    name: 'POST bug, ten webhooks',
    budget: { trips: 2, read: 182, written: 40 },
    request: ({ product, heardComponent }, n) =>
      write('POST', 'bug', {
        ...{ product, component: heardComponent, version: 'unspecified' },
        summary: `The door does not open, seen ${n} times`,
        description: `Steps:\n1. Knock\n2. Wait\n\nNothing happens. This is report ${n}.`,
      }),
  },
  {
    name: 'PUT bug',
    budget: { trips: 2, read: 152, written: 30 },
    request: ({ writable }, n) =>
      write('PUT', `bug/${pickNth(writable, n)}`, {
        whiteboard: `seen ${n} times`,
        priority: n % 2 === 0 ? 'P1' : 'P2',
      }),
  },
  {
    name: 'POST comment',
    budget: { trips: 2, read: 90, written: 20 },
    request: ({ writable }, n) =>
      write('POST', `bug/${pickNth(writable, n)}/comment`, {
        comment: `It happened again, which makes ${n} times.\n\nNothing else changed.`,
      }),
  },
  {
    name: 'push',
    budget: { trips: 3, read: 100, written: 20 },
    request: ({ writable }, n) => ({
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
    }),
  },
  {
    name: 'pull request',
    budget: { trips: 3, read: 150, written: 40 },
    request: ({ writable }, n) => ({
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
    }),
  },
]

/** The headers with which a code host sends a request, signed with the key of the bot. */
export function signEvent({ event, body }: Request, botKey: string): Record<string, string> {
  const hash = createHmac('sha256', botKey).update(JSON.stringify(body)).digest('hex')
  return { 'x-github-event': event ?? '', 'x-hub-signature-256': `sha256=${hash}` }
}

function read(path: string, query?: Record<string, string>): Request {
  const suffix = query === undefined ? '' : `?${new URLSearchParams(query)}`
  return { method: 'GET', path: `/rest/${path}${suffix}` }
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
