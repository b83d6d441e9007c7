import type { Parameters } from '../../../platform/http/request/app-env.ts'
import { withoutCredentials } from '../../../platform/http/request/credentials.ts'
import type { PageInfo } from '../../../platform/http/response/paged-answer.ts'
import * as shapes from '../shapes.ts'
import { readCount, readOffset, shortenObjects, takeFitting } from '../shorten.ts'
import type { Tool, ToolAnswer, ToolResult } from '../types.ts'

/** What a list shows of each bug. */
const LISTED =
  'id,alias,summary,status,resolution,type,product,component,priority,severity,assigned_to,keywords,last_change_time'

/** The fields of a list; people are named by their logins alone. */
const FIELDS = { include_fields: LISTED, exclude_fields: 'assigned_to_detail' }

const { text, texts, whole, yesNo } = shapes

/** Parameters that a note names. */
const MAX_UNUSED = 20

const PAGE = { what: 'bugs', normal: 20, most: 100 }

export const searchBugsTool: Tool = {
  name: 'search_bugs',
  title: 'Search bugs',
  description:
    'Finds bugs that meet every given criterion; at least one is needed. Start with `quicksearch`, or with the plain criteria for exact values. Names of products, components and values must be exact: see list_products, get_product and get_field.',
  effect: 'read',
  takes: {
    quicksearch: text(
      'Words in summaries and comments, as people type them, such as `crash component:printing -@kim`. Finds open bugs alone unless the first word is ALL or a status is named',
    ),
    content: text('Words in the summary or in comments'),
    summary: text('A part of the summary'),
    product: texts('Names of products'),
    component: texts('Names of components'),
    status: texts('Names of statuses; `__open__` and `__closed__` stand for all of a kind'),
    resolution: texts('Names of resolutions; `---` finds bugs without one'),
    priority: texts('Names of priorities'),
    severity: texts('Names of severities'),
    keywords: texts('Keywords, all of which a bug must have'),
    assigned_to: text('Login; `%user%` is the caller'),
    creator: text('Login of who filed the bug; `%user%` is the caller'),
    creation_time: text('Filed at this time or later, such as 2026-01-31T12:00:00Z'),
    last_change_time: text('Changed at this time or later'),
    query: text(
      'More parameters of GET /rest/bug as a query string, such as a custom search: `f1=cc&o1=substring&v1=kim`',
    ),
    order: text('Order of the bugs, such as `changeddate DESC` or `priority,bug_id`'),
    count_only: yesNo('Return the number of bugs alone'),
    ...shapes.page(PAGE),
  },
  operation: 'GET /bug',
  gives: { bugs: shapes.objects, bug_count: whole('How many bugs there are'), note: shapes.note },
  toParameters: (given) => ({ ...parseQuery(given.query), ...argumentParameters(given) }),
  toResult: presentFound,
}

/** What a search takes from its arguments, whatever the query says. */
function argumentParameters({ query, ...given }: Parameters): Parameters {
  return { ...given, ...pageParameters(given), ...FIELDS }
}

export const findDuplicatesTool: Tool = {
  name: 'find_duplicates',
  title: 'Find possible duplicates',
  description:
    'Finds bugs, open and closed, whose summaries resemble that of a bug to be filed. Call it before file_bug.',
  effect: 'read',
  takes: {
    summary: text('The summary of the new bug'),
    product: texts('Names of the products to look in; all unless given'),
    limit: whole('Most bugs to return: 7 unless given, 25 at most'),
  },
  required: ['summary'],
  operation: 'GET /bug/possible_duplicates',
  gives: { bugs: shapes.objects, note: shapes.note },
  toParameters: (given) => ({ ...given, ...FIELDS }),
  toResult: presentFound,
}

