import { getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { CompiledStatement } from './compile.ts'

/**
 * Makes statements that insert one row; columns that a row leaves out get the table's defaults. For rows of
 * many columns on a path that is often gone, where drizzle's insert takes longer to build than to run. Rows
 * with the same columns share one text, so that the database need not read it anew. Nothing is answered:
 * RETURNING, like a trigger, makes SQLite copy every page that it touches, for the case that it fails midway.
 */
export function fastInsert<Table extends SQLiteTable>(
  table: Table,
): (row: Table['$inferInsert']) => CompiledStatement {
  const columns = new Map(Object.entries(getTableColumns(table)))
  const texts = new Map<string, string>()
  return (row) => {
    const given: [name: string, value: unknown][] = []
    for (const [key, value] of Object.entries(row)) {
      const column = columns.get(key)
      if (column !== undefined && value !== undefined) {
        given.push([column.name, value === null ? null : column.mapToDriverValue(value)])
      }
    }
    const names = given.map(([name]) => `"${name}"`).join(', ')
    let text = texts.get(names)
    if (text === undefined) {
      const places = given.map((_, n) => `?${n + 1}`).join(', ')
      text = `INSERT INTO "${getTableName(table)}" (${names}) VALUES (${places})`
      texts.set(names, text)
    }
    return new CompiledStatement({ sql: text, params: given.map(([, value]) => value) })
  }
}
