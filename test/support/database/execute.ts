import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from '../../../src/platform/db/commit.ts'
import { runStatements } from './statements.ts'

export type Row = Record<string, unknown>

/** Executes statements in one transaction, past every rule; returns the rows of the first. */
export async function execute(...statements: Statement[]): Promise<Row[]> {
  const [rows = []] = await executeBatch(...statements)
  return rows
}

/** Executes statements in one transaction, past every rule; returns the rows of each. */
export function executeBatch(...statements: Statement[]): Promise<Row[][]> {
  return runStatements(statements)
}

/** How many rows of a table fulfil the condition. */
export async function countRows(table: string, condition: SQL = sql`1`): Promise<number> {
  const [row] = await execute(
    sql`SELECT count(*) AS number FROM ${sql.raw(table)} WHERE ${condition}`,
  )
  return Number(row?.number)
}

/** The first row of a table that fulfils the condition. */
export async function loadRow(table: string, condition: SQL): Promise<Row | undefined> {
  const [row] = await execute(sql`SELECT * FROM ${sql.raw(table)} WHERE ${condition}`)
  return row
}
