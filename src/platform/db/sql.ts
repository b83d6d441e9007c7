import { sql as drizzleSql, type SQL, type SQLChunk, type SQLWrapper } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import {
  appendChunk,
  columnsOf,
  emptySql,
  queryBuilder,
  textChunk,
  toChunk,
} from './drizzle-internals.ts'

/**
 * Builds queries and cannot run them, because it has no database: `readBatch` and `commit` do, so that no
 * code makes a round trip by accident.
 */
export const db = queryBuilder()

/**
 * Drizzle's `sql` in a quarter of its time, because a request builds hundreds of pieces: they are not searched
 * for tables, which only drizzle's own cache needs.
 */
export const sql = Object.assign(tag, { raw, join, identifier: drizzleSql.identifier })

function tag<Value = unknown>(strings: TemplateStringsArray, ...values: unknown[]): SQL<Value> {
  const piece = emptySql<Value>()
  // no callback: this loop runs for every piece of every statement
  for (let n = 0; n < strings.length; n += 1) {
    appendChunk(piece, textChunk(strings[n] ?? ''))
    if (n < values.length) {
      appendChunk(piece, toChunk(values[n]))
    }
  }
  return piece
}

export type AliasedColumns<Table extends SQLiteTable> = {
  readonly [Key in keyof Table['_']['columns']]: SQL
}

/** The columns of a table under an alias, for SQL that names the table so: `FROM users u`. */
export function aliasColumns<Table extends SQLiteTable>(
  table: Table,
  alias: string,
): AliasedColumns<Table> {
  const columns: Record<string, SQL> = {}
  for (const [key, { name }] of columnsOf(table)) {
    columns[key] = raw(`${alias}.${name}`)
  }
  return columns as AliasedColumns<Table>
}

/** One column of a table under an alias. */
export function aliasColumn({ name }: SQLiteColumn, alias: string): SQL {
  return raw(`${alias}.${name}`)
}

/**
 * The name of a column without its table, where SQL accepts no other: `SET ${columnName(bugs.revision)} =
 * 1`.
 */
export function columnName(column: SQLiteColumn): SQL {
  return raw(column.name)
}

/** Like `columnName`, for a list: `INSERT INTO visits (${columnNames(visits.userId, visits.bugId)})`. */
export function columnNames(...columns: readonly SQLiteColumn[]): SQL {
  return raw(columns.map(({ name }) => name).join(', '))
}

function raw(text: string): SQL {
  const piece = emptySql()
  appendChunk(piece, textChunk(text))
  return piece
}

function join(pieces: readonly SQLChunk[], separator?: SQLChunk): SQL {
  const piece = emptySql()
  pieces.forEach((member, n) => {
    if (n > 0 && separator !== undefined) {
      appendChunk(piece, separator)
    }
    appendChunk(piece, member)
  })
  return piece
}

/**
 * A list as one parameter: `IN ${jsonList(ids)}`. A list may be longer than the 100 parameters that D1
 * binds.
 */
export function jsonList(values: readonly (number | string)[]): SQL {
  return sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`
}

/** Rows as one parameter, to select from: `FROM ${jsonRows(rows)}`, then `r.value ->> 'name'`. */
export function jsonRows(rows: readonly object[]): SQL {
  return sql`json_each(${JSON.stringify(rows)}) AS r`
}

/**
 * `LIMIT rows`. The sum hides the value from the planner: for a value that is bound to LIMIT directly,
 * SQLite plans the statement again at each execution, which takes as long as running it.
 */
export function limitTo(rows: number): SQL {
  return sql`LIMIT ${rows} + 0`
}

/** `ORDER BY` the columns, if there are any. */
export function sortedBy(columns: readonly SQL[]): SQL {
  return columns.length === 0 ? sql`` : sql`ORDER BY ${sql.join([...columns], sql`, `)}`
}

/** The number of rows of a select, of which no more than one beyond `most` are read. */
export function countUpTo(select: SQL, most: number): SQL {
  return sql`(SELECT count(*) FROM (SELECT 1 FROM (${select}) ${limitTo(most + 1)}))`
}

export function directionOf(isDescending: boolean): SQL {
  return raw(isDescending ? 'DESC' : 'ASC')
}

/** Whether a folded column contains a folded text. Not LIKE, because D1 rejects patterns over 50 bytes. */
export function containsText(column: SQLWrapper, folded: string): SQL {
  return sql`instr(${column}, ${folded}) > 0`
}

/**
 * A select for `IN (…)` or `EXISTS (…)` in a deep condition. SQLite counts the depth of a condition anew for
 * each select that it is nested in, but not through a FROM clause; it runs both forms alike.
 */
export function flatSelect(select: SQL): SQL {
  return sql`SELECT * FROM (${select})`
}

/** D1 takes at most five selects in one union, so that many become a tree. */
const MAX_UNION = 5

/** The rows of all selects, doubles included; no union itself, so that it may be part of another. */
export function unionOf(selects: readonly SQL[]): SQL {
  const [only = sql`SELECT NULL WHERE false`, ...others] = selects
  if (others.length === 0) {
    return only
  }
  if (selects.length <= MAX_UNION) {
    return flatSelect(sql.join([...selects], sql` UNION ALL `))
  }
  const size = Math.ceil(selects.length / MAX_UNION)
  const parts = Array.from({ length: Math.ceil(selects.length / size) }, (_, n) =>
    selects.slice(n * size, (n + 1) * size),
  )
  return unionOf(parts.map(unionOf))
}

/** The ID of the row that was inserted last, for later statements of the same commit. */
export function newestId(table: SQLiteTable & { readonly id: SQLiteColumn }): SQL {
  return sql`(SELECT max(${table.id}) FROM ${table})`
}

/** Joins conditions with OR, as a balanced tree, because SQLite limits the depth of expressions to 100. */
export function anyOf(conditions: readonly SQL[]): SQL {
  return joinAsTree(conditions, sql` OR `, sql`0`)
}

/** Like `anyOf`, with AND; no condition at all is true. */
export function allOf(conditions: readonly SQL[]): SQL {
  return joinAsTree(conditions, sql` AND `, sql`1`)
}

function joinAsTree(conditions: readonly SQL[], separator: SQL, empty: SQL): SQL {
  const [first] = conditions
  if (first === undefined) {
    return empty
  }
  if (conditions.length === 1) {
    // parentheses, because the condition may contain OR
    return sql`(${first})`
  }
  const middle = Math.ceil(conditions.length / 2)
  const left = joinAsTree(conditions.slice(0, middle), separator, empty)
  const right = joinAsTree(conditions.slice(middle), separator, empty)
  return sql`(${left}${separator}${right})`
}
