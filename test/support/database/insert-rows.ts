import { type SQL, sql } from 'drizzle-orm'

export type InsertedRow = Readonly<Record<string, string | number | boolean | null>>

/** One statement for any number of rows, which all have the same columns; none does nothing. */
export function insertRowsStatement(table: string, rows: readonly InsertedRow[]): SQL {
  const [first] = rows
  if (first === undefined) {
    return sql`SELECT NULL WHERE false`
  }
  const columns = Object.keys(first)
  const values = columns.map((column) => sql.raw(`r.value ->> '${column}'`))
  return sql`INSERT INTO ${sql.raw(table)} (${sql.raw(columns.join(', '))})
    SELECT ${sql.join(values, sql`, `)} FROM json_each(${JSON.stringify(rows)}) r`
}
