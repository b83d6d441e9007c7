import { getTableName, type SQL } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { errorFacts, log } from '../lib/log.ts'
import { commit, type Statement } from './commit.ts'
import type { DbSession } from './session.ts'
import { jsonList, jsonRows, limitTo, sql } from './sql.ts'

/** The session and the moment of the work, in Unix seconds. */
type WorkerContext = { readonly session: DbSession; readonly now: number }

/**
 * Rows to be worked on: these, and at most so many others that are due, longest waiting first. Those whose
 * worker died are no such others: what killed it may be among them, and must not meet what is new.
 */
export type RowRequest = {
  readonly ids: readonly number[]
  readonly others?: number
  /** Called before work begins when as many others were due as were wanted, so that more may wait. */
  readonly onMoreDue?: () => void
}

/** What became of a row: nothing more to do, or to be tried again in so many seconds. */
export type Outcome = 'settled' | { readonly tryAgainIn: number }

/** A row under the lease of this worker; `attempts` differs for a worker that claims it later. */
type ClaimedRow = { readonly id: number; readonly attempts: number }

/** A row whose work is done, and the statements of its closing commit. */
type CompletedRow = { readonly claim: ClaimedRow; readonly more: readonly Statement[] }

type FailedRow = { readonly claim: ClaimedRow; readonly error: unknown }

type RowOutcome = readonly [id: number, outcome: Outcome]

/** With the delays between them these reach over more than two days, longer than a daily quota lasts. */
export const MOST_ATTEMPTS = 14

/** As long as the platform lets a queue consumer live, so that a lease outlasts its worker. */
export const LEASE_SECONDS = 15 * 60

const FIRST_DELAY = 30
const LONGEST_DELAY = 12 * 3600

/** Seconds that two machines may disagree by: a message must not find its row too young. */
const CLOCK_SKEW = 5

/** Seconds that the queue has to deliver a message before the sweep sends another. */
const DELIVERY_GRACE = 120

/** How long finished rows wait for the others, to be marked in the same commit. */
const PATIENCE_MS = 1_000

/**
 * Works on waiting rows of a table with work columns: claims them by a conditional update with a lease,
 * hands each to `work`, and marks those that are done in one commit with the statements that `work`
 * returns, without a long wait for any other. Returns the outcome of each row that was named or found. A row
 * that somebody else has claimed, or that is done or not due, is left alone. When `work` throws, its row waits
 * longer after each attempt and is given up after the last, without effect on the others. When the worker
 * dies, the leases expire and the rows may be claimed again: work is done at least once.
 */
export async function processOutbox(
  ctx: WorkerContext,
  table: SQLiteTable,
  { ids, others = 0, onMoreDue }: RowRequest,
  work: (row: Record<string, unknown>) => Promise<readonly Statement[]>,
): Promise<ReadonlyMap<number, Outcome>> {
  const { claimed } = await commit(ctx, {
    claimed: claimStatement(table, ids, others, ctx.now),
  })
  const named = new Set(ids)
  if (claimed.filter(({ id }) => !named.has(Number(id))).length === others) {
    onMoreDue?.()
  }
  const worked: CompletedRow[] = []
  const failed: FailedRow[] = []
  const all = Promise.all(
    claimed.map(async (row) => {
      const claim = { id: Number(row.id), attempts: Number(row.attempts) }
      try {
        worked.push({ claim, more: await work(row) })
      } catch (error) {
        failed.push({ claim, error })
      }
    }),
  )
  const outcomes = new Map(ids.map((id): RowOutcome => [id, 'settled']))
  for (let left = claimed.length; left > 0; ) {
    await waitAtMost(all)
    const [done, undone] = [worked.splice(0), failed.splice(0)]
    const closing = [
      markAllDone(ctx, table, done),
      ...undone.map((one) => rescheduleRow(ctx, table, one)),
    ]
    for (const [id, outcome] of (await Promise.all(closing)).flat()) {
      outcomes.set(id, outcome)
    }
    left -= done.length + undone.length
  }
  return outcomes
}

/** Seconds to wait after so many attempts: 30 s doubled each time, at most 12 hours. */
export function delayAfter(attempts: number): number {
  return Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** attempts)
}

/** Gives rows up for good; returns the `id` of those that were still waiting. */
export function giveUpStatement(table: SQLiteTable, ids: readonly number[], now: number): SQL {
  return sql`UPDATE ${table} SET done_at = ${now}, lease_until = NULL
    WHERE id IN ${jsonList(ids)} AND done_at IS NULL RETURNING id`
}

/** Gives up the rows whose last attempt ended with the death of its worker; returns their `id`. */
export function giveUpExhaustedStatement(table: SQLiteTable, now: number): SQL {
  return sql`UPDATE ${table} SET done_at = ${now}, lease_until = NULL
    WHERE done_at IS NULL AND next_attempt_at <= ${now} AND ${freeCondition(now)}
      AND attempts >= ${MOST_ATTEMPTS} RETURNING id`
}

