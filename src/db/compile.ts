import type { SQL, SQLWrapper } from 'drizzle-orm'
import { renderByDialect, writeSql } from './drizzle-internals.ts'

/** A statement as D1 takes it, with numbered parameters in the text. */
export type SqlText = { readonly sql: string; readonly params: readonly unknown[] }

/** A statement that is compiled already; it cannot be a piece of another. */
export class CompiledStatement implements SQLWrapper {
  readonly compiled: SqlText

  constructor(compiled: SqlText) {
    this.compiled = compiled
  }

  getSQL(): SQL {
    throw new Error('A compiled statement cannot be a piece of another')
  }
}

/**
 * Compiles a statement to text and parameters. A repeated value, such as the ID of the caller, is bound once,
 * because D1 binds at most 100. Compiling is most of the time of a short request, so that the usual pieces
 * are not compiled by drizzle's dialect; it compiles all others.
 */
export function compile(statement: SQLWrapper): SqlText {
  if (statement instanceof CompiledStatement) {
    return statement.compiled
  }
  const piece = statement.getSQL()
  const writer = new SqlWriter()
  return writeSql(piece, writer)
    ? { sql: writer.text, params: writer.params }
    : renderByDialect(piece)
}

class SqlWriter {
  text = ''
  readonly params: unknown[] = []
  readonly #places = new Map<unknown, number>()

  bind(value: unknown): void {
    let place = this.#places.get(value)
    if (place === undefined) {
      this.params.push(value)
      place = this.params.length
      this.#places.set(value, place)
    }
    this.text += `?${place}`
  }
}
