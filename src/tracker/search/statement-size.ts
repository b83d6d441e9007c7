import type { SQL } from 'drizzle-orm'
import { compile } from '../../platform/db/compile.ts'
import { fault } from '../../platform/faults/fault.ts'
import { searchInvalid } from './faults.ts'

/** Characters of a condition and its order, a part of a statement; D1 takes statements of 100,000 bytes. */
const MAX_LENGTH = 80_000
/** A condition up to here may stand in one statement several times. */
const MAX_REPEATED_LENGTH = 15_000
/**
 * So many, of which none takes more than 2,500 characters, fit into a statement twice: two words of a
 * quicksearch.
 */
const FEW_CRITERIA = 15
const SHORT_ORDER = 1000

/** The characters that the condition and the order of a search take in its statement; 0 for few of them. */
export function measureSearch(
  condition: () => SQL,
  order: readonly SQL[],
  criteria: number,
): number {
  // the order stands in the select of the page and around it
  const orderLength = 2 * order.reduce((sum, each) => sum + compile(each).sql.length, 0)
  return criteria <= FEW_CRITERIA && orderLength <= SHORT_ORDER
    ? 0
    : compile(condition()).sql.length + orderLength
}

/** Fault 32000 for a search that no statement can hold. Reference: search.md, "How criteria combine". */
export function assertFitsStatement(length: number): void {
  if (length > MAX_LENGTH) {
    throw fault(searchInvalid, {
      source: 'it',
      reason: 'has more conditions than fit into one statement; leave some out',
    })
  }
}

/** Whether a search is so short that its statement may hold several plans and a count. */
export function canRepeat(length: number): boolean {
  return length <= MAX_REPEATED_LENGTH
}