/**
 * Claims the rows that are overdue although no worker has them, longest waiting first; returns their `id`.
 * Their waiting begins anew, so that the next call returns others before these.
 */
export function claimOverdueStatement(table: SQLiteTable, now: number, most: number): SQL {
  return sql`UPDATE ${table} SET next_attempt_at = ${now} WHERE id IN (
    SELECT id FROM ${table}
    WHERE done_at IS NULL AND next_attempt_at <= ${now - DELIVERY_GRACE} AND ${freeCondition(now)}
      AND attempts < ${MOST_ATTEMPTS}
    ORDER BY next_attempt_at ${limitTo(most)}) RETURNING id`
}

/** Deletes rows done before a moment. Looks at the oldest `most` rows only, whatever the size of the table. */
export function deleteDoneStatement(table: SQLiteTable, before: number, most: number): SQL {
  return sql`DELETE FROM ${table} WHERE done_at < ${before}
    AND id IN (SELECT id FROM ${table} ORDER BY id ${limitTo(most)})`
}

function claimStatement(
  table: SQLiteTable,
  ids: readonly number[],
  others: number,
  now: number,
): SQL {
  const isDue = sql`done_at IS NULL AND next_attempt_at <= ${now + CLOCK_SKEW} AND ${freeCondition(now)}
    AND attempts < ${MOST_ATTEMPTS}`
  const named = jsonList(ids)
  const found = sql`SELECT id FROM ${table} WHERE ${isDue} AND lease_until IS NULL
    AND id NOT IN ${named} ORDER BY next_attempt_at ${limitTo(others)}`
  return sql`UPDATE ${table} SET attempts = attempts + 1, lease_until = ${now + LEASE_SECONDS}
    WHERE id IN (SELECT value FROM ${named} UNION ALL SELECT id FROM (${found}))
      AND ${isDue} RETURNING *`
}

async function waitAtMost(all: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((wake) => {
    timer = setTimeout(wake, PATIENCE_MS)
  })
  await Promise.race([all, late])
  clearTimeout(timer)
}

/** All at once; when that fails each on its own, so that what cannot be written holds up nothing else. */
async function markAllDone(
  ctx: WorkerContext,
  table: SQLiteTable,
  worked: readonly CompletedRow[],
): Promise<readonly RowOutcome[]> {
  try {
    await commit(ctx, {
      more: worked.flatMap(({ more }) => more),
      done: markDoneStatements(
        table,
        worked.map(({ claim }) => claim),
        ctx.now,
      ),
    })
    return worked.map(({ claim }): RowOutcome => [claim.id, 'settled'])
  } catch (error) {
    const [first, ...others] = worked
    if (first !== undefined && others.length === 0) {
      return rescheduleRow(ctx, table, { claim: first.claim, error })
    }
    return (await Promise.all(worked.map((one) => markAllDone(ctx, table, [one])))).flat()
  }
}

function markDoneStatements(table: SQLiteTable, claims: readonly ClaimedRow[], now: number): SQL[] {
  return claims.length === 0
    ? []
    : [
        sql`UPDATE ${table} SET done_at = ${now}, lease_until = NULL FROM ${jsonRows(claims)}
          WHERE ${table}.id = r.value ->> 'id' AND ${table}.attempts = r.value ->> 'attempts'
            AND ${table}.done_at IS NULL`,
      ]
}

/** What cannot even be put off is left to its lease. */
async function rescheduleRow(
  ctx: WorkerContext,
  table: SQLiteTable,
  { claim, error }: FailedRow,
): Promise<readonly RowOutcome[]> {
  const facts = { table: getTableName(table), ...claim }
  const tryAgainIn = delayAfter(claim.attempts)
  const isLast = claim.attempts >= MOST_ATTEMPTS
  if (isLast) {
    log('error', 'work given up', { ...facts, ...errorFacts(error) })
  } else {
    log('warn', 'work put off', { ...facts, ...errorFacts(error), tryAgainIn })
  }
  const reschedule = sql`UPDATE ${table} SET next_attempt_at = ${ctx.now + tryAgainIn}, lease_until = NULL
    WHERE ${stillClaimedCondition(claim)}`
  try {
    await commit(ctx, { row: isLast ? markDoneStatements(table, [claim], ctx.now) : reschedule })
    return [[claim.id, isLast ? 'settled' : { tryAgainIn }]]
  } catch (failure) {
    log('error', 'work left to its lease', { ...facts, ...errorFacts(failure), tryAgainIn })
    return [[claim.id, { tryAgainIn }]]
  }
}

function freeCondition(now: number): SQL {
  return sql`(lease_until IS NULL OR lease_until <= ${now})`
}

function stillClaimedCondition({ id, attempts }: ClaimedRow): SQL {
  return sql`id = ${id} AND attempts = ${attempts} AND done_at IS NULL`
}
