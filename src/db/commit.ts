import type { SQL, SQLWrapper } from 'drizzle-orm'
import { fault } from '../faults.ts'
import { compile } from './compile.ts'
import type { DbSession, SessionHolder } from './session.ts'
import { sql } from './sql.ts'

/** An insert, update or delete of the query builder, or a piece of SQL. */
export type Statement = SQLWrapper

/** Somebody else changed what a decision was based on; `retryOnConflict` decides again. */
export class WriteConflict extends Error {
  override readonly name = 'WriteConflict'
}

const CONFLICT_MARKER = 'stale write'
/** `changes()` keeps SQLite from computing it in advance. */
const RAISE_CONFLICT = sql`json_extract('{}', ${CONFLICT_MARKER} || changes())`
/** The clock of the runtime may stand still during an attempt. */
const LEAST_MS = 10
const LONGEST_PAUSE_MS = 2_500

/** The named parts of a commit, in the order in which they are written. */
export type CommitParts = Readonly<Record<string, Statement | readonly Statement[] | undefined>>

type Row = Record<string, unknown>

/**
 * Writes all statements in one transaction and one round trip, or none. The parts run in the order of
 * their names; the answer holds the rows that the statements of each part returned (RETURNING), under
 * the same names. No statements are no round trip. Throws `WriteConflict` when a guard aborted, a unique
 * name was taken in between, or a row that the statements refer to was removed.
 */
export async function commit<Parts extends CommitParts>(
  { session }: SessionHolder,
  parts: Parts,
): Promise<{ [Name in keyof Parts]: Row[] }> {
  const lists = Object.entries(parts).map(([name, part]) => [name, [part ?? []].flat()] as const)
  const results = await send(
    session,
    lists.flatMap(([, statements]) => statements),
  )
  let next = 0
  const rows = lists.map(([name, { length }]) => {
    const ofPart = results.slice(next, next + length).flat()
    next += length
    return [name, ofPart]
  })
  return Object.fromEntries(rows) as { [Name in keyof Parts]: Row[] }
}

async function send(session: DbSession, statements: readonly Statement[]): Promise<Row[][]> {
  if (statements.length === 0) {
    return []
  }
  const prepared = statements.map((statement) => {
    const { sql: text, params } = compile(statement)
    return session.prepare(text).bind(...params)
  })
  await session.verify()
  try {
    const results = await session.send(prepared)
    return results.map(({ results: rows }) => rows as Row[])
  } catch (error) {
    throw isWriteConflict(error) ? new WriteConflict() : error
  }
}

/**
 * Stands behind an update that is conditional on what was read, and fails the whole commit as a conflict
 * unless that update changed exactly `rows` rows. Adds a row of its own to those of its part.
 */
export function abortUnlessChanged(rows = 1): SQL {
  return abortIf(sql`changes() <> ${rows}`)
}

/** Fails the whole commit as a conflict when the condition is true at its place among the statements. */
export function abortIf(condition: SQL): SQL {
  return sql`SELECT CASE WHEN ${condition} THEN ${RAISE_CONFLICT} END AS guard`
}

/** The value, for a statement that is sent anyway; fails the whole commit as a conflict when the condition is true. */
export function valueUnless(condition: SQL, value: SQL): SQL {
  return sql`CASE WHEN ${condition} THEN ${RAISE_CONFLICT} ELSE ${value} END`
}

/**
 * Runs load, decide and commit until the commit was based on the newest state, with random pauses that
 * grow, for about `patienceMs`. Each attempt after the first gets a context whose session reads
 * the primary. Throws the fault `busy` when time is up.
 *
 * Pauses grow from the duration of the attempt. Where hundreds write at once, D1 answers them one after the
 * other and an attempt takes long: a fixed pause would bring all of them back before anybody is done. A
 * pause may be as short as nothing, since writers who have drifted apart do not meet again.
 */
export async function retryOnConflict<Context extends SessionHolder, Result>(
  ctx: Context,
  attempt: (ctx: Context) => Promise<Result>,
  patienceMs = 5_000,
): Promise<Result> {
  const deadline = Date.now() + patienceMs
  let current = ctx
  for (let tries = 1; ; tries += 1) {
    const began = Date.now()
    try {
      return await attempt(current)
    } catch (error) {
      if (!(error instanceof WriteConflict)) {
        throw error
      }
      const now = Date.now()
      if (now >= deadline) {
        throw fault('busy')
      }
      const longest = Math.min(LONGEST_PAUSE_MS, Math.max(now - began, LEAST_MS) * 2 ** tries)
      await pause(Math.random() * Math.min(longest, deadline - now))
      current = { ...current, session: current.session.onPrimary() }
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, milliseconds))
}

/** D1 reports a failed statement only as text; a guard puts its marker there. */
function isWriteConflict(error: unknown): boolean {
  const message = error instanceof Error ? error.message : ''
  return [CONFLICT_MARKER, 'UNIQUE constraint failed', 'FOREIGN KEY constraint failed'].some(
    (words) => message.includes(words),
  )
}
