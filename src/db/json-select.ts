import { noopDecoder as PLAIN, type SQL } from 'drizzle-orm'
import { compile } from './compile.ts'
import { sql } from './sql.ts'

/** A short select that rides in one statement with others: see `listOf`. */
export type JsonSelect<Row> = {
  readonly members: readonly Member[]
  /** Answers all rows as one value: JSON. */
  readonly json: SQL
  readonly [row]?: Row
}

declare const row: unique symbol

/** Makes D1's value ours; null for a value that is left as it is. */
export type Decode = ((value: unknown) => unknown) | null

/** A member of a row, and what becomes of its value. */
export type Member = { readonly key: string; readonly decode: Decode }

/** A row of named expressions. */
export type RowOf<Columns> = {
  [Name in keyof Columns]: Columns[Name] extends SQL<infer Value> ? Value : never
}

/** A function has 32 arguments in D1. */
const MOST_COLUMNS = 32

/**
 * A select of named expressions, to be finished with its `FROM … WHERE …` and perhaps its order. All such
 * selects of one `together` are one statement, in which each is one value: for the dozen little look-ups
 * that a decision needs, of which each is found in less time than a statement of its own takes to be
 * built, sent and told. Not for what may be long, since a row of D1 holds 2 MB. Columns and what they
 * are called stand apart from the rest, so that they are put together once for all requests.
 */
export function jsonSelect<Columns extends Record<string, SQL>>(
  columns: Columns,
): (from: SQL, order?: SQL) => JsonSelect<RowOf<Columns>> {
  const members = membersOf(columns)
  if (members.length > MOST_COLUMNS) {
    throw new Error(`A list has at most ${MOST_COLUMNS} columns, not ${members.length}`)
  }
  const cells = precompile(sql`json_array(${sql.join(Object.values(columns), sql`, `)})`)
  return (from, order) => ({
    members,
    json: sql`(SELECT json_group_array(${cells}${order === undefined ? sql`` : sql` ORDER BY ${order}`}) ${from})`,
  })
}

/** One select for all the lists, whose only row holds each under its name. */
export function combineJsonSelects(
  lists: readonly (readonly [string, JsonSelect<unknown>])[],
): SQL {
  const columns = lists.map(([name, { json }]) => sql`${json} AS ${sql.raw(`"${name}"`)}`)
  return sql`SELECT ${sql.join(columns, sql`, `)}`
}

/** The rows of a list as its statement answered them. */
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

/** The same piece as one text, where it names no values: it is built once, and for many statements. */
export function precompile(piece: SQL): SQL {
  const { sql: text, params } = compile(piece)
  return params.length === 0 ? sql.raw(text) : piece
}

/** What `mapWith` said of an expression. */
export function decoderOf(expression: SQL): Decode {
  // not among its declared members
  const { decoder } = expression as unknown as {
    decoder: { mapFromDriverValue(value: unknown): unknown }
  }
  return decoder === PLAIN ? null : (value) => decoder.mapFromDriverValue(value)
}

/** The value as ours; what is null stays null. */
export function decodeValue(value: unknown, decode: Decode): unknown {
  return decode === null || value === null ? value : decode(value)
}
