import type { SQL } from 'drizzle-orm'
import { compile } from '../db/compile.ts'
import { fault } from '../faults.ts'

/** Characters of the text of a condition. D1 takes statements of 100,000 bytes, and this is a part of one. */
const MAX_LENGTH = 80_000
/** A condition up to here may stand in one statement several times. */
const MAX_REPEATED_LENGTH = 15_000
/** A search with fewer criteria is never long. */
const FEW_CRITERIA = 4

/**
 * Whether the condition of a search is so short that its statement may hold several plans and a count; fault
 * 32000 where it is too long for a statement. Reference: search.md, "How criteria combine".
 */
export function isShortCondition(condition: SQL, criteria: number): boolean {
  if (criteria <= FEW_CRITERIA) {
    return true
  }
  const { length } = compile(condition).sql
  if (length > MAX_LENGTH) {
    throw fault('searchInvalid', {
      source: 'it',
      reason: 'has more conditions than fit into one statement; leave some out',
    })
  }
  return length <= MAX_REPEATED_LENGTH
}
