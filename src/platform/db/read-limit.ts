import type { SQL } from 'drizzle-orm'
import { sql } from './sql.ts'

/** A select was to look at more rows than it may. */
export class ReadLimit extends Error {
  override readonly name = 'ReadLimit'
}

/** The rows that a select found were to be longer together than they may. */
export class RowsTooLong extends Error {
  override readonly name = 'RowsTooLong'
}

/** A select is larger, or its conditions are nested more deeply, than the database takes. */
export class SelectTooLarge extends Error {
  override readonly name = 'SelectTooLarge'
}

const MARKER = 'read limit'
const LENGTH_MARKER = 'length of rows'

/** Fails the batch with `ReadLimit` when it is evaluated; `changes()` keeps SQLite from evaluating it in advance. */
export const REACH_LIMIT = failWith(MARKER)

/** The same with `RowsTooLong`. */
export const REACH_LENGTH = failWith(LENGTH_MARKER)

function failWith(marker: string): SQL {
  return sql.raw(`json_extract('{}', '${marker}' || changes())`)
}

/** What SQLite says of a statement with which it does not even begin. */
const TOO_LARGE =
  /Expression tree is too large|too many terms in compound SELECT|parser stack overflow|statement too long/

/** The error of a failed batch of selects, of which D1 reports only a text. */
export function toReadError(error: unknown): unknown {
  if (!(error instanceof Error)) {
    return error
  }
  if (error.message.includes(MARKER)) {
    return new ReadLimit()
  }
  if (error.message.includes(LENGTH_MARKER)) {
    return new RowsTooLong()
  }
  return TOO_LARGE.test(error.message) ? new SelectTooLarge() : error
}
