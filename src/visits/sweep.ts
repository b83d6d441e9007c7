import type { Ctx } from '../context.ts'
import { commit } from '../db/commit.ts'
import { limitTo, sql } from '../db/sql.ts'

const DAY = 86_400
const MOST_FORGOTTEN = 5000

/** The moment, in Unix seconds, before which visits are forgotten. Contract "Last visited". */
export function oldestKept({ now, settings }: Pick<Ctx, 'now' | 'settings'>): number {
  return now - settings.LAST_VISIT_KEEP_DAYS * DAY
}

/** Deletes visits whose retention period is over, oldest first; what is left over waits for the next run. */
export async function sweepVisits(ctx: Ctx): Promise<void> {
  await commit(ctx, {
    visits: sql`DELETE FROM visits WHERE (user_id, bug_id) IN (
      SELECT user_id, bug_id FROM visits WHERE visited_at < ${oldestKept(ctx)}
      ORDER BY visited_at ${limitTo(MOST_FORGOTTEN)})`,
  })
}
