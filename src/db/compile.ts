import type { SQL, SQLWrapper } from 'drizzle-orm'
import { renderByDialect, writeSql } from './drizzle-internals.ts'

/** A statement as D1 takes it; its parameters stand in the text by number. */
export type SqlText = { readonly sql: string; readonly params: readonly unknown[] }

/** A whole statement that needs no compiling; it cannot be a piece of another. */
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
 * Turns a statement into text and parameters. A value that it names often, as the caller, is bound once,
 * since D1 binds 100 at most. Compiling is most of what a short request costs, so the pieces that this
 * service writes take a faster way than drizzle's dialect; any other piece is left to the dialect.
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
