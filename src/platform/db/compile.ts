import type { SQLWrapper } from 'drizzle-orm'
import { renderByDialect, writeSql } from './drizzle-internals.ts'

export type SqlText = { readonly sql: string; readonly params: readonly unknown[] }

/**
 * Compiles a statement to text and parameters. A repeated value, such as the ID of the caller, is bound once,
 * because D1 binds at most 100. Compiling is most of the time of a short request, so that the usual pieces
 * are not compiled by drizzle's dialect; it compiles all others.
 */
export function compile(statement: SQLWrapper): SqlText {
  const piece = statement.getSQL()
  const writer = new SqlWriter()
  const compiled = writeSql(piece, writer)
    ? { sql: writer.text, params: writer.params }
    : renderByDialect(piece)
  return compiled.params.length > MAX_PARAMETERS ? packParameters(compiled) : compiled
}

/** D1 binds no more. */
const MAX_PARAMETERS = 100

/** The same statement with all of its values in one parameter. SQLite takes each value out once. */
function packParameters({ sql: text, params }: SqlText): SqlText {
  return {
    sql: text.replace(/\?(\d+)/g, (_, place) => `(?1 ->> '$[${Number(place) - 1}]')`),
    params: [JSON.stringify(params)],
  }
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
