import { type SQL, sql } from 'drizzle-orm'

export type InsertedRow = Readonly<Record<string, string | number | boolean | null>>

/** One statement for any number of rows, which all have the same columns. */
export function insertRowsStatement(table: string, rows: readonly InsertedRow[]): SQL {
  const columns = Object.keys(rows[0] ?? { id: 0 })
  const values = columns.map((column) => sql.raw(`r.value ->> '${column}'`))
  return sql`INSERT INTO ${sql.raw(table)} (${sql.raw(columns.join(', '))})
    SELECT ${sql.join(values, sql`, `)} FROM json_each(${JSON.stringify(rows)}) r`
}
