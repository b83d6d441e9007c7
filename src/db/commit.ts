import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { fault } from '../faults.ts'
import type { Door } from './door.ts'

/** An insert, update or delete of the query builder, or a piece of SQL. */
export type Statement = SQLWrapper

/** Somebody else changed what a decision was based on; `untilFresh` decides again. */
export class StaleWrite extends Error {
  override readonly name = 'StaleWrite'
}

const dialect = new SQLiteSyncDialect()
const STALE = 'stale write'
const FIRST_PAUSE_MS = 40
const LONGEST_PAUSE_MS = 800

/**
 * One trip to D1 that writes all statements or none. Answers the rows that each statement returned
 * (RETURNING), under their column names. Throws `StaleWrite` when a guard refused or a unique name was
 * taken in between.
 */
export async function commit(
  door: Door,
  statements: readonly Statement[],
): Promise<Record<string, unknown>[][]> {
  if (statements.length === 0) {
    return []
  }
  const prepared = statements.map((statement) => {
    const { sql: text, params } = dialect.sqlToQuery(statement.getSQL())
    return door.prepare(text).bind(...params)
  })
  try {
    const results = await door.send(prepared)
    return results.map(({ results: rows }) => rows as Record<string, unknown>[])
  } catch (error) {
    throw isStale(error) ? new StaleWrite() : error
  }
}

/**
 * The guard: stands behind an update that carries a condition on what was read, and fails the whole
 * commit unless that update changed exactly `rows` rows.
 */
export function guard(rows = 1): SQL {
  return refuseWhen(sql`changes() <> ${rows}`)
}

/** Fails the whole commit as stale when the condition holds at its place among the statements. */
export function refuseWhen(condition: SQL): SQL {
  // changes() keeps SQLite from working the failing part out in advance
  return sql`SELECT CASE WHEN ${condition} THEN json_extract('{}', ${STALE} || changes()) END AS guard`
}

/**
 * Runs load, decide and commit until the commit was based on the newest state, with random pauses that
 * grow, for about `patienceMs`. Each attempt after the first gets a door whose reads begin at the
 * primary. Throws the fault `busy` when time is up.
 */
export async function untilFresh<Result>(
  door: Door,
  attempt: (door: Door) => Promise<Result>,
  patienceMs = 5_000,
): Promise<Result> {
  const deadline = Date.now() + patienceMs
  let current = door
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt(current)
    } catch (error) {
      if (!(error instanceof StaleWrite)) {
        throw error
      }
      const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries)
      const pause = Math.random() * longest
      if (Date.now() + pause > deadline) {
        throw fault('busy')
      }
      await new Promise((wake) => setTimeout(wake, pause))
      current = current.toPrimary()
    }
  }
}

/** D1 reports a failed statement only as text; ours carries the guard's own words. */
function isStale(error: unknown): boolean {
  const message = error instanceof Error ? error.message : ''
  return message.includes(STALE) || message.includes('UNIQUE constraint failed')
}
