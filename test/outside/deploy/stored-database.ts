import { DatabaseSync } from 'node:sqlite'
import { unstable_splitSqlQuery } from 'wrangler'
import { PlatformError } from './platform-error.ts'

type QueryResult = { results: unknown[]; success: true; meta: Record<string, unknown> }

/** A database of the imitated platform: an actual SQLite, in which each request is one transaction. */
export class StoredDatabase {
  readonly uuid = crypto.randomUUID()
  readonly name: string
  readonly #sqlite = new DatabaseSync(':memory:')

  constructor(name: string) {
    this.name = name
  }

  /** Runs all statements or none. A failure is the platform's: 400 with the words of SQLite. */
  query(sql: string): QueryResult[] {
    this.#sqlite.exec('BEGIN')
    try {
      const results = unstable_splitSqlQuery(sql).map((statement) => ({
        results: this.#sqlite.prepare(statement).all(),
        success: true as const,
        meta: { duration: 1, rows_read: 0, rows_written: 0, size_after: 4096 },
      }))
      this.#sqlite.exec('COMMIT')
      return results
    } catch (error) {
      this.#sqlite.exec('ROLLBACK')
      const message = error instanceof Error ? error.message : String(error)
      throw new PlatformError(400, 7500, `${message}: SQLITE_ERROR`)
    }
  }

  /** The rows of one statement, for a test to look at. */
  select(sql: string): Record<string, unknown>[] {
    return this.#sqlite.prepare(sql).all()
  }
}
