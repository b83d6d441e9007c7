import { Column, is, SQL } from 'drizzle-orm'
import type { Door } from './door.ts'

/** A finished select: what `db.select(…)…` gives. */
type Reading = PromiseLike<unknown[]> & {
  prepare(): {
    getQuery(): { sql: string; params: unknown[] }
    mapResult(response: unknown, isFromBatch?: boolean): unknown
  }
  readonly _: { readonly selectedFields: object }
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
  const names = Object.keys(readings).filter((name) => readings[name] !== undefined)
  const prepared = names.map((name) => {
    const reading = readings[name] as Reading
    refuseRepeatedColumns(name, reading)
    return reading.prepare()
  })
  const bound = prepared.map((query) => {
    const { sql, params } = query.getQuery()
    return door.prepare(sql).bind(...params)
  })
  const results = bound.length === 0 ? [] : await door.send(bound)
  const rows = prepared.map((query, i) => query.mapResult(results[i], true))
  return Object.fromEntries(names.map((name, i) => [name, rows[i]])) as {
    [Name in keyof Readings]: Awaited<Readings[Name]>
  }
}

function refuseRepeatedColumns(reading: string, query: Reading): void {
  const seen = new Set<string>()
  for (const column of columnNames(query._.selectedFields)) {
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
