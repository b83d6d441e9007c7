import { limitExpression } from '../../platform/db/drizzle-internals.ts'
import type { QueryCost, SessionHolder } from '../../platform/db/session.ts'
import { sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { perObject } from '../../platform/lib/isolate.ts'
import { valuesTooMany } from './faults.ts'

/** Values of fields, products and their parts that one request lists: of more, few answers would fit into memory. */
const MAX_LISTED = 30_000

/** The rows of one list: one more than a request may list, so that nobody takes a part for the whole. */
export const LISTED_ROWS = limitExpression(sql`${MAX_LISTED + 1} + 0`)

/** Parts of one kind that a page lists, in whose forms the names of more are typed. */
export const MOST_OF_PAGE = 5_000

/** The rows of one such list: one more, which tells that there are more. */
export const ROWS_OF_PAGE = limitExpression(sql`${MOST_OF_PAGE + 1} + 0`)

/** What one request has listed, however many calls it makes. */
const listedBy = perObject((_: QueryCost) => ({ rows: 0 }))

/** Counts the rows of these lists before any is presented. Throws a fault when they are more than a request may list. */
export function admitListed(
  { session }: SessionHolder,
  lists: readonly (readonly unknown[] | undefined)[],
  advice: string,
): void {
  const listed = listedBy(session.cost)
  for (const rows of lists) {
    listed.rows += rows?.length ?? 0
  }
  if (listed.rows > MAX_LISTED) {
    throw fault(valuesTooMany, { most: MAX_LISTED.toLocaleString('en'), advice })
  }
}
