import { sql } from 'drizzle-orm'
import { runStatements } from './statements.ts'

type Row = Record<string, unknown>

async function rows(statement: ReturnType<typeof sql>): Promise<Row[]> {
  const [found = []] = await runStatements([statement])
  return found
}

/** What the audit log tells of an object, oldest first. */
export async function auditOf(objectClass: string, id: number): Promise<Row[]> {
  const found = await rows(sql`SELECT user_id, action, changes FROM audit_log
    WHERE object_class = ${objectClass} AND object_id = ${id} ORDER BY id`)
  return found.map((row) => ({ ...row, changes: JSON.parse(String(row.changes)) }))
}

/** How often the row has been changed; undefined when there is none. */
export async function revisionOf(table: string, id: number): Promise<unknown> {
  const [row] = await rows(sql`SELECT revision FROM ${sql.raw(table)} WHERE id = ${id}`)
  return row?.revision
}

/** How many rows of a table the condition holds for. */
export async function countOf(table: string, condition: ReturnType<typeof sql>): Promise<number> {
  const [row] = await rows(sql`SELECT count(*) AS number FROM ${sql.raw(table)} WHERE ${condition}`)
  return Number(row?.number)
}
