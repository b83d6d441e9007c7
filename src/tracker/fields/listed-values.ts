import { limitExpression } from '../../platform/db/drizzle-internals.ts'
import { MOST_OF_REQUEST, take } from '../../platform/db/request-limits.ts'
import type { SessionHolder } from '../../platform/db/session.ts'
import { sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { valuesTooMany } from './faults.ts'

/** The rows of one list: one more than a request may list, so that nobody takes a part for the whole. */
export const LISTED_ROWS = limitExpression(sql`${MOST_OF_REQUEST.listedValues + 1} + 0`)

/** Parts of one kind that a page lists, in whose forms the names of more are typed. */
export const MOST_OF_PAGE = 5_000

/** The rows of one such list: one more, which tells that there are more. */
export const ROWS_OF_PAGE = limitExpression(sql`${MOST_OF_PAGE + 1} + 0`)

/** Counts the rows of these lists before any is presented. Throws a fault when they are more than a request may list. */
export function admitListed(
  ctx: SessionHolder,
  lists: readonly (readonly unknown[] | undefined)[],
  advice: string,
): void {
  const most = MOST_OF_REQUEST.listedValues
  const listed = lists.reduce((sum, rows) => sum + (rows?.length ?? 0), 0)
  if (take(ctx, 'listedValues', listed) > most) {
    throw fault(valuesTooMany, { most: most.toLocaleString('en'), advice })
  }
}
