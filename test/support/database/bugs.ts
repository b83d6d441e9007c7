import { sql } from 'drizzle-orm'
import { execute, loadRow, type Row } from './execute.ts'

/** The row of a bug. */
export async function loadBugRow(id: number): Promise<Row> {
  return (await loadRow('bugs', sql`id = ${id}`)) ?? {}
}

/** The rows of a table that belong to a bug, oldest first. */
export async function loadRowsOfBug(
  table: 'history' | 'comments' | 'notices' | 'bug_cc' | 'bug_groups' | 'bug_keywords',
  bugId: number,
): Promise<Row[]> {
  const order = table.startsWith('bug_') ? '2' : 'id'
  return execute(
    sql`SELECT * FROM ${sql.raw(table)} WHERE bug_id = ${bugId} ORDER BY ${sql.raw(order)}`,
  )
}
