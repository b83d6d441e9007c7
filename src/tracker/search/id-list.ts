import type { SQL } from 'drizzle-orm'
import { selectOf } from '../../platform/db/read-batch.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { columnName, sql } from '../../platform/db/sql.ts'

/**
 * The bugs of a select of IDs, in its order, as one row for `idsIn`: a row each takes several times as much time and
 * memory.
 */
export function selectIdList(select: SQL) {
  return selectOf(
    { ids: sql<string>`json_group_array(${columnName(bugs.id)})` },
    sql`FROM (${select})`,
  )
}

export function idsIn([row]: readonly { readonly ids: string }[]): number[] {
  return row === undefined ? [] : JSON.parse(row.ids)
}
