import {
  Column,
  getTableColumns,
  getTableName,
  Name,
  noopDecoder,
  Param,
  type Placeholder,
  SQL,
  type SQLChunk,
  StringChunk,
  Table,
} from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { SQLiteSyncDialect, type SQLiteTable } from 'drizzle-orm/sqlite-core'

/**
 * Everything that depends on the internals of drizzle. Its building, rendering and mapping take most of the
 * time of a short request, so that this file has faster equivalents. Its test compares each with drizzle,
 * and fails when a new version behaves differently.
 */

/** Converts a value of D1 to that of a row; null for values that need no conversion. */
export type Decode = ((value: unknown) => unknown) | null

/** A complete select of the query builder. */
export type Select = PromiseLike<unknown[]> & {
  getSQL(): SQL
  readonly _: { readonly selectedFields: object }
}

/** A column of a select: its key in rows, its name in D1, and the function that decodes its values. */
export type SelectedColumn = {
  readonly key: string
  readonly name: string
  readonly decode: Decode
}

/** The destination of a piece of SQL. */
type SqlSink = {
  text: string
  /** Writes a value as a parameter. */
  bind(value: unknown): void
}

/** A query builder whose client cannot prepare statements, and therefore cannot send any. */
export function queryBuilder() {
  return drizzle({ prepare: () => undefined } as unknown as D1Database)
}

/** A piece of SQL without chunks, because drizzle's constructor searches its chunks for its own cache. */
export function emptySql<Value = unknown>(): SQL<Value> {
  return new SQL<Value>([])
}

/** Adds text, a value or another piece to a piece that `emptySql` made. */
export function appendChunk(piece: SQL, chunk: unknown): void {
  piece.queryChunks.push(chunk as SQLChunk)
}

/** Text as a chunk, which many pieces may share. */
export function textChunk(text: string): StringChunk {
  return new StringChunk(text)
}

/** A value as a chunk; not every part of drizzle takes a bare number for a parameter. */
export function valueChunk(value: number): Param<number> {
  return new Param(value)
}

/**
 * A chunk of a template. A column becomes text with its table: drizzle omits the table where a select has
 * only one, even in a subquery, where the name alone would mean another column.
 */
export function toChunk(value: unknown): unknown {
  // most values are plain or pieces, and to rule out a class means to walk up all prototypes
  if (typeof value !== 'object' || value instanceof SQL || !(value instanceof Column)) {
    return value
  }
  return new StringChunk(`${getTableName(value.table)}.${value.name}`)
}

/** An expression as the limit of a select, which drizzle accepts but does not declare. */
export function limitExpression(expression: SQL): Placeholder {
  return expression as unknown as Placeholder
}

/**
 * Writes a piece of SQL as drizzle's dialect does. Returns false, with the sink partly written, for a piece
 * that only the dialect can render: see `renderByDialect`.
 */
export function writeSql(piece: unknown, sink: SqlSink): boolean {
  if (piece === null || typeof piece !== 'object') {
    return writeValue(piece, sink)
  }
  if (piece instanceof StringChunk) {
    sink.text += piece.value.length === 1 ? piece.value[0] : piece.value.join('')
    return true
  }
  if (piece instanceof SQL) {
    for (const chunk of piece.queryChunks) {
      if (!writeSql(chunk, sink)) {
        return false
      }
    }
    return true
  }
  if (piece instanceof Param) {
    const { value, encoder } = piece
    const encoded = value === null ? null : encoder.mapToDriverValue(value)
    return encoded instanceof SQL ? writeSql(encoded, sink) : writeValue(encoded, sink)
  }
  if (piece instanceof Column) {
    sink.text += `${quoteName(getTableName(piece.table))}.${quoteName(piece.name)}`
    return true
  }
  if (piece instanceof Table) {
    sink.text += quoteName(getTableName(piece))
    return true
  }
  if (piece instanceof SQL.Aliased) {
    sink.text += quoteName(piece.fieldAlias)
    return true
  }
  if (piece instanceof Name) {
    sink.text += quoteName(piece.value)
    return true
  }
  return Array.isArray(piece) && writeList(piece, sink)
}

/** Undefined is left out; every other plain value is a parameter. */
function writeValue(value: unknown, sink: SqlSink): boolean {
  if (typeof value === 'object' && value !== null) {
    return false
  }
  if (value !== undefined) {
    sink.bind(value)
  }
  return true
}

function writeList(pieces: readonly unknown[], sink: SqlSink): boolean {
  sink.text += '('
  const areWritten = pieces.every((piece, n) => {
    sink.text += n === 0 ? '' : ', '
    return writeSql(piece, sink)
  })
  sink.text += ')'
  return areWritten
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Renders a piece of SQL with drizzle's own dialect, which is slower; its parameters are numbered. */
export function renderByDialect(piece: SQL): { sql: string; params: unknown[] } {
  const { sql, params } = dialect.sqlToQuery(piece)
  return { sql, params }
}

class NumberingDialect extends SQLiteSyncDialect {
  override escapeParam(index: number): string {
    return `?${index + 1}`
  }
}

const dialect = new NumberingDialect()

/** The decoder that `mapWith` has set for an expression. */
export function decoderOf(expression: SQL): Decode {
  // drizzle does not declare this member
  const { decoder } = expression as unknown as {
    decoder: { mapFromDriverValue(value: unknown): unknown }
  }
  return decoder === noopDecoder ? null : (value) => decoder.mapFromDriverValue(value)
}

/** Decodes a value; null stays null. */
export function decodeValue(value: unknown, decode: Decode): unknown {
  return decode === null || value === null ? value : decode(value)
}

/** The columns of a select in their order. Throws for one without a name, and for rows with parts. */
export function selectedColumns(select: Select): SelectedColumn[] {
  return Object.entries(select._.selectedFields).map(([key, field]) => {
    if (field instanceof Column) {
      const isPlain = field.mapFromDriverValue === Column.prototype.mapFromDriverValue
      const decode = isPlain ? null : (value: unknown) => field.mapFromDriverValue(value)
      return { key, name: field.name, decode }
    }
    if (field instanceof SQL.Aliased) {
      return { key, name: field.fieldAlias, decode: decoderOf(field.sql) }
    }
    if (field instanceof SQL) {
      throw new Error(`The column '${key}' is an expression without a name: add .as('${key}')`)
    }
    throw new Error(`Rows are flat, but '${key}' is a part of them`)
  })
}

export function columnsOf(table: SQLiteTable): [key: string, column: Column][] {
  return Object.entries(getTableColumns(table))
}
