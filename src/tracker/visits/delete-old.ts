import type { Ctx } from '../../platform/context.ts'
import { commit } from '../../platform/db/commit.ts'
import { visits } from '../../platform/db/schema/visits.ts'
import { limitTo, sql } from '../../platform/db/sql.ts'

const DAY_SECONDS = 86_400
const MAX_DELETED_VISITS = 5000

/** The time, in Unix seconds, before which visits count as deleted. */
export function visitRetentionStart({ now, settings }: Pick<Ctx, 'now' | 'settings'>): number {
  return now - settings.LAST_VISIT_KEEP_DAYS * DAY_SECONDS
}

/** Deletes up to 5,000 visits whose retention period is over, oldest first; the next run goes on. */
export async function deleteOldVisits(ctx: Ctx): Promise<void> {
  await commit(ctx, {
    visits: sql`DELETE FROM visits WHERE (${visits.userId}, ${visits.bugId}) IN (
      SELECT ${visits.userId}, ${visits.bugId} FROM visits WHERE ${visits.visitedAt} < ${visitRetentionStart(ctx)}
      ORDER BY ${visits.visitedAt} ${limitTo(MAX_DELETED_VISITS)})`,
  })
}