export const myRequestsTool: Tool = {
  name: 'my_requests',
  title: 'List what the caller is asked',
  description:
    'Lists bugs with flags that ask the caller for something, such as a review or information, with the flags of the bugs and of their attachments that wait for an answer.',
  effect: 'read',
  takes: shapes.page(PAGE),
  operation: 'GET /bug',
  needsLogin: true,
  gives: { bugs: shapes.objects, note: shapes.note },
  toParameters: (given) => ({
    f1: 'requestees.login_name',
    o1: 'equals',
    v1: '%user%',
    order: 'changeddate DESC',
    ...pageParameters(given),
    ...FIELDS,
    include_fields: `${LISTED},flags,attachments.id,attachments.summary,attachments.flags`,
  }),
  toResult: ({ body, ...answer }) => {
    const { bugs } = body as { bugs: RequestedBug[] }
    return presentFound({ ...answer, body: { bugs: bugs.map(keepRequests) } })
  },
}

type Flag = { readonly status: string }
type Flagged = { readonly flags?: readonly Flag[] }
type RequestedBug = Flagged & { readonly attachments?: readonly Flagged[] }

function keepRequests({ attachments = [], ...bug }: RequestedBug): RequestedBug {
  const asked = attachments.map(keepAskedFlags).filter(({ flags = [] }) => flags.length > 0)
  return { ...keepAskedFlags(bug), attachments: asked }
}

function keepAskedFlags<Holder extends Flagged>(holder: Holder): Holder {
  return { ...holder, flags: (holder.flags ?? []).filter(({ status }) => status === '?') }
}

/** Repeated names are lists. Credentials in it do not count. */
function parseQuery(query: unknown): Parameters {
  const entries = [...new URLSearchParams(typeof query === 'string' ? query : '')]
  const byName = Map.groupBy(entries, ([name]) => name)
  const lists = [...byName].map(([name, pairs]) => [name, pairs.map(([, value]) => value)])
  return withoutCredentials(Object.fromEntries(lists), 'query')
}

function pageParameters(given: Parameters): Parameters {
  return { limit: readCount(given, 'limit', PAGE), offset: readOffset(given) }
}

type Found = {
  readonly bugs?: object[]
  readonly bug_count?: number
  readonly faults?: readonly { readonly faultString: string }[]
}

function presentFound({ body, page, given, ...answer }: ToolAnswer): ToolResult {
  const { bugs, bug_count, faults = [] } = body as Found
  const remarks = [
    ...describeUnused(answer.unused),
    ...describeOverridden(given),
    ...answer.misunderstood,
    ...faults.map(({ faultString }) => faultString),
  ]
  if (bugs === undefined) {
    return { members: { bug_count, ...(remarks.length > 0 && { note: remarks.join(' ') }) } }
  }
  const fitting = takeFitting(shortenObjects(bugs, {}))
  const hasMore = page?.next !== undefined || fitting.length < bugs.length
  const rest = describeRest(fitting.length, hasMore ? (page?.total ?? 'unknown') : null, given)
  const note = [...remarks, rest ?? []].flat().join(' ')
  return { members: { bugs: fitting, ...(note !== '' && { note }) } }
}

/** Unlike other tools, a search takes parameters that are no arguments of their own, and forms send many of them. */
function describeUnused(names: readonly string[]): string[] {
  const listed = names.slice(0, MAX_UNUSED).map((name) => `'${name.slice(0, 100)}'`)
  return listed.length === 0
    ? []
    : [`The query has parameters that do not exist and have no effect: ${listed.join(', ')}.`]
}

function describeOverridden(given: Parameters): string[] {
  const own = argumentParameters(given)
  const names = Object.keys(parseQuery(given.query)).filter((name) => Object.hasOwn(own, name))
  return names.length === 0
    ? []
    : [
        `These have no effect in the query, because the tool sets them: ${names.map((name) => `'${name}'`).join(', ')}.`,
      ]
}

/** Says how many bugs are behind those that are shown, of which there are more unless `total` is null. */
function describeRest(
  shown: number,
  total: PageInfo['total'] | 'unknown' | null,
  given: Parameters,
): string | undefined {
  const offset = readOffset(given)
  const end = offset + shown
  if (total === null || total === undefined) {
    return shown === 0 ? 'No bug that the caller may see matches.' : undefined
  }
  const isKnown = total !== 'unknown' && total.isExact
  const all = isKnown ? `of ${total.count}` : `of more than ${end}`
  return `${offset + 1} to ${end} ${all} bugs. For more, call again with offset ${end}.`
}
