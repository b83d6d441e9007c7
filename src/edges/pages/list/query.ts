import { CREDENTIAL_PARAMETERS } from '../../../platform/http/request/credentials.ts'
import { perObject } from '../../../platform/lib/isolate.ts'
import { isSearchParameter } from '../../../tracker/search/parameters/parse.ts'

/** What an address of a list says of how it is shown, and what its search is no part of. */
const OF_PAGE: ReadonlySet<string> = new Set([
  ...CREDENTIAL_PARAMETERS,
  ...'login password callback include_fields exclude_fields count_only count_total after'.split(
    ' ',
  ),
  ...'changed choose limit offset columnlist column_list ctype format human tweak query_format list_id rows'.split(
    ' ',
  ),
])

/** Rows of a page that asks for no other number, and the most that it may have. */
const PAGE_ROWS = 50
const MAX_PAGE_ROWS = 500

const DEFAULT_ORDER = 'changeddate DESC'

/** What the address of a list asks for. */
export type ListQuery = {
  /** The search alone, as the API takes it. */
  readonly criteria: Readonly<Record<string, readonly string[]>>
  readonly order: string
  readonly limit: number
  readonly offset: number
  readonly columnList: readonly string[]
  /** The names of parameters that mean nothing, or whose value does not. */
  readonly ignored: readonly string[]
  /** Whether all that is found is counted, however much that is. */
  readonly isCounted: boolean
}

export function readListQuery({ searchParams }: URL): ListQuery {
  const rows = [...searchParams].filter(([name]) => !OF_PAGE.has(name.toLowerCase()))
  const criteria: Record<string, string[]> = Object.fromEntries(
    [...Map.groupBy(rows, ([name]) => name)].map(([name, all]) => [
      name,
      all.map(([, value]) => value),
    ]),
  )
  const { order, ...others } = criteria
  const columns = order?.filter((text) => text.trim() !== '') ?? []
  const limit = readWholeNumber(searchParams, 'limit')
  const isGiven = (name: string) => searchParams.getAll(name).some((text) => text.trim() !== '')
  return {
    ignored: [
      ...Object.keys(others).filter((name) => !isSearchParameter(name)),
      ...['limit', 'offset'].filter((name) => readWholeNumber(searchParams, name) === null),
    ].filter(isGiven),
    criteria: others,
    order: columns.length > 0 ? columns.join(',') : isNamed(others) ? '' : DEFAULT_ORDER,
    limit: limit === null ? PAGE_ROWS : Math.min(limit || MAX_PAGE_ROWS, MAX_PAGE_ROWS),
    offset: readWholeNumber(searchParams, 'offset') ?? 0,
    isCounted: searchParams.get('count_total') === '1',
    columnList: [...searchParams.getAll('columnlist'), ...searchParams.getAll('column_list')],
  }
}

/** A saved search may have an order of its own. */
function isNamed(criteria: ListQuery['criteria']): boolean {
  return criteria.savedsearch !== undefined || criteria.namedcmd !== undefined
}

/** Null for what is no whole number. */
export function readWholeNumber(parameters: URLSearchParams, name: string): number | null {
  const text = parameters.get(name)?.trim() ?? ''
  return /^\d{1,9}$/.test(text) ? Number(text) : null
}

/** What no link takes along: credentials, and what one page alone shows. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...CREDENTIAL_PARAMETERS,
  'login',
  'password',
  'choose',
  'changed',
])

type Pair = { readonly name: string; readonly text: string }

/** The address of this list with other values of some parameters; null takes one out, and credentials go always. */
export function linkToList(
  url: URL,
  changes: Readonly<Record<string, string | null>> = {},
  path = '/bugs',
): string {
  const kept = pairsOf(url).filter(({ name }) => !Object.hasOwn(changes, name))
  const set = Object.entries(changes).flatMap(([name, value]) =>
    value === null ? [] : [writePair(name, value)],
  )
  const all = [...kept, ...set]
  return all.length === 0 ? path : `${path}?${all.map(({ text }) => text).join('&')}`
}

/** The parameters of an address as they stand in links: a list has a link for each of its columns. */
const pairsOf = perObject(({ searchParams }: URL): readonly Pair[] =>
  [...searchParams].flatMap(([name, value]) =>
    LEFT_OUT.has(name) ? [] : [writePair(name, value)],
  ),
)

function writePair(name: string, value: string): Pair {
  return { name, text: String(new URLSearchParams([[name, value]])) }
}

/** The search as a text, as saved searches hold it. */
export function writeCriteria({ criteria, order }: ListQuery): string {
  const parameters = new URLSearchParams()
  for (const [name, values] of Object.entries(criteria)) {
    for (const value of values) {
      parameters.append(name, value)
    }
  }
  if (order !== '') {
    parameters.set('order', order)
  }
  return String(parameters)
}

/** The columns of an order with the new one ahead, which turns around when it is there already. */
export function orderBy(order: string, column: string): string {
  const present = order.split(',').map((part) => part.trim())
  const isAscending =
    present[0] === column || present[0]?.toUpperCase() === `${column.toUpperCase()} ASC`
  const others = present.filter((part) => {
    const [name = '', direction = 'ASC', ...rest] = part.split(/\s+/)
    return name !== '' && name !== column && rest.length === 0 && /^(?:asc|desc)$/i.test(direction)
  })
  return [isAscending ? `${column} DESC` : column, ...others].slice(0, MAX_SORTED).join(',')
}

const MAX_SORTED = 3

/** Parameters of the form that mean nothing without others. */
const COMPANIONS: readonly (readonly [RegExp, string])[] = [
  [/^(.+)_type$/, '$1'],
  [/^emailtype(\d+)$/, 'email$1'],
  [/^email[a-z_]+(\d+)$/, 'email$1'],
  [/^[ovn](\d+)$/, 'f$1'],
]

/** The address that the form would have sent without the fields that were left alone; null for any other. */
export function withoutBlanks(url: URL): string | null {
  if (url.searchParams.get('query_format') !== 'advanced') {
    return null
  }
  const isGiven = (name: string) => url.searchParams.getAll(name).some((text) => text.trim() !== '')
  const clean = new URL(url)
  for (const name of new Set(url.searchParams.keys())) {
    const companion = COMPANIONS.find(([pattern]) => pattern.test(name))
    const leader = companion === undefined ? name : name.replace(...companion)
    const isBlank = name !== 'resolution' && !(isGiven(name) && isGiven(leader))
    if (isBlank || name === 'query_format') {
      clean.searchParams.delete(name)
    }
  }
  const hasRows = [...clean.searchParams.keys()].some((name) => /^f\d+$/.test(name))
  return linkToList(clean, hasRows ? {} : { j_top: null })
}
