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
 * An assumption that a request begins on: a select that the first batch of its sessions carries ahead of
 * everything else, and whether its rows confirm the assumption.
 */
export type SessionCheck = {
  readonly statement: SqlText
  matches(rows: readonly unknown[]): boolean
}

/** The check of a session failed: whatever was made on the assumption must be thrown away. */
export class SessionCheckFailure extends Error {
  override readonly name = 'SessionCheckFailure'
}

/** One request's session on D1, used by `readBatch` and `commit` alone. */
export type DbSession = {
  readonly cost: QueryCost
  /** Whether the session began at the primary, so that what it does not find does not exist. */
  readonly readsPrimary: boolean
  prepare(sql: string): D1PreparedStatement
  /**
   * Sends the statements as one transaction and one round trip. Throws `SessionCheckFailure` instead of
   * returning rows when the check fails; a writer must `verify` first.
   */
  send(statements: D1PreparedStatement[]): Promise<D1Result<unknown>[]>
  /** Runs the check, if any, by a trip of its own unless a batch has carried it; throws as `send` does. */
  verify(): Promise<void>
  /** A session of the same request whose reads begin at the primary again. */
  onPrimary(): DbSession
}

/** Whatever has a session: the context of a call, or a part of it. */
export type SessionHolder = { readonly session: DbSession }

const BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/

/** Whether a text from outside has the form of a bookmark; anything else never reaches D1. */
export function isBookmark(text: string): boolean {
  return BOOKMARK.test(text)
}

/** What the sessions of one request have in common. */
type SharedState = {
  readonly cost: QueryCost
  /** Null when there is none, or when it has passed. */
  check: SessionCheck | null
  /** For good: a check that would pass later has still misled whoever read before. */
  hasFailed: boolean
}

/** Opens a session on D1 for a request. The cost is added to `cost`; `check` is a `SessionCheck`. */
export function openSession(
  binding: D1Database,
  freshness: Freshness,
  { check = null, cost = emptyCost() }: Partial<Pick<SharedState, 'check' | 'cost'>> = {},
): DbSession {
  return createSession(binding, freshness, { check, cost, hasFailed: false })
}

function createSession(binding: D1Database, freshness: Freshness, shared: SharedState): DbSession {
  const opened = binding.withSession(typeof freshness === 'string' ? freshness : freshness.bookmark)
  const { cost } = shared
  const exchange = async (statements: D1PreparedStatement[]) => {
    cost.trips += 1
    const results = await opened.batch(statements)
    cost.bookmark = opened.getBookmark()
    return results
  }
  const send: DbSession['send'] = async (statements) => {
    const { check } = shared
    if (check === null) {
      return recordCost(cost, await exchange(statements))
    }
    if (shared.hasFailed) {
      throw new SessionCheckFailure()
    }
    const { sql, params } = check.statement
    const [first, ...results] = await exchange([opened.prepare(sql).bind(...params), ...statements])
    recordCost(cost, first === undefined ? [] : [first])
    // several batches may carry the check at once: the first to return decides
    if (shared.check !== null && (shared.hasFailed || !check.matches(first?.results ?? []))) {
      // without the cost of the other statements: it would tell how many rows they found
      shared.hasFailed = true
      throw new SessionCheckFailure()
    }
    shared.check = null
    return recordCost(cost, results)
  }
  return {
    cost,
    readsPrimary: freshness === 'first-primary',
    prepare: (sql) => opened.prepare(sql),
    send,
    async verify() {
      if (shared.check !== null) {
        await send([])
      }
    },
    onPrimary: () => createSession(binding, 'first-primary', shared),
  }
}

function recordCost(cost: QueryCost, results: D1Result<unknown>[]): D1Result<unknown>[] {
  cost.statements += results.length
  for (const { meta } of results) {
    cost.rowsRead += meta.rows_read
    cost.rowsWritten += meta.rows_written
    cost.sqlMs += meta.duration
  }
  return results
}

function emptyCost(): QueryCost {
  return { ...NO_COST }
}
