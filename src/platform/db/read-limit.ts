import { sql } from './sql.ts'

/** A select was to look at more rows than it may. */
export class ReadLimit extends Error {
  override readonly name = 'ReadLimit'
}

const MARKER = 'read limit'

/** Fails the batch with `ReadLimit` when it is evaluated; `changes()` keeps SQLite from evaluating it in advance. */
export const REACH_LIMIT = sql.raw(`json_extract('{}', '${MARKER}' || changes())`)

/** D1 reports a failed statement only as text. */
export function isReadLimit(error: unknown): boolean {
  return error instanceof Error && error.message.includes(MARKER)
}
