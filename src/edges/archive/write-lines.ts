import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Statement } from '../../platform/db/commit.ts'
import { columnsOf } from '../../platform/db/drizzle-internals.ts'
import { customValues } from '../../platform/db/schema/bugs.ts'
import { columnName, columnNames, jsonList, sql } from '../../platform/db/sql.ts'
import type { Cell } from './form.ts'
import type { ParsedLine, Row } from './parse-line.ts'
import { foldsOf, type List, type Part } from './part.ts'

/** Characters of one parameter, even in bytes below the 2 MB of D1. */
const MAX_CHARACTERS = 500_000

/** A column of rows, by its name in the schema. */
type RowColumn = { readonly key: string; readonly column: SQLiteColumn }

/**
 * Writes lines with everything in their lists, of which the rows that were there before go. `isNew` tells that
 * there were none.
 */
export function writeLines(part: Part, lines: readonly ParsedLine[], isNew: boolean): Statement[] {
  const rows = lines.map(({ row }) => row)
  const ids = lines.map(({ id }) => id)
  return [
    ...(part.isAddition ? updateRows(part, rows) : upsertRows(part, rows)),
    ...part.lists.flatMap((list) => [
      ...(isNew ? [] : [deleteItems(list, ids)]),
      ...insertItems(list, lines),
    ]),
    ...(part.hasCustomFields ? writeCustomValues(lines, ids, isNew) : []),
  ]
}

function upsertRows(part: Part, rows: readonly Row[]): Statement[] {
  const written = [
    ...part.members,
    ...foldsOf(part.table),
    ...Object.keys(part.made).map((key) => ({ key, column: columnOf(part.table, key) })),
  ]
  const credentials = new Set(
    part.members.filter(({ isCredential }) => isCredential).map(({ key }) => key),
  )
  const changed = written
    .filter(({ key }) => key !== 'id' && !(key in part.made))
    .map(({ key, column }) => {
      const value = sql`excluded.${columnName(column)}`
      // an archive without credentials takes none away
      const kept = credentials.has(key) ? sql`coalesce(${value}, ${column})` : value
      return sql`${columnName(column)} = ${kept}`
    })
  return insertRows(
    part.table,
    written,
    rows,
    sql` WHERE true ON CONFLICT (${columnName(part.table.id)}) DO UPDATE SET ${sql.join(changed, sql`, `)}`,
  )
}

/** The rows of an addition exist; only its own columns change. */
function updateRows({ table, members }: Part, rows: readonly Row[]): Statement[] {
  const [, ...columns] = members
  if (columns.length === 0) {
    return []
  }
  const assigned = columns.map(({ column }, n) => sql`${columnName(column)} = ${cell(n + 1)}`)
  return packRows(rows, members).map(
    (json) => sql`UPDATE ${table} SET ${sql.join(assigned, sql`, `)} FROM json_each(${json}) r
      WHERE ${table.id} = ${cell(0)}`,
  )
}

function deleteItems({ table, owner, fixed }: List, ids: readonly number[]): Statement {
  const constants = fixed.map(({ column, value }) => sql` AND ${column} = ${value}`)
  return sql`DELETE FROM ${table} WHERE ${owner} IN ${jsonList(ids)}${sql.join(constants)}`
}

function insertItems(list: List, lines: readonly ParsedLine[]): Statement[] {
  const ownerKey = keyOf(list.table, list.owner)
  const rows = lines.flatMap(({ id, items }) =>
    (items[list.name] ?? []).map((row) => ({ ...row, [ownerKey]: id })),
  )
  const columns = [
    { key: ownerKey, column: list.owner },
    ...list.members,
    ...foldsOf(list.table),
    ...list.fixed.map(({ column }) => ({ key: keyOf(list.table, column), column })),
  ]
  return insertRows(list.table, columns, rows)
}

function writeCustomValues(
  lines: readonly ParsedLine[],
  ids: readonly number[],
  isNew: boolean,
): Statement[] {
  const rows = lines.flatMap(({ id, customRows }) =>
    customRows.map((row) => ({ ...row, bugId: id })),
  )
  const columns = ['bugId', 'fieldId', 'text', 'textFold', 'number', 'valueId'] as const
  return [
    ...(isNew
      ? []
      : [sql`DELETE FROM custom_values WHERE ${customValues.bugId} IN ${jsonList(ids)}`]),
    ...insertRows(
      customValues,
      columns.map((key) => ({ key, column: customValues[key] })),
      rows,
    ),
  ]
}

function insertRows(
  table: SQLiteTable,
  columns: readonly RowColumn[],
  rows: readonly Row[],
  rest: SQL = sql``,
): Statement[] {
  const cells = columns.map((_, n) => cell(n))
  return packRows(rows, columns).map(
    (json) => sql`INSERT INTO ${table} (${columnNames(...columns.map(({ column }) => column))})
      SELECT ${sql.join(cells, sql`, `)} FROM json_each(${json}) r${rest}`,
  )
}

function cell(place: number): SQL {
  return sql.raw(`r.value ->> ${place}`)
}

/** Rows as JSON lists of cells, as many in one as fit into a parameter. */
function packRows(rows: readonly Row[], columns: readonly RowColumn[]): string[] {
  const packs: string[][] = []
  let space = 0
  for (const row of rows) {
    const text = JSON.stringify(columns.map(({ key }): Cell => row[key] ?? null))
    if (space < text.length) {
      packs.push([])
      space = MAX_CHARACTERS
    }
    space -= text.length
    packs.at(-1)?.push(text)
  }
  return packs.map((pack) => `[${pack.join(',')}]`)
}

function columnOf(table: SQLiteTable, key: string): SQLiteColumn {
  return new Map(columnsOf(table)).get(key) as SQLiteColumn
}

function keyOf(table: SQLiteTable, column: SQLiteColumn): string {
  return columnsOf(table).find(([, one]) => one === column)?.[0] ?? ''
}
