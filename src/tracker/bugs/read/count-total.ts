import type { SQL } from 'drizzle-orm'
import type { BugSet } from '../../../platform/access/bug-set.ts'
import type { Ctx } from '../../../platform/context.ts'
import { selectOf } from '../../../platform/db/read-batch.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { sql } from '../../../platform/db/sql.ts'
import { perObject } from '../../../platform/lib/isolate.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import { bugsOnPage, type Plan } from '../../search/candidate-lists.ts'

/** How far the bugs of a search are counted for `X-Total-Count`. */
export const MAX_COUNTED_BUGS = 10_000

/** A select of how many bugs a search finds, on all its pages. */
export type Total = { readonly plan: Plan; readonly isAsked: boolean }

type Given = { readonly count_total?: boolean | undefined; readonly limit?: number | undefined }

/** Whether the tracker has outgrown COUNT_TOTALS_UP_TO, which saves asking again. */
const tracker = perObject((_: Settings) => ({ isLarge: false }))

/** Whether the bugs of all pages are counted unasked: for a page of a tracker that is not known to be large. */
export function countsUnasked({ settings }: Ctx, { count_total, limit }: Given): boolean {
  const isPage = limit !== undefined && limit > 0
  const mayBeSmall = settings.COUNT_TOTALS_UP_TO > 0 && !tracker(settings).isLarge
  return count_total === undefined && isPage && mayBeSmall
}

/**
 * Selects the number of bugs, up to `MAX_COUNTED_BUGS` + 1; NULL unless it is asked for or the tracker is
 * small.
 */
export function selectTotal({ caller, settings }: Ctx, { plan, isAsked }: Total) {
  const found = countOf(bugsOnPage(caller, plan, { offset: 0, limit: MAX_COUNTED_BUGS + 1 }))
  const isSmall = sql`(SELECT coalesce(max(${bugs.id}), 0) FROM bugs) <= ${settings.COUNT_TOTALS_UP_TO}`
  const count: SQL<number | null> = isAsked ? found : sql`CASE WHEN ${isSmall} THEN ${found} END`
  return selectOf({ count }, sql``)
}

export function readTotal(
  { settings }: Ctx,
  rows: readonly { count: number | null }[] | undefined,
): number | undefined {
  const [row] = rows ?? []
  if (row?.count === null) {
    tracker(settings).isLarge = true
  }
  return row?.count ?? undefined
}

function countOf({ condition }: BugSet) {
  return sql<number>`(SELECT count(*) FROM bugs WHERE ${condition})`
}
