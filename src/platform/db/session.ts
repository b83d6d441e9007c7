import { type TripSource, takeTripTurn } from '../load/trip-turns.ts'
import type { SqlText } from './compile.ts'

/** The cost of the round trips of one request so far, and the newest state that they have seen. */
export type QueryCost = {
  trips: number
  statements: number
  rowsRead: number
  rowsWritten: number
  /** Milliseconds spent in SQL, as D1 reports them. */
  sqlMs: number
  /** The most that one statement took, during which the database serves nobody else, and the most rows it read. */
  longestMs: number
  mostRead: number
  /** Null before the first statement. */
  bookmark: string | null
}

/** The cost of a request without a round trip. */
export const NO_COST: Readonly<QueryCost> = {
  trips: 0,
  statements: 0,
  rowsRead: 0,
  rowsWritten: 0,
  sqlMs: 0,
  longestMs: 0,
  mostRead: 0,
  bookmark: null,
}

/**
 * Where the first statement of a session may run: on any replica, on the primary, or on a replica that has
 * at least the state of a bookmark.
 */
export type Freshness = 'first-unconstrained' | 'first-primary' | { bookmark: string }

/**
 * An assumption of a request, such as a cached identity: a select that runs first in the first batch of the
 * request, and the function that compares its rows with the assumption.
 */
export type SessionCheck = {
  readonly statement: SqlText
  matches(rows: readonly unknown[]): boolean
}

/** The check of a session failed: everything that rests on the assumption must be discarded. */
export class SessionCheckFailure extends Error {
  override readonly name = 'SessionCheckFailure'
}

/** The request of an idempotency key, and whether it has been written. */
export type IdempotencyRecord = {
  readonly userId: number
  /** Method and path pattern. */
  readonly operation: string
  readonly key: string
  readonly fingerprint: string
  /** Unix seconds. */
  readonly now: number
  isWritten: boolean
  /** Whether the answer was part of the commit. */
  hasAnswer: boolean
}

/** The session of one request on D1; only `readBatch` and `commit` use it. */
export type DbSession = {
  readonly cost: QueryCost
  /** Whether the session began on the primary, so that rows it does not find do not exist. */
  readonly readsPrimary: boolean
  /** The record of an idempotency key, which the first commit of the session writes as well. */
  readonly idempotencyRecord?: IdempotencyRecord
  prepare(sql: string): D1PreparedStatement
  /**
   * Sends the statements as one transaction and one round trip. Throws `SessionCheckFailure` instead of
   * returning rows when the check fails; a writer must `verify` first.
   */
  send(statements: D1PreparedStatement[]): Promise<D1Result<unknown>[]>
  /** Runs a check that no batch has run yet, in a round trip of its own; throws as `send` does. */
  verify(): Promise<void>
  /** Opens a session of the same request that begins on the primary. */
  onPrimary(): DbSession
}

/** The context of a call, or any part of it with the session. */
export type SessionHolder = { readonly session: DbSession }

const BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/

/** Whether a text from a client has the form of a bookmark; no other text is sent to D1. */
export function isBookmark(text: string): boolean {
  return BOOKMARK.test(text)
}

/** The state that all sessions of one request share. */
type SharedState = {
  readonly cost: QueryCost
  /** Null for what nobody waits for, such as later work. */
  readonly source: TripSource | null
  /** Null when there is no check, or when it has passed. */
  check: SessionCheck | null
  /** Permanent: even if the check passed later, earlier reads rest on the wrong assumption. */
  hasFailed: boolean
}

/** Opens a session on D1 for a request. Its costs are added to `cost`. */
export function openSession(
  binding: D1Database,
  freshness: Freshness,
  {
    check = null,
    cost = emptyCost(),
    source = null,
  }: Partial<Pick<SharedState, 'check' | 'cost' | 'source'>> = {},
): DbSession {
  return createSession(binding, freshness, { check, cost, source, hasFailed: false })
}

function createSession(binding: D1Database, freshness: Freshness, shared: SharedState): DbSession {
  const opened = binding.withSession(typeof freshness === 'string' ? freshness : freshness.bookmark)
  const { cost, source } = shared
  const runBatch = async (statements: D1PreparedStatement[]) => {
    cost.trips += 1
    const sendBatch = () => opened.batch(statements)
    const results = await (source === null
      ? sendBatch()
      : takeTripTurn(source, { n: cost.trips, statements: statements.length }, sendBatch))
    cost.bookmark = opened.getBookmark()
    return results
  }
  const send: DbSession['send'] = async (statements) => {
    const { check } = shared
    if (check === null) {
      return recordCost(cost, await runBatch(statements))
    }
    if (shared.hasFailed) {
      throw new SessionCheckFailure()
    }
    const { sql, params } = check.statement
    const [first, ...results] = await runBatch([opened.prepare(sql).bind(...params), ...statements])
    recordCost(cost, first === undefined ? [] : [first])
    // parallel batches may all carry the check: the first to return decides
    if (shared.check !== null && (shared.hasFailed || !check.matches(first?.results ?? []))) {
      // the cost of the other statements is left out, because it reveals how many rows they found
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
    cost.longestMs = Math.max(cost.longestMs, meta.duration)
    cost.mostRead = Math.max(cost.mostRead, meta.rows_read)
  }
  return results
}

function emptyCost(): QueryCost {
  return { ...NO_COST }
}
