import { Column, is, noopDecoder as PLAIN, SQL } from 'drizzle-orm'
import type { Door } from './door.ts'

/** A finished select: what `db.select(…)…` gives. */
type Reading = PromiseLike<unknown[]> & {
  toSQL(): { sql: string; params: unknown[] }
  prepare(): { mapResult(response: unknown, isFromBatch: true): unknown }
  readonly _: { readonly selectedFields: object }
}

type Row = Record<string, unknown>

/** A member of an answered row: where it comes from, and how D1's value becomes ours, if it has to. */
type Member = {
  key: string
  column: string
  decode: ((value: unknown) => unknown) | null
}

/**
 * One trip to D1 for any number of reads: named selects in, their rows out under the same names, all
 * from one state of the database. A name whose select is undefined is not asked and stays undefined; no
 * selects are no trip. Refuses a select with two columns of one name, because D1 would silently shift
 * the values of its rows.
 */
export async function together<Readings extends Record<string, Reading | undefined>>(
  door: Door,
  readings: Readings,
): Promise<{ [Name in keyof Readings]: Awaited<Readings[Name]> }> {
  const asked = Object.entries(readings).flatMap(([name, reading]) =>
    reading === undefined ? [] : [{ name, rowsOf: rowReader(name, reading), ...reading.toSQL() }],
  )
  const bound = asked.map(({ sql, params }) => door.prepare(sql).bind(...params))
  const results = bound.length === 0 ? [] : await door.send(bound)
  return Object.fromEntries(
    results.flatMap((result, n) => {
      const reading = asked[n]
      return reading === undefined ? [] : [[reading.name, reading.rowsOf(result)]]
    }),
  ) as { [Name in keyof Readings]: Awaited<Readings[Name]> }
}

/**
 * Turns D1's rows into those of the select. Flat ones are read by the names of their columns, in a
 * fraction of the time that drizzle's own mapping takes; that one is left to rows with parts.
 */
function rowReader(name: string, reading: Reading): (result: D1Result<unknown>) => unknown {
  const { selectedFields } = reading._
  refuseRepeatedColumns(name, selectedFields)
  const members = Object.entries(selectedFields).map(memberOf)
  if (members.includes(null)) {
    return (result) => reading.prepare().mapResult(result, true)
  }
  const flat = members.filter((member) => member !== null)
  return ({ results }) => (results as Row[]).map((row) => decoded(row, flat))
}

function decoded(row: Row, members: readonly Member[]): Row {
  const made: Row = {}
  for (const { key, column, decode } of members) {
    const value = row[column]
    made[key] = decode === null || value === null ? value : decode(value)
  }
  return made
}

/** Null for a part of a row that has members of its own. */
function memberOf([key, field]: [string, unknown]): Member | null {
  if (is(field, Column)) {
    const isPlain = field.mapFromDriverValue === Column.prototype.mapFromDriverValue
    const decode = isPlain ? null : (value: unknown) => field.mapFromDriverValue(value)
    return { key, column: field.name, decode }
  }
  if (is(field, SQL.Aliased)) {
    // not among the declared members of an expression
    const { decoder } = field.sql as unknown as {
      decoder: { mapFromDriverValue(v: unknown): unknown }
    }
    const decode = decoder === PLAIN ? null : (value: unknown) => decoder.mapFromDriverValue(value)
    return { key, column: field.fieldAlias, decode }
  }
  return null
}

function refuseRepeatedColumns(reading: string, selectedFields: object): void {
  const seen = new Set<string>()
  for (const column of columnNames(selectedFields)) {
    if (seen.has(column)) {
      throw new Error(
        `The select '${reading}' has two columns named '${column}': give one an alias`,
      )
    }
    seen.add(column)
  }
}

function columnNames(fields: object): string[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    if (is(field, Column)) {
      return [field.name]
    }
    if (is(field, SQL.Aliased)) {
      return [field.fieldAlias]
    }
    if (is(field, SQL)) {
      throw new Error(`The column '${key}' is an expression without a name: add .as('${key}')`)
    }
    return columnNames(field as object)
  })
}
