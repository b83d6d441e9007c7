import type { ScenarioName } from './budgets.ts'
import type { Landmarks } from './landmarks.ts'

export type Request = {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  body?: Record<string, unknown>
}

export type YardstickName = 'constant' | 'one row'

export type Scenario = {
  name: ScenarioName
  /** The request to be sent as the n-th of a run. */
  request: (at: Landmarks, n: number) => Request
  /** At most so many times the p50 of a yardstick, with one connection. */
  goal?: { yardstick: YardstickName; times: number }
  /** Why its rows may grow with the tracker; without it they must not. */
  grows?: string
}

const PAGE = 'limit=50'
const get = (path: string): Request => ({ method: 'GET', path: `/rest/${path}` })

/** What is measured: one row each. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'version',
    request: () => get('version'),
    goal: { yardstick: 'constant', times: 1.15 },
  },
  {
    name: 'bug',
    request: ({ bug }) => get(`bug/${bug}`),
    goal: { yardstick: 'one row', times: 2.5 },
  },
  {
    name: 'bug, all fields',
    request: ({ bug }) => get(`bug/${bug}?include_fields=_all`),
  },
  {
    name: 'bug, ID and summary',
    request: ({ bug }) => get(`bug/${bug}?include_fields=id,summary`),
  },
  {
    name: 'comments of a long bug',
    request: ({ longBug }) => get(`bug/${longBug}/comment`),
  },
  {
    name: 'product and status, 50 bugs',
    request: ({ product }) => get(`bug?${PAGE}&status=RESOLVED&${named({ product })}`),
    goal: { yardstick: 'one row', times: 5 },
  },
  {
    name: 'product and status, 50 bugs, three fields',
    request: ({ product }) =>
      get(`bug?${PAGE}&status=RESOLVED&${named({ product })}&include_fields=id,summary,status`),
  },
  {
    name: 'assignee, 50 bugs',
    request: ({ assignee }) => get(`bug?${PAGE}&${named({ assigned_to: assignee })}`),
  },
  {
    name: 'last change, 50 bugs',
    request: ({ since }) => get(`bug?${PAGE}&${named({ last_change_time: since })}`),
  },
  {
    name: 'summary substring, 50 bugs',
    request: ({ word }) => get(`bug?${PAGE}&${named({ summary: word })}`),
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
    goal: { yardstick: 'one row', times: 4 },
  },
  {
    name: 'PUT bug',
    request: ({ writable }, n) => ({
      method: 'PUT',
      path: `/rest/bug/${nth(writable, n)}`,
      body: { whiteboard: `seen ${n} times`, priority: n % 2 === 0 ? 'P1' : 'P2' },
    }),
  },
  {
    name: 'POST comment',
    request: ({ writable }, n) => ({
      method: 'POST',
      path: `/rest/bug/${nth(writable, n)}/comment`,
      body: { comment: `It happened again, which makes ${n} times.\n\nNothing else changed.` },
    }),
  },
]

function named(parameters: Record<string, string>): string {
  return new URLSearchParams(parameters).toString()
}

function nth(ids: readonly number[], n: number): number {
  return ids[n % ids.length] ?? 0
}
