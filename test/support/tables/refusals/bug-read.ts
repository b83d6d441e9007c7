import type { Refusal } from './refusal.ts'

type BugRefusal = Refusal<'reporter' | 'anyone'>

/** What the operations that read one bug refuse; `after` is the path below the bug. */
function readRefusals(after: string): readonly BugRefusal[] {
  return [
    { code: 100, by: 'reporter', request: `GET /bug/no-such-alias${after}` },
    { code: 100, by: 'reporter', request: `GET /bug/0${after}` },
    { code: 100, by: 'reporter', request: `GET /bug/-1${after}` },
    { code: 101, by: 'reporter', request: `GET /bug/2147483647${after}`, naming: '2147483647' },
    { code: 102, by: 'reporter', request: `GET /bug/{hidden}${after}` },
    { code: 102, by: 'anyone', request: `GET /bug/{hidden}${after}` },
    { code: 56, by: 'reporter', request: `GET /bug/{bug}${after}?new_since=lately` },
  ]
}

export const GET_BUG_REFUSALS = readRefusals('')
export const HISTORY_REFUSALS: readonly BugRefusal[] = [
  ...readRefusals('/history'),
  { code: 102, by: 'reporter', request: 'GET /bug/{hidden}/history?newest=1' },
  { code: 52, by: 'reporter', request: 'GET /bug/{bug}/history?newest=few', naming: 'newest' },
  { code: 53, by: 'reporter', request: 'GET /bug/{bug}/history?before=lately', naming: 'before' },
  { code: 53, by: 'reporter', request: 'GET /bug/{bug}/history?from=lately', naming: 'from' },
]

/** What Search Bugs refuses. */
export const SEARCH_REFUSALS: readonly BugRefusal[] = [
  { code: 1000, by: 'reporter', request: 'GET /bug' },
  { code: 1000, by: 'reporter', request: 'GET /bug?product=&limit=5' },
  { code: 50, by: 'reporter', request: 'GET /bug?status=RESOLVED&offset=5', naming: 'limit' },
  { code: 52, by: 'reporter', request: 'GET /bug?status=RESOLVED&limit=few', naming: 'limit' },
]
