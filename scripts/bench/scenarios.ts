import type { ScenarioName } from './budgets.ts'
import type { Landmarks } from './landmarks.ts'

export type Request = {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  body?: Record<string, unknown>
  /** The event of a code host, which signs the body. */
  event?: string
  /** Beside those of the caller. */
  headers?: Record<string, string>
}

export type BaselineName = 'constant' | 'one row'

export type Scenario = {
  name: ScenarioName
  /** The n-th request of a run. */
  request: (landmarks: Landmarks, n: number) => Request
  /** The limit of its p50 with one connection, as a multiple of the p50 of a baseline. */
  goal?: { baseline: BaselineName; times: number }
  /** Why its rows may grow with the tracker; without a reason they must not. */
  grows?: string
}

/** A small tracker, such as that of the row budgets, would count all hits too. */
const PAGE = 'limit=50&count_total=0'
const getRequest = (path: string): Request => ({ method: 'GET', path: `/rest/${path}` })

/** Everything that the bench measures. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'version',
    request: () => getRequest('version'),
    goal: { baseline: 'constant', times: 1.15 },
  },
  {
    name: 'bug',
    request: ({ bug }) => getRequest(`bug/${bug}`),
    goal: { baseline: 'one row', times: 2.5 },
  },
  {
    name: 'bug, all fields',
    request: ({ bug }) => getRequest(`bug/${bug}?include_fields=_all`),
  },
  {
    name: 'bug, ID and summary',
    request: ({ bug }) => getRequest(`bug/${bug}?include_fields=id,summary`),
  },
  {
    name: 'comments of a long bug',
    request: ({ longBug }) => getRequest(`bug/${longBug}/comment`),
  },
  {
    name: 'product and status, 50 bugs',
    request: ({ product }) => getRequest(`bug?${PAGE}&status=RESOLVED&${encodeQuery({ product })}`),
    goal: { baseline: 'one row', times: 5 },
  },
  {
    name: 'product and status, 50 bugs, three fields',
    request: ({ product }) =>
      getRequest(
        `bug?${PAGE}&status=RESOLVED&${encodeQuery({ product })}&include_fields=id,summary,status`,
      ),
  },
  {
    name: 'assignee, 50 bugs',
    request: ({ assignee }) => getRequest(`bug?${PAGE}&${encodeQuery({ assigned_to: assignee })}`),
  },
  {
    name: 'last change, 50 bugs',
    request: ({ since }) => getRequest(`bug?${PAGE}&${encodeQuery({ last_change_time: since })}`),
  },
  {
    name: 'summary substring, 50 bugs',
    request: ({ word }) => getRequest(`bug?${PAGE}&${encodeQuery({ summary: word })}`),
  },
  {
    name: 'quicksearch, 50 bugs',
    request: ({ quicksearch }) => getRequest(`bug?${PAGE}&${encodeQuery({ quicksearch })}`),
    goal: { baseline: 'one row', times: 6 },
  },
  {
    name: 'quicksearch, 50 bugs, three fields',
    request: ({ quicksearch }) =>
      getRequest(`bug?${PAGE}&${encodeQuery({ quicksearch })}&include_fields=id,summary,status`),
    goal: { baseline: 'one row', times: 3 },
  },
  {
    name: 'chart of four rows, 50 bugs',
    request: ({ product, word }) =>
      getRequest(
        `bug?${PAGE}&${encodeQuery({
          ...encodeRow(1, 'product', 'equals', product),
          ...encodeRow(2, 'bug_status', 'notequals', 'VERIFIED'),
          ...encodeRow(3, 'short_desc', 'substring', word),
          ...encodeRow(4, 'longdescs.count', 'greaterthan', '0'),
        })}`,
      ),
    goal: { baseline: 'one row', times: 6 },
  },
  {
    name: 'comment word, 50 bugs',
    request: () =>
      getRequest(
        `bug?${PAGE}&${encodeQuery({ longdesc: 'keyboard', longdesc_type: 'allwords' })}&include_fields=id,summary,status`,
      ),
    goal: { baseline: 'one row', times: 5 },
  },
  {
    name: 'status changes, 50 bugs',
    request: ({ statusSince }) =>
      getRequest(
        `bug?${PAGE}&${encodeQuery(encodeRow(1, 'bug_status', 'changedafter', statusSince))}&include_fields=id,summary,status`,
      ),
    goal: { baseline: 'one row', times: 6 },
  },
  {
    name: 'number of bugs of a product',
    request: ({ product }) => getRequest(`bug?count_only=1&${encodeQuery({ product })}`),
    goal: { baseline: 'one row', times: 3 },
    grows: 'every bug of the product is counted',
  },
  {
    name: 'POST bug',
    request: ({ product, component }, n) => ({
      method: 'POST',
      path: '/rest/bug',
      body: {
        product,
        component,
        version: 'unspecified',
        summary: `The window does not close, seen ${n} times`,
        description: `Steps:\n1. Open a window\n2. Close it\n\nIt stays. This is report ${n}.`,
      },
    }),
    goal: { baseline: 'one row', times: 4 },
  },
  {
    name: 'POST bug, ten webhooks',
    request: ({ product, heardComponent }, n) => ({
      method: 'POST',
      path: '/rest/bug',
      body: {
        product,
        component: heardComponent,
        version: 'unspecified',
        summary: `The door does not open, seen ${n} times`,
        description: `Steps:\n1. Knock\n2. Wait\n\nNothing happens. This is report ${n}.`,
      },
    }),
  },
  {
    name: 'PUT bug',
    request: ({ writable }, n) => ({
      method: 'PUT',
      path: `/rest/bug/${pickNth(writable, n)}`,
      body: { whiteboard: `seen ${n} times`, priority: n % 2 === 0 ? 'P1' : 'P2' },
    }),
  },
  {
    name: 'POST comment',
    request: ({ writable }, n) => ({
      method: 'POST',
      path: `/rest/bug/${pickNth(writable, n)}/comment`,
      body: { comment: `It happened again, which makes ${n} times.\n\nNothing else changed.` },
    }),
  },
  {
    name: 'push',
    request: ({ writable }, n) => ({
      method: 'POST',
      path: '/rest/codehost/push_comment',
      event: 'push',
      body: {
        ref: 'refs/heads/main',
        repository: { full_name: 'example/browser', default_branch: 'main' },
        commits: [0, 1, 2].map((commit) => ({
          message: `Bug ${pickNth(writable, n + (commit % 2))}: Part ${commit} of push ${n}`,
          url: `https://github.com/example/browser/commit/${n}-${commit}`,
          author: { username: 'sam', name: 'Sam' },
        })),
      },
    }),
  },
  {
    name: 'pull request',
    request: ({ writable }, n) => ({
      method: 'POST',
      path: '/rest/codehost/pull_request',
      event: 'pull_request',
      body: {
        action: 'opened',
        pull_request: {
          html_url: `https://github.com/example/browser/pull/${n}`,
          number: n,
          title: `Bug ${pickNth(writable, n)}: Make it right`,
        },
        repository: { full_name: 'example/browser' },
      },
    }),
  },
]

function encodeQuery(parameters: Record<string, string>): string {
  return new URLSearchParams(parameters).toString()
}

/** A row of a custom search. */
function encodeRow(n: number, field: string, operator: string, value: string) {
  return { [`f${n}`]: field, [`o${n}`]: operator, [`v${n}`]: value }
}

function pickNth(ids: readonly number[], n: number): number {
  return ids[n % ids.length] ?? 0
}
