import { sql } from 'drizzle-orm'
import { jsonList } from '../../../src/platform/db/sql.ts'
import { PRESETS } from '../../../src/tracker/fields/presets/presets.ts'
import { execute } from './execute.ts'

/** The names of the statuses that the preset `classic` adds. */
export const CLASSIC = PRESETS.classic.statuses.map(({ name }) => name)

/** Takes them out of the workflow again, because every test file meets the same statuses. */
export async function removeClassicStatuses(): Promise<void> {
  const ids = sql`(SELECT id FROM field_values WHERE name IN ${jsonList(CLASSIC)})`
  await execute(
    sql`UPDATE bugs SET status_id = (SELECT v.id FROM field_values v WHERE v.name =
        CASE WHEN bugs.resolution_id = (SELECT r.id FROM field_values r JOIN fields f ON f.id = r.field_id
          WHERE f.name = 'resolution' AND r.name = '') THEN 'CONFIRMED' ELSE 'RESOLVED' END)
      WHERE status_id IN ${ids}`,
    sql`DELETE FROM status_transitions WHERE from_id IN ${ids} OR to_id IN ${ids}`,
    sql`DELETE FROM field_values WHERE id IN ${ids}`,
  )
}
