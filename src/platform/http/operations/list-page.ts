import { fault, numberTooLarge, offsetWithoutLimit } from '../../faults/fault.ts'
import { count } from './shapes.ts'

/** The parameters of a list that say which page of it is asked for. */
export const pageInput = { limit: count(), offset: count() }

/** Rows that most lists skip at most, because each of them is read. */
export const MAX_OFFSET = 10_000

/** The page that is asked for: up to `most` rows, behind up to `mostOffset` that are skipped. */
export function pageOfList(
  { limit, offset }: { readonly limit?: number | undefined; readonly offset?: number | undefined },
  most: number,
  mostOffset = Number.POSITIVE_INFINITY,
): { readonly limit: number; readonly offset: number } {
  if (offset !== undefined && limit === undefined) {
    throw fault(offsetWithoutLimit)
  }
  if (offset !== undefined && offset > mostOffset) {
    throw fault(numberTooLarge, {
      field: 'offset',
      value: String(offset),
      most: String(mostOffset),
    })
  }
  return { limit: Math.min(limit || most, most), offset: offset ?? 0 }
}
