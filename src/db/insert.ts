import { getTableColumns, getTableName, Param, SQL, type SQLChunk, StringChunk } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

const NULL = new StringChunk('NULL')

/**
 * Inserts one row and answers its `id`; columns that the row leaves out get the table's defaults. For rows
 * of many columns on a path that is often gone, where drizzle's insert takes longer to build than to run.
 */
export function insertRow<Table extends SQLiteTable>(
  table: Table,
  row: Table['$inferInsert'],
): SQL {
  const columns = getTableColumns(table)
  const names: string[] = []
  const values: SQLChunk[] = []
  for (const [key, value] of Object.entries(row)) {
    const column = columns[key]
    if (column !== undefined && value !== undefined) {
      names.push(`"${column.name}"`)
      const comma = new StringChunk(values.length === 0 ? '' : ', ')
      values.push(comma, value === null ? NULL : new Param(value, column))
    }
  }
  const head = `INSERT INTO "${getTableName(table)}" (${names.join(', ')}) VALUES (`
  return new SQL([new StringChunk(head), ...values, new StringChunk(') RETURNING id')])
}
