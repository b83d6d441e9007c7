import type { SQL } from 'drizzle-orm'
import { type Decode, decoderOf, decodeValue } from './drizzle-internals.ts'
import { sql } from './sql.ts'

/** A short select that shares one statement with others: see `jsonSelect`. */
export type JsonSelect<Row> = {
  readonly members: readonly RowMember[]
  /** All rows as one JSON value. */
  readonly json: SQL
  readonly [row]?: Row
}

declare const row: unique symbol

/** A member of a row, and the function that decodes its value. */
export type RowMember = { readonly key: string; readonly decode: Decode }

/** A row of named expressions. */
export type RowOf<Columns> = {
  [Name in keyof Columns]: Columns[Name] extends SQL<infer Value> ? Value : never
}

/** A function has 32 arguments in D1. */
const MAX_COLUMNS = 32

/**
 * Returns a function that completes a select of named expressions with its `FROM … WHERE …` and its order.
 * All such selects of one `readBatch` are one statement, with one JSON value for each: for the dozen small
 * selects of a decision, since without it filing a bug takes 8 % longer and 15 % more processor time. Not for
 * long results, because a row in D1 has at most 2 MB.
 */
export function jsonSelect<Columns extends Record<string, SQL>>(
  columns: Columns,
): (from: SQL, order?: SQL) => JsonSelect<RowOf<Columns>> {
  const members = rowMembersOf(columns)
  if (members.length > MAX_COLUMNS) {
    throw new Error(`A JSON select has at most ${MAX_COLUMNS} columns, not ${members.length}`)
  }
  const cells = sql`json_array(${sql.join(Object.values(columns), sql`, `)})`
  return (from, order) => ({
    members,
    json: sql`(SELECT json_group_array(${cells}${order === undefined ? sql`` : sql` ORDER BY ${order}`}) ${from})`,
  })
}

/** One select for all JSON selects; its only row has the value of each under its name. */
export function combineJsonSelects(
  lists: readonly (readonly [string, JsonSelect<unknown>])[],
): SQL {
  return sql`SELECT ${nameColumns(Object.fromEntries(lists.map(([name, { json }]) => [name, json])))}`
}

export function parseJsonRows(
  { members }: JsonSelect<unknown>,
  json: unknown,
): Record<string, unknown>[] {
  return (JSON.parse(String(json)) as unknown[][]).map((cells) => {
    const parsedRow: Record<string, unknown> = {}
    members.forEach(({ key, decode }, n) => {
      parsedRow[key] = decodeValue(cells[n], decode)
    })
    return parsedRow
  })
}

/** The members of rows of named expressions. */
export function rowMembersOf(columns: Readonly<Record<string, SQL>>): RowMember[] {
  return Object.entries(columns).map(([key, expression]) => ({
    key,
    decode: decoderOf(expression),
  }))
}

/** Expressions under their names, for a select. */
export function nameColumns(columns: Readonly<Record<string, SQL>>): SQL {
  const named = Object.entries(columns).map(
    ([name, expression]) => sql`${expression} AS ${sql.raw(`"${name}"`)}`,
  )
  return sql.join(named, sql`, `)
}
