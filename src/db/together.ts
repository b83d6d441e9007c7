import { Column, noopDecoder as PLAIN, SQL, sql } from 'drizzle-orm'
import { compile } from './compile.ts'
import type { Door } from './door.ts'

/** A finished select: what `db.select(…)…` gives. */
type Reading = PromiseLike<unknown[]> & {
  getSQL(): SQL
  prepare(): { mapResult(response: unknown, isFromBatch: true): unknown }
  readonly _: { readonly selectedFields: object }
}

/** A select that is written out: see `written`. */
export type Written<Row> = {
  /** The names under which its rows hold their columns. */
  readonly columns: readonly string[]
  readonly statement: SQL
  readonly [row]?: Row
}

declare const row: unique symbol

type Row = Record<string, unknown>

type RowsOf<Read> = Read extends Written<infer Row> ? Row[] : Awaited<Read>

/** A member of an answered row: where it comes from, and how D1's value becomes ours, if it has to. */
type Member = {
  key: string
  column: string
  decode: ((value: unknown) => unknown) | null
  /** Whether it belongs to a part of the row, rather than to the row itself. */
  isInPart: boolean
}

/**
 * One trip to D1 for any number of reads: named selects in, their rows out under the same names, all
 * from one state of the database. A name whose select is undefined is not asked and stays undefined; no
 * selects are no trip. Refuses a select with two columns of one name, because D1 would silently shift
 * the values of its rows.
 */
export async function together<
  Readings extends Record<string, Reading | Written<unknown> | undefined>,
>(door: Door, readings: Readings): Promise<{ [Name in keyof Readings]: RowsOf<Readings[Name]> }> {
  const asked = Object.entries(readings).flatMap(([name, reading]) =>
    reading === undefined ? [] : [asking(name, reading)],
  )
  const bound = asked.map(({ sql, params }) => door.prepare(sql).bind(...params))
  const results = bound.length === 0 ? [] : await door.send(bound)
  return Object.fromEntries(
    results.flatMap((result, n) => {
      const reading = asked[n]
      return reading === undefined ? [] : [[reading.name, reading.rowsOf(result)]]
    }),
  ) as { [Name in keyof Readings]: RowsOf<Readings[Name]> }
}

/**
 * A select of named expressions from whatever `rest` says, ready to be sent: `FROM … WHERE …`. For
 * selects of so many columns that drizzle's select takes longer to build than to run. Values come as D1
 * holds them.
 */
export function written<Row>(expressions: Readonly<Record<string, SQL>>, rest: SQL): Written<Row> {
  const named = Object.entries(expressions).map(
    ([name, expression]) => sql`${expression} AS ${sql.raw(`"${name}"`)}`,
  )
  return {
    columns: Object.keys(expressions),
    statement: sql`SELECT ${sql.join(named, sql`, `)} ${rest}`,
  }
}

function asking(name: string, reading: Reading | Written<unknown>) {
  return 'statement' in reading
    ? {
        name,
        ...compile(reading.statement),
        rowsOf: (result: D1Result<unknown>) => result.results,
      }
    : { name, ...compile(reading.getSQL()), rowsOf: rowReader(name, reading) }
}

/**
 * Turns D1's rows into those of the select. Flat ones are read by the names of their columns, in a
 * fraction of the time that drizzle's own mapping takes; that one is left to rows with parts.
 */
function rowReader(name: string, reading: Reading): (result: D1Result<unknown>) => unknown {
  const members = membersOf(reading._.selectedFields)
  refuseRepeatedColumns(name, members)
  return members.some(({ isInPart }) => isInPart)
    ? (result) => reading.prepare().mapResult(result, true)
    : ({ results }) => (results as Row[]).map((row) => decoded(row, members))
}

function decoded(row: Row, members: readonly Member[]): Row {
  const made: Row = {}
  for (const { key, column, decode } of members) {
    const value = row[column]
    made[key] = decode === null || value === null ? value : decode(value)
  }
  return made
}

function membersOf(fields: object, isInPart = false): Member[] {
  return Object.entries(fields).flatMap(([key, field]): Member | Member[] => {
    if (field instanceof Column) {
      const isPlain = field.mapFromDriverValue === Column.prototype.mapFromDriverValue
      const decode = isPlain ? null : (value: unknown) => field.mapFromDriverValue(value)
      return { key, column: field.name, decode, isInPart }
    }
    if (field instanceof SQL.Aliased) {
      return { key, column: field.fieldAlias, decode: decoderOf(field.sql), isInPart }
    }
    if (field instanceof SQL) {
      throw new Error(`The column '${key}' is an expression without a name: add .as('${key}')`)
    }
    return membersOf(field, true)
  })
}

function decoderOf(expression: SQL): Member['decode'] {
  // not among its declared members
  const { decoder } = expression as unknown as {
    decoder: { mapFromDriverValue(value: unknown): unknown }
  }
  return decoder === PLAIN ? null : (value) => decoder.mapFromDriverValue(value)
}

function refuseRepeatedColumns(reading: string, members: readonly Member[]): void {
  const seen = new Set<string>()
  for (const { column } of members) {
    if (seen.has(column)) {
      throw new Error(
        `The select '${reading}' has two columns named '${column}': give one an alias`,
      )
    }
    seen.add(column)
  }
}
