import type { SQL } from 'drizzle-orm'
import type { Ctx } from '../../../platform/context.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { REACH_LENGTH, RowsTooLong } from '../../../platform/db/read-limit.ts'
import { MOST_OF_REQUEST, take } from '../../../platform/db/request-limits.ts'
import {
  bugCc,
  bugKeywords,
  bugs,
  dependencies,
  regressions,
  seeAlso,
} from '../../../platform/db/schema/bugs.ts'
import { flags } from '../../../platform/db/schema/flags.ts'
import { db, jsonList, sql } from '../../../platform/db/sql.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { bugsTooLong } from '../model/faults.ts'
import type { BugColumn } from './columns.ts'

/** Items of lists that one statement reads, which take some tenths of a second. */
export const MAX_ITEMS_OF_STATEMENT = 15_000

const bug = sql`page.value`

/** How many items a bug has at most in what callers may fill with hundreds. */
const COUNTS: Readonly<Partial<Record<BugColumn, SQL>>> = {
  cc: sql`(SELECT count(*) FROM bug_cc WHERE ${bugCc.bugId} = ${bug})`,
  keywords: sql`(SELECT count(*) FROM bug_keywords WHERE ${bugKeywords.bugId} = ${bug})`,
  flags: sql`(SELECT count(*) FROM flags WHERE ${flags.bugId} = ${bug})`,
  seeAlso: sql`(SELECT count(*) FROM see_also WHERE ${seeAlso.bugId} = ${bug})`,
  dependsOn: sql`(SELECT count(*) FROM dependencies WHERE ${dependencies.bugId} = ${bug})`,
  blocks: sql`(SELECT count(*) FROM dependencies WHERE ${dependencies.dependsOnId} = ${bug})`,
  regressedBy: sql`(SELECT count(*) FROM regressions WHERE ${regressions.bugId} = ${bug})`,
  regressions: sql`(SELECT count(*) FROM regressions WHERE ${regressions.regressedById} = ${bug})`,
  duplicates: sql`(SELECT count(*) FROM bugs WHERE ${bugs.dupeOfId} = ${bug})`,
}

/**
 * Selects the `id` of the bugs of a page, a select of `value`, in its order, and their `items` up to each. Fails with
 * `RowsTooLong` at the first one with which they have more than `most` items in these columns; null where none of these
 * can be long.
 */
export function admittedOf(page: SQL, columns: readonly BugColumn[], most: number): SQL | null {
  const counts = columns.flatMap((name) => COUNTS[name] ?? [])
  return counts.length === 0
    ? null
    : sql`SELECT id, items FROM (SELECT page.value AS id,
        sum(${sql.join(counts, sql` + `)}) OVER (ROWS UNBOUNDED PRECEDING) AS items
      FROM (${page}) AS page) WHERE items <= ${most} OR ${REACH_LENGTH}`
}

/** Counts the items of several bugs in these columns. Refuses them where one request would read too many. */
export async function admitLists(
  ctx: Ctx,
  ids: readonly number[],
  columns: readonly BugColumn[],
): Promise<void> {
  const most = MOST_OF_REQUEST.listItems
  const admitted = admittedOf(jsonList(ids), columns, most)
  if (admitted === null || ids.length < 2) {
    return
  }
  const tooLong = fault(bugsTooLong, { most: most.toLocaleString('en') })
  const items = sql<number>`coalesce(max(items), 0)`.as('all_items')
  const { total } = await readBatch(ctx, {
    total: db.select({ items }).from(sql`(${admitted})`),
  }).catch((error) => {
    throw error instanceof RowsTooLong ? tooLong : error
  })
  if (take(ctx, 'listItems', total[0]?.items ?? 0) > most) {
    throw tooLong
  }
}
