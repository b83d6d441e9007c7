/** What the exchanges of one request with D1 have cost so far, and the newest state they have seen. */
export type Tally = {
  trips: number
  statements: number
  rowsRead: number
  rowsWritten: number
  /** Milliseconds spent in SQL, as D1 reports them. */
  sqlMs: number
  /** Null before the first statement. */
  bookmark: string | null
}

/**
 * Where the first statement of a session may be served: by the nearest copy, by the primary, or by any
 * copy that has at least the state of a bookmark.
 */
export type Freshness = 'first-unconstrained' | 'first-primary' | { bookmark: string }

/** One request's door to D1, used by `together` and `commit` alone. */
export type Door = {
  readonly tally: Tally
  /** Whether the session began at the primary, so that what it does not find does not exist. */
  readonly atPrimary: boolean
  prepare(sql: string): D1PreparedStatement
  /** Sends the statements as one transaction and one trip. */
  send(statements: D1PreparedStatement[]): Promise<D1Result<unknown>[]>
  /** A door of the same request whose reads begin at the primary again. */
  toPrimary(): Door
  /** A door for bookkeeping after the answer, which the request's tally does not count. */
  aside(): Door
}

const BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/

/** Whether a text from outside has the form of a bookmark; anything else never reaches D1. */
export function isBookmark(text: string): boolean {
  return BOOKMARK.test(text)
}

/** Opens a session on D1. The doors of one request share one tally. */
export function openDoor(
  binding: D1Database,
  freshness: Freshness,
  tally: Tally = emptyTally(),
): Door {
  const session = binding.withSession(
    typeof freshness === 'string' ? freshness : freshness.bookmark,
  )
  return {
    tally,
    atPrimary: freshness === 'first-primary',
    prepare: (sql) => session.prepare(sql),
    async send(statements) {
      tally.trips += 1
      tally.statements += statements.length
      const results = await session.batch(statements)
      for (const { meta } of results) {
        tally.rowsRead += meta.rows_read
        tally.rowsWritten += meta.rows_written
        tally.sqlMs += meta.duration
      }
      tally.bookmark = session.getBookmark()
      return results
    },
    toPrimary: () => openDoor(binding, 'first-primary', tally),
    aside: () => openDoor(binding, 'first-primary'),
  }
}

function emptyTally(): Tally {
  return { trips: 0, statements: 0, rowsRead: 0, rowsWritten: 0, sqlMs: 0, bookmark: null }
}
