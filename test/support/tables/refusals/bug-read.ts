import { type Refusal, refused } from './refusal.ts'

type BugRefusal = Refusal<'reporter' | 'anyone'>

/** What the operations that read one bug refuse; `after` is the path below the bug. */
function readRefusals(after: string): readonly BugRefusal[] {
  return [
    refused(100, 'reporter', `GET /bug/no-such-alias${after}`),
    refused(100, 'reporter', `GET /bug/0${after}`),
    refused(100, 'reporter', `GET /bug/-1${after}`),
    { code: 101, by: 'reporter', request: `GET /bug/2147483647${after}`, naming: '2147483647' },
    refused(102, 'reporter', `GET /bug/{hidden}${after}`),
    refused(102, 'anyone', `GET /bug/{hidden}${after}`),
    refused(56, 'reporter', `GET /bug/{bug}${after}?new_since=lately`),
  ]
}

export const GET_BUG_REFUSALS = readRefusals('')
export const HISTORY_REFUSALS: readonly BugRefusal[] = [
  ...readRefusals('/history'),
  refused(102, 'reporter', 'GET /bug/{hidden}/history?newest=1'),
  { code: 52, by: 'reporter', request: 'GET /bug/{bug}/history?newest=few', naming: 'newest' },
  { code: 53, by: 'reporter', request: 'GET /bug/{bug}/history?before=lately', naming: 'before' },
  { code: 53, by: 'reporter', request: 'GET /bug/{bug}/history?from=lately', naming: 'from' },
]

/** What Search Bugs refuses. */
export const SEARCH_REFUSALS: readonly BugRefusal[] = [
  refused(1000, 'reporter', 'GET /bug'),
  refused(1000, 'reporter', 'GET /bug?product=&limit=5'),
  { code: 50, by: 'reporter', request: 'GET /bug?status=RESOLVED&offset=5', naming: 'limit' },
  { code: 52, by: 'reporter', request: 'GET /bug?status=RESOLVED&limit=few', naming: 'limit' },
]
