import { sql } from 'drizzle-orm'
import { jsonList } from '../../../src/platform/db/sql.ts'
import type { TestGroup } from '../builders/types.ts'
import { executeBatch, loadRow, type Row } from './execute.ts'

/** The row of a user. */
export async function loadUserRow(id: number): Promise<Row> {
  return (await loadRow('users', sql`id = ${id}`)) ?? {}
}

/**
 * The IDs of the groups, of those given, in which a user is direct, by pattern, and in effect, and which
 * they may bless. Other groups are left out, because patterns of other tests may match too.
 */
export async function loadMemberships(id: number, ...groups: TestGroup[]) {
  const own = sql`user_id = ${id} AND group_id IN ${jsonList(groups.map((group) => group.id))}`
  const ids = (rows: Row[] = []) => rows.map((row) => row.id)
  const [direct, regexp, effective, blesses] = await executeBatch(
    sql`SELECT group_id AS id FROM group_members WHERE ${own} AND source = 'direct' ORDER BY 1`,
    sql`SELECT group_id AS id FROM group_members WHERE ${own} AND source = 'regexp' ORDER BY 1`,
    sql`SELECT group_id AS id FROM memberships WHERE ${own} ORDER BY 1`,
    sql`SELECT group_id AS id FROM group_blessers WHERE ${own} ORDER BY 1`,
  )
  return {
    direct: ids(direct),
    regexp: ids(regexp),
    effective: ids(effective),
    blesses: ids(blesses),
  }
}
