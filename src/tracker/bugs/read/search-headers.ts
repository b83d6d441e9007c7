import type { PageInfo } from '../../../platform/http/response/paged-answer.ts'
import { MAX_COUNTED_BUGS } from './count-total.ts'
import type { Found } from './search-chunks.ts'

/** What the first round trip of a page learns about the whole result. */
export type Seen = {
  /** The number of bugs, up to `MAX_COUNTED_BUGS` + 1; absent unless asked for. */
  readonly counted: number | undefined
  /** How many bugs were found, from the first of the page on. */
  readonly found: number
  /** There are none behind those. */
  readonly isLast: boolean
  /** The last bug of the page and the next one, if they exist and were looked for. */
  readonly ends: readonly number[]
}

/** The page as the caller names it. */
export type GivenPage = { readonly after?: number | undefined; readonly limit?: number | undefined }

/**
 * The total, and the address of the next page. Pages by ID continue after the last bug, so that changes of
 * others lose none.
 */
export function describePage(given: GivenPage, found: Found, seen: Seen): PageInfo {
  const total = describeTotal(given, found, seen)
  const next = describeNext(given, found, seen)
  return { ...(total && { total }), ...(next && { next }) }
}

function describeTotal(
  { after }: GivenPage,
  { offset, limit }: Found,
  { counted, found, isLast, ends }: Seen,
): PageInfo['total'] {
  if (counted !== undefined) {
    const count = Math.min(counted, MAX_COUNTED_BUGS)
    return { count, isExact: counted === count }
  }
  if (after !== undefined || (found === 0 && offset > 0)) {
    return undefined
  }
  if (isLast) {
    return { count: offset + found, isExact: true }
  }
  return ends.length === 0
    ? { count: offset + found, isExact: false }
    : { count: offset + limit + ends.length - 1, isExact: ends.length === 1 }
}

function describeNext(
  { limit }: GivenPage,
  { order, offset, limit: size }: Found,
  { ends: [last, behind] }: Seen,
): PageInfo['next'] {
  if (last === undefined || behind === undefined || limit === undefined) {
    return undefined
  }
  return order.isById ? { after: String(last), offset: null } : { offset: String(offset + size) }
}
