import type { SQL } from 'drizzle-orm'
import { compile } from './compile.ts'
import { type Decode, decoderOf, decodeValue } from './drizzle-internals.ts'
import { sql } from './sql.ts'

/** A short select that shares one statement with others: see `jsonSelect`. */
export type JsonSelect<Row> = {
  readonly members: readonly Member[]
  /** Answers all rows as one value: JSON. */
  readonly json: SQL
  readonly [row]?: Row
}

declare const row: unique symbol

/** A member of a row, and how its value is decoded. */
export type Member = { readonly key: string; readonly decode: Decode }

/** A row of named expressions. */
export type RowOf<Columns> = {
  [Name in keyof Columns]: Columns[Name] extends SQL<infer Value> ? Value : never
}

/** A function has 32 arguments in D1. */
const MOST_COLUMNS = 32

/**
 * A select of named expressions, to be finished with its `FROM … WHERE …` and perhaps its order. All such
 * selects of one `readBatch` are one statement, in which each is one JSON value: for the dozen small
 * look-ups of a decision, each of which D1 finds in less time than a statement of its own costs. Not for
 * long results, since a row of D1 holds 2 MB. The columns are compiled once for all requests.
 */
export function jsonSelect<Columns extends Record<string, SQL>>(
  columns: Columns,
): (from: SQL, order?: SQL) => JsonSelect<RowOf<Columns>> {
  const members = membersOf(columns)
  if (members.length > MOST_COLUMNS) {
    throw new Error(`A JSON select has at most ${MOST_COLUMNS} columns, not ${members.length}`)
  }
  const cells = precompile(sql`json_array(${sql.join(Object.values(columns), sql`, `)})`)
  return (from, order) => ({
    members,
    json: sql`(SELECT json_group_array(${cells}${order === undefined ? sql`` : sql` ORDER BY ${order}`}) ${from})`,
  })
}

/** One select for all of them, whose only row holds each under its name. */
export function combineJsonSelects(
  lists: readonly (readonly [string, JsonSelect<unknown>])[],
): SQL {
  const columns = lists.map(([name, { json }]) => sql`${json} AS ${sql.raw(`"${name}"`)}`)
  return sql`SELECT ${sql.join(columns, sql`, `)}`
}

/** The rows of a JSON select, from the value under its name. */
export function parseJsonRows(
  { members }: JsonSelect<unknown>,
  json: unknown,
): Record<string, unknown>[] {
  return (JSON.parse(String(json)) as unknown[][]).map((cells) => {
    const made: Record<string, unknown> = {}
    members.forEach(({ key, decode }, n) => {
      made[key] = decodeValue(cells[n], decode)
    })
    return made
  })
}

/** The members of rows of named expressions. */
export function membersOf(columns: Readonly<Record<string, SQL>>): Member[] {
  return Object.entries(columns).map(([key, expression]) => ({
    key,
    decode: decoderOf(expression),
  }))
}

/** The same piece as one text, so that many statements share it; a piece that names values stays as it is. */
export function precompile(piece: SQL): SQL {
  const { sql: text, params } = compile(piece)
  return params.length === 0 ? sql.raw(text) : piece
}
