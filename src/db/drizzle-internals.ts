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
 * Everything that this service knows of the inside of drizzle. Its own ways to build, render and map cost
 * most of a short request, so other ones stand beside them; the test of this file holds each against what
 * drizzle does, and fails when a new version does something else.
 */

/** Makes D1's value ours; null for a value that is left as it is. */
export type Decode = ((value: unknown) => unknown) | null

/** A finished select: what `db.select(…)…` gives. */
export type Select = PromiseLike<unknown[]> & {
  getSQL(): SQL
  prepare(): { mapResult(response: unknown, isFromBatch: true): unknown }
  readonly _: { readonly selectedFields: object }
}

/** A column of the rows of a select: the key it gets, the name D1 gives it, and how its value becomes ours. */
export type SelectedColumn = {
  readonly key: string
  readonly name: string
  readonly decode: Decode
  /** Whether it belongs to a part of the row, rather than to the row itself. */
  readonly isInPart: boolean
}

/** Where a piece of SQL is written to. */
export type SqlSink = {
  text: string
  /** Writes a value as a parameter. */
  bind(value: unknown): void
}

/** A query builder whose client prepares nothing, and so cannot send anything. */
export function queryBuilder() {
  return drizzle({ prepare: () => undefined } as unknown as D1Database)
}

/** A piece of SQL without chunks. Drizzle's constructor searches those it is given, for a cache of its own. */
export function emptySql<Value = unknown>(): SQL<Value> {
  return new SQL<Value>([])
}

/** Adds text, a value or another piece to a piece that `emptySql` made. */
export function appendChunk(piece: SQL, chunk: unknown): void {
  piece.queryChunks.push(chunk as SQLChunk)
}

/** Text as a chunk, which may be a part of many pieces. */
export function textChunk(text: string): StringChunk {
  return new StringChunk(text)
}

/** A value as a chunk: a number that stands directly among chunks is no parameter to every part of drizzle. */
export function valueChunk(value: number): Param<number> {
  return new Param(value)
}

const columnChunks = new WeakMap<Column, StringChunk>()

/**
 * A chunk of a template: a column becomes its name and that of its table as text, because drizzle drops
 * the table wherever a select has only one, also inside subqueries, where that names another column.
 */
export function toChunk(value: unknown): unknown {
  if (!(value instanceof Column)) {
    return value
  }
  let chunk = columnChunks.get(value)
  if (chunk === undefined) {
    chunk = new StringChunk(`${getTableName(value.table)}.${value.name}`)
    columnChunks.set(value, chunk)
  }
  return chunk
}

/** An expression as the limit of a select: drizzle writes any there, and declares none. */
export function limitExpression(expression: SQL): Placeholder {
  return expression as unknown as Placeholder
}

/**
 * Writes a piece of SQL as drizzle's dialect does. Returns false, with the sink half written, for a piece
 * with anything in it that is left to the dialect: see `renderByDialect`.
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
    sink.text += `${quoted(getTableName(piece.table))}.${quoted(piece.name)}`
    return true
  }
  if (piece instanceof Table) {
    sink.text += quoted(getTableName(piece))
    return true
  }
  if (piece instanceof SQL.Aliased) {
    sink.text += quoted(piece.fieldAlias)
    return true
  }
  if (piece instanceof Name) {
    sink.text += quoted(piece.value)
    return true
  }
  return Array.isArray(piece) && writeList(piece, sink)
}

/** Undefined is nothing at all; every other plain value is a parameter. */
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
  const areKnown = pieces.every((piece, n) => {
    sink.text += n === 0 ? '' : ', '
    return writeSql(piece, sink)
  })
  sink.text += ')'
  return areKnown
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Writes a piece of SQL in drizzle's own, slower way; parameters stand in the text by number. */
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

/** How `mapWith` decodes an expression. */
export function decoderOf(expression: SQL): Decode {
  // not among its declared members
  const { decoder } = expression as unknown as {
    decoder: { mapFromDriverValue(value: unknown): unknown }
  }
  return decoder === noopDecoder ? null : (value) => decoder.mapFromDriverValue(value)
}

/** The value as ours; what is null stays null. */
export function decodeValue(value: unknown, decode: Decode): unknown {
  return decode === null || value === null ? value : decode(value)
}

/** The columns of a select in its order, those of its parts among them. Throws for one without a name. */
export function selectedColumns(select: Select): SelectedColumn[] {
  return columnsIn(select._.selectedFields, false)
}

function columnsIn(fields: object, isInPart: boolean): SelectedColumn[] {
  return Object.entries(fields).flatMap(([key, field]): SelectedColumn | SelectedColumn[] => {
    if (field instanceof Column) {
      const isPlain = field.mapFromDriverValue === Column.prototype.mapFromDriverValue
      const decode = isPlain ? null : (value: unknown) => field.mapFromDriverValue(value)
      return { key, name: field.name, decode, isInPart }
    }
    if (field instanceof SQL.Aliased) {
      return { key, name: field.fieldAlias, decode: decoderOf(field.sql), isInPart }
    }
    if (field instanceof SQL) {
      throw new Error(`The column '${key}' is an expression without a name: add .as('${key}')`)
    }
    return columnsIn(field, true)
  })
}

/** The rows of a select in drizzle's own, slower way, for rows with parts. */
export function mapRowsByDrizzle(select: Select, result: D1Result<unknown>): unknown {
  return select.prepare().mapResult(result, true)
}

/** The name of a column in the database, and how a value of ours is bound for it; by its key in the schema. */
export function columnEncoders(
  table: SQLiteTable,
): ReadonlyMap<string, { readonly name: string; encode(value: unknown): unknown }> {
  return new Map(
    Object.entries(getTableColumns(table)).map(([key, column]) => [
      key,
      {
        name: column.name,
        encode: (value) => (value === null ? null : column.mapToDriverValue(value)),
      },
    ]),
  )
}
