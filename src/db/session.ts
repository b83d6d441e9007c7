import type { SqlText } from './compile.ts'

/** What the exchanges of one request with D1 have cost so far, and the newest state they have seen. */
export type QueryCost = {
  trips: number
  statements: number
  rowsRead: number
  rowsWritten: number
  /** Milliseconds spent in SQL, as D1 reports them. */
  sqlMs: number
  /** Null before the first statement. */
  bookmark: string | null
}

/** Of what asks D1 for nothing. */
export const NO_COST: Readonly<QueryCost> = {
  trips: 0,
  statements: 0,
  rowsRead: 0,
  rowsWritten: 0,
  sqlMs: 0,
  bookmark: null,
}

/**
 * Where the first statement of a session may be served: by the nearest copy, by the primary, or by any
 * copy that has at least the state of a bookmark.
 */
export type Freshness = 'first-unconstrained' | 'first-primary' | { bookmark: string }

/**
 * What a request was begun on before D1 said so: a select that rides ahead of its first reads, and whether
 * the rows of that bear it out.
 */
export type IdentityCheck = {
  readonly statement: SqlText
  matches(rows: readonly unknown[]): boolean
}

/** A premise did not hold: whatever was made of it must be thrown away. */
export class StaleIdentityError extends Error {
  override readonly name = 'WrongPremise'
}

/** One request's door to D1, used by `together` and `commit` alone. */
export type DbSession = {
  readonly tally: QueryCost
  /** Whether the session began at the primary, so that what it does not find does not exist. */
  readonly readsPrimary: boolean
  prepare(sql: string): D1PreparedStatement
  /**
   * Sends the statements as one transaction and one trip. Throws `WrongPremise` instead of answering
   * what was asked on a wrong one; a writer must `confirm` first.
   */
  send(statements: D1PreparedStatement[]): Promise<D1Result<unknown>[]>
  /** Makes sure of the premise, by a trip of its own when nothing has been read yet; see `send`. */
  verifyIdentity(): Promise<void>
  /** A door of the same request whose reads begin at the primary again. */
  onPrimary(): DbSession
}

/** Whatever has a session: the context of a call, or a part of it. */
export type SessionHolder = { readonly session: DbSession }

const BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/

/** Whether a text from outside has the form of a bookmark; anything else never reaches D1. */
export function isBookmark(text: string): boolean {
  return BOOKMARK.test(text)
}

/** What the doors of one request have in common. */
type SharedState = {
  readonly tally: QueryCost
  /** Null when there is none, or when it has been borne out. */
  identityCheck: IdentityCheck | null
  /** For good: a premise that came to hold meanwhile did not hold for whoever was told that it does not. */
  isStale: boolean
}

/** Opens a session on D1 for a request. The cost is added to `tally`. */
export function openSession(
  binding: D1Database,
  freshness: Freshness,
  {
    identityCheck = null,
    tally = emptyCost(),
  }: Partial<Pick<SharedState, 'identityCheck' | 'tally'>> = {},
): DbSession {
  return createSession(binding, freshness, { identityCheck, tally, isStale: false })
}

function createSession(binding: D1Database, freshness: Freshness, shared: SharedState): DbSession {
  const opened = binding.withSession(typeof freshness === 'string' ? freshness : freshness.bookmark)
  const { tally } = shared
  const exchange = async (statements: D1PreparedStatement[]) => {
    tally.trips += 1
    const results = await opened.batch(statements)
    tally.bookmark = opened.getBookmark()
    return results
  }
  const send: DbSession['send'] = async (statements) => {
    const { identityCheck } = shared
    if (identityCheck === null) {
      return recordCost(tally, await exchange(statements))
    }
    if (shared.isStale) {
      throw new StaleIdentityError()
    }
    const { sql, params } = identityCheck.statement
    const [first, ...results] = await exchange([opened.prepare(sql).bind(...params), ...statements])
    recordCost(tally, first === undefined ? [] : [first])
    // asked once, though several are under way
    if (
      shared.identityCheck !== null &&
      (shared.isStale || !identityCheck.matches(first?.results ?? []))
    ) {
      // what the others cost is told to nobody either
      shared.isStale = true
      throw new StaleIdentityError()
    }
    shared.identityCheck = null
    return recordCost(tally, results)
  }
  return {
    tally,
    readsPrimary: freshness === 'first-primary',
    prepare: (sql) => opened.prepare(sql),
    send,
    async verifyIdentity() {
      if (shared.identityCheck !== null) {
        await send([])
      }
    },
    onPrimary: () => createSession(binding, 'first-primary', shared),
  }
}

function recordCost(tally: QueryCost, results: D1Result<unknown>[]): D1Result<unknown>[] {
  tally.statements += results.length
  for (const { meta } of results) {
    tally.rowsRead += meta.rows_read
    tally.rowsWritten += meta.rows_written
    tally.sqlMs += meta.duration
  }
  return results
}

function emptyCost(): QueryCost {
  return { ...NO_COST }
}
