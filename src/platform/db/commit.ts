import type { SQL, SQLWrapper } from 'drizzle-orm'
import { fault } from '../faults/fault.ts'
import { compile } from './compile.ts'
import { busy } from './faults.ts'
import { idempotencyStatements, isRepeatedKey, RepeatedRequest } from './idempotency.ts'
import type { DbSession, SessionHolder } from './session.ts'
import { countUpTo, sql } from './sql.ts'

/** An insert, update or delete of the query builder, or a piece of SQL. */
export type Statement = SQLWrapper

/** Another commit changed what a decision was based on; `retryOnConflict` decides again. */
export class WriteConflict extends Error {
  override readonly name = 'WriteConflict'
}

const CONFLICT_MARKER = 'stale write'
/** Fails when it is evaluated; `changes()` keeps SQLite from evaluating it in advance. */
const RAISE_CONFLICT = sql`json_extract('{}', ${CONFLICT_MARKER} || changes())`
/** The clock of the runtime may not advance during an attempt. */
const MIN_ATTEMPT_MS = 10
const MAX_PAUSE_MS = 2_500

/** The named parts of a commit, in the order in which they are written. */
export type CommitParts = Readonly<Record<string, Statement | readonly Statement[] | undefined>>

type Row = Record<string, unknown>

/**
 * Writes all statements in one transaction and one round trip, or none; without statements it makes no round
 * trip. The parts run in their order, and the rows that they return (RETURNING) are in the result under the
 * name of the part. Throws `WriteConflict` when a guard aborts, a unique name was taken or a referenced row
 * was removed meanwhile, `RepeatedRequest` when a request with the same idempotency key was committed
 * meanwhile.
 */
export async function commit<Parts extends CommitParts>(
  { session }: SessionHolder,
  parts: Parts,
): Promise<{ [Name in keyof Parts]: Row[] }> {
  const lists = Object.entries(parts).map(([name, part]) => [name, listPart(part)] as const)
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

/** The statements of all parts, for a commit that another one takes up. */
export function statementsOf(parts: CommitParts): readonly Statement[] {
  return Object.values(parts).flatMap(listPart)
}

function listPart(part: CommitParts[string]): readonly Statement[] {
  return part === undefined ? [] : 'length' in part ? part : [part]
}

async function send(session: DbSession, statements: readonly Statement[]): Promise<Row[][]> {
  if (statements.length === 0) {
    return []
  }
  const { idempotencyRecord: record } = session
  // first of all, so that a repeated request meets no other conflict
  const ahead = record === undefined || record.isWritten ? [] : idempotencyStatements(record)
  const prepared = [...ahead, ...statements].map((statement) => {
    const { sql: text, params } = compile(statement)
    return session.prepare(text).bind(...params)
  })
  await session.verify()
  try {
    const results = await session.send(prepared)
    if (record !== undefined) {
      record.isWritten = true
    }
    return results.slice(ahead.length).map(({ results: rows }) => rows as Row[])
  } catch (error) {
    if (isRepeatedKey(error)) {
      throw new RepeatedRequest()
    }
    throw isWriteConflict(error) ? new WriteConflict() : error
  }
}

/**
 * Behind an update that is conditional on what was read: the whole commit fails as a conflict unless that
 * update changed exactly `rows` rows. Adds a row of its own to those of its part.
 */
export function abortUnlessChanged(rows = 1): SQL {
  return abortIf(sql`changes() <> ${rows}`)
}

/** Fails the whole commit as a conflict when the condition is true after the statements before it. */
export function abortIf(condition: SQL): SQL {
  return sql`SELECT CASE WHEN ${condition} THEN ${RAISE_CONFLICT} END AS guard`
}

/**
 * Fails the commit as a conflict where `rowsOf` selects more than `most` rows for one of these IDs, so that many who
 * add at the same time exceed a limit no more than one does.
 */
export function abortBeyond(
  most: number,
  ids: readonly number[],
  rowsOf: (id: SQL) => SQL,
): Statement[] {
  const count = countUpTo(rowsOf(sql`owner.value`), most)
  return ids.length === 0
    ? []
    : [
        abortIf(
          sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(ids)}) owner WHERE ${count} > ${most})`,
        ),
      ]
}

/** `abortIf` within another statement: the value, unless the condition is true and the commit fails. */
export function valueUnless(condition: SQL, value: SQL): SQL {
  return sql`CASE WHEN ${condition} THEN ${RAISE_CONFLICT} ELSE ${value} END`
}

/**
 * Repeats load, decide and commit until there is no conflict, for about `patienceMs`, but at least once; then throws
 * `busy`. Each attempt after the first reads the primary.
 *
 * The pauses are random, may be zero, and grow with the duration of an attempt: D1 runs hundreds of
 * simultaneous writes one after the other, and after a fixed pause all of them would conflict again.
 */
export async function retryOnConflict<Context extends SessionHolder, Result>(
  ctx: Context,
  attempt: (ctx: Context) => Promise<Result>,
  patienceMs = 5_000,
): Promise<Result> {
  const deadline = Date.now() + patienceMs
  let current = ctx
  for (let attempts = 1; ; attempts += 1) {
    const began = Date.now()
    try {
      return await attempt(current)
    } catch (error) {
      if (!(error instanceof WriteConflict)) {
        throw error
      }
      const now = Date.now()
      // what conflicts once may tell the second time what it met, such as a login that is taken
      if (now >= deadline && attempts > 1) {
        throw fault(busy)
      }
      const longest = Math.min(MAX_PAUSE_MS, Math.max(now - began, MIN_ATTEMPT_MS) * 2 ** attempts)
      await pause(Math.random() * Math.max(0, Math.min(longest, deadline - now)))
      current = { ...current, session: current.session.onPrimary() }
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** D1 reports a failed statement only as text; a guard puts its marker there. */
function isWriteConflict(error: unknown): boolean {
  const message = error instanceof Error ? error.message : ''
  return [CONFLICT_MARKER, 'UNIQUE constraint failed', 'FOREIGN KEY constraint failed'].some(
    (text) => message.includes(text),
  )
}
