import { Column, SQL } from 'drizzle-orm'
import { compile, type SqlText } from './compile.ts'
import {
  combineJsonSelects,
  type Decode,
  decoderOf,
  decodeValue,
  type JsonSelect,
  type Member,
  membersOf,
  parseJsonRows,
  precompile,
  type RowOf,
} from './json-select.ts'
import type { DbSession, SessionHolder } from './session.ts'
import { sql } from './sql.ts'

/** A finished select: what `db.select(…)…` gives. */
type Reading = PromiseLike<unknown[]> & {
  getSQL(): SQL
  prepare(): { mapResult(response: unknown, isFromBatch: true): unknown }
  readonly _: { readonly selectedFields: object }
}

/** A select that is written out: see `written`. */
export type ExpressionSelect<Row> = {
  /** The names under which its rows hold their columns. */
  readonly columns: readonly string[]
  readonly statement: SQL
  /** The columns whose values are made ours. */
  readonly decoded?: readonly Member[]
  readonly [row]?: Row
}

declare const row: unique symbol

type Row = Record<string, unknown>

/** What a reading answers. */
export type RowsOf<Read> = Read extends ExpressionSelect<infer One> | JsonSelect<infer One>
  ? One[]
  : Awaited<Read>

/** A member of a row of drizzle's: where it comes from, and how D1's value becomes ours, if it has to. */
type Selected = {
  key: string
  column: string
  decode: Decode
  /** Whether it belongs to a part of the row, rather than to the row itself. */
  isInPart: boolean
}

/** A statement that is sent, and who tells what it answered, under the names of its readings. */
type PlannedStatement = SqlText & { tell(result: D1Result<unknown>, answers: Row): void }

/**
 * One trip to D1 for any number of reads: named selects in, their rows out under the same names, all
 * from one state of the database. A name whose select is undefined is not asked and stays undefined; no
 * selects are no trip. Short lists are one statement, whatever their number. Refuses a select with two
 * columns of one name, because D1 would silently shift the values of its rows.
 */
export async function readBatch<
  Readings extends Record<
    string,
    Reading | ExpressionSelect<unknown> | JsonSelect<unknown> | undefined
  >,
>(
  from: DbSession | SessionHolder,
  readings: Readings,
): Promise<{ [Name in keyof Readings]: RowsOf<Readings[Name]> }> {
  const session = 'session' in from ? from.session : from
  const asked: PlannedStatement[] = []
  const lists: [string, JsonSelect<unknown>][] = []
  for (const [name, reading] of Object.entries(readings)) {
    if (reading !== undefined && 'json' in reading) {
      lists.push([name, reading])
    } else if (reading !== undefined) {
      asked.push(asking(name, reading))
    }
  }
  if (lists.length > 0) {
    asked.push(askingLists(lists))
  }
  const bound = asked.map(({ sql, params }) => session.prepare(sql).bind(...params))
  const results = bound.length === 0 ? [] : await session.send(bound)
  const answers: Row = {}
  results.forEach((result, n) => {
    asked[n]?.tell(result, answers)
  })
  return answers as { [Name in keyof Readings]: RowsOf<Readings[Name]> }
}

/**
 * A select of named expressions from whatever `rest` says, ready to be sent: `FROM … WHERE …`. For
 * selects of so many columns that drizzle's select takes longer to build than to run. Values come as D1
 * holds them.
 */
export function selectExpressions<Row>(
  expressions: Readonly<Record<string, SQL>>,
  rest: SQL,
): ExpressionSelect<Row> {
  return {
    columns: Object.keys(expressions),
    statement: sql`SELECT ${sql.join(named(expressions), sql`, `)} ${rest}`,
  }
}

/**
 * The same with columns that are put together once for all requests, and perhaps `more`, of other names,
 * that depend on the request; values become what the expressions' `mapWith` says.
 */
export function selectOf<Columns extends Record<string, SQL>>(columns: Columns) {
  const head = precompile(selectExpressions(columns, sql``).statement)
  return <More extends Record<string, SQL> = Record<never, SQL>>(
    rest: SQL,
    more?: More,
  ): ExpressionSelect<RowOf<Columns & More>> => {
    const all = { ...columns, ...more }
    if (Object.keys(all).length < Object.keys(columns).length + Object.keys(more ?? {}).length) {
      throw new Error(`Two columns have one name: ${Object.keys(all).join(', ')}`)
    }
    return {
      columns: Object.keys(all),
      statement: sql`${head}${sql.join(named(more ?? {}, ', '))} ${rest}`,
      decoded: membersOf(all).filter(({ decode }) => decode !== null),
    }
  }
}

function named(expressions: Readonly<Record<string, SQL>>, before = ''): SQL[] {
  return Object.entries(expressions).map(
    ([name, expression]) => sql`${sql.raw(before)}${expression} AS ${sql.raw(`"${name}"`)}`,
  )
}

function asking(name: string, reading: Reading | ExpressionSelect<unknown>): PlannedStatement {
  if ('statement' in reading) {
    return {
      ...compile(reading.statement),
      tell({ results }, answers) {
        answers[name] = decodedRows(results as Row[], reading.decoded ?? [])
      },
    }
  }
  const rowsOf = rowReader(name, reading)
  return {
    ...compile(reading.getSQL()),
    tell(result, answers) {
      answers[name] = rowsOf(result)
    },
  }
}

function decodedRows(rows: Row[], members: readonly Member[]): Row[] {
  for (const row of rows) {
    for (const { key, decode } of members) {
      row[key] = decodeValue(row[key], decode)
    }
  }
  return rows
}

function askingLists(lists: readonly (readonly [string, JsonSelect<unknown>])[]): PlannedStatement {
  return {
    ...compile(combineJsonSelects(lists)),
    tell(result, answers) {
      const [row] = result.results as Row[]
      for (const [name, list] of lists) {
        answers[name] = parseJsonRows(list, row?.[name])
      }
    },
  }
}

/**
 * Turns D1's rows into those of the select. Flat ones are read by the names of their columns, in a
 * fraction of the time that drizzle's own mapping takes; that one is left to rows with parts.
 */
function rowReader(name: string, reading: Reading): (result: D1Result<unknown>) => unknown {
  const members = selectedMembers(reading._.selectedFields)
  refuseRepeatedColumns(name, members)
  return members.some(({ isInPart }) => isInPart)
    ? (result) => reading.prepare().mapResult(result, true)
    : ({ results }) => (results as Row[]).map((row) => rowOf(row, members))
}

function rowOf(row: Row, members: readonly Selected[]): Row {
  const made: Row = {}
  for (const { key, column, decode } of members) {
    made[key] = decodeValue(row[column], decode)
  }
  return made
}

function selectedMembers(fields: object, isInPart = false): Selected[] {
  return Object.entries(fields).flatMap(([key, field]): Selected | Selected[] => {
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
    return selectedMembers(field, true)
  })
}

function refuseRepeatedColumns(reading: string, members: readonly Selected[]): void {
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
