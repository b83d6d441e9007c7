import type { SQL, SQLWrapper } from 'drizzle-orm'
import { fault } from '../faults.ts'
import { compile } from './compile.ts'
import type { Door } from './door.ts'
import { sql } from './sql.ts'

/** An insert, update or delete of the query builder, or a piece of SQL. */
export type Statement = SQLWrapper

/** Somebody else changed what a decision was based on; `untilFresh` decides again. */
export class StaleWrite extends Error {
  override readonly name = 'StaleWrite'
}

const STALE = 'stale write'
/** `changes()` keeps SQLite from working it out in advance. */
const FAILS = sql`json_extract('{}', ${STALE} || changes())`
/** The clock may stand still during an attempt. */
const LEAST_MS = 10
const LONGEST_PAUSE_MS = 2_500

/**
 * One trip to D1 that writes all statements or none. Answers the rows that each statement returned
 * (RETURNING), under their column names. Throws `StaleWrite` when a guard refused, a unique name was
 * taken in between, or something that the statements refer to was removed.
 */
export async function commit(
  door: Door,
  statements: readonly Statement[],
): Promise<Record<string, unknown>[][]> {
  if (statements.length === 0) {
    return []
  }
  const prepared = statements.map((statement) => {
    const { sql: text, params } = compile(statement)
    return door.prepare(text).bind(...params)
  })
  await door.confirm()
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
  return sql`SELECT CASE WHEN ${condition} THEN ${FAILS} END AS guard`
}

/** The value, for a statement that is sent anyway; fails the whole commit as stale when the condition holds. */
export function unless(condition: SQL, value: SQL): SQL {
  return sql`CASE WHEN ${condition} THEN ${FAILS} ELSE ${value} END`
}

/**
 * Runs load, decide and commit until the commit was based on the newest state, with random pauses that
 * grow, for about `patienceMs`. Each attempt after the first gets a door whose reads begin at the
 * primary. Throws the fault `busy` when time is up.
 *
 * The pauses grow from what the attempt itself took: where hundreds write at once, D1 answers them one
 * after the other and everything takes long, so that a fixed pause would bring all of them back before
 * anybody is done; where two meet, it takes little and neither waits for long. A pause begins at nothing,
 * since writers who have drifted apart do not meet again.
 */
export async function untilFresh<Result>(
  door: Door,
  attempt: (door: Door) => Promise<Result>,
  patienceMs = 5_000,
): Promise<Result> {
  const deadline = Date.now() + patienceMs
  let current = door
  for (let tries = 1; ; tries += 1) {
    const began = Date.now()
    try {
      return await attempt(current)
    } catch (error) {
      if (!(error instanceof StaleWrite)) {
        throw error
      }
      const now = Date.now()
      if (now >= deadline) {
        throw fault('busy')
      }
      const longest = Math.min(LONGEST_PAUSE_MS, Math.max(now - began, LEAST_MS) * 2 ** tries)
      await pause(Math.random() * Math.min(longest, deadline - now))
      current = current.toPrimary()
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, milliseconds))
}

/** D1 reports a failed statement only as text; ours carries the guard's own words. */
function isStale(error: unknown): boolean {
  const message = error instanceof Error ? error.message : ''
  return [STALE, 'UNIQUE constraint failed', 'FOREIGN KEY constraint failed'].some((words) =>
    message.includes(words),
  )
}
