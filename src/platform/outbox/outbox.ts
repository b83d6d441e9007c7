import { getTableName, type SQL } from 'drizzle-orm'
import { abortUnlessChanged, commit, type Statement, WriteConflict } from '../db/commit.ts'
import { codehostPushes } from '../db/schema/codehost.ts'
import { notices } from '../db/schema/notices.ts'
import { reminders } from '../db/schema/reminders.ts'
import { apiKeyMails } from '../db/schema/users.ts'
import { webhookDeliveries } from '../db/schema/webhooks.ts'
import type { DbSession } from '../db/session.ts'
import { shareLoad } from '../db/share-load.ts'
import { columnName, jsonList, jsonRows, limitTo, sql } from '../db/sql.ts'
import { errorFacts, log } from '../lib/log.ts'
import { describeError, FinalError, RetryError, statementsOfError } from './errors.ts'
import { isFree, isWaiting, type OutboxTable } from './states.ts'

/** The session of the work, and its time in Unix seconds. */
type WorkerContext = { readonly session: DbSession; readonly now: number }

/**
 * Rows to process: those of `ids`, and at most `others` more that are due, longest waiting first. Rows with
 * an expired lease are not among the others, because one of them may have crashed its worker.
 */
export type RowRequest = {
  readonly ids: readonly number[]
  readonly others?: number
  /** Called before the work when `others` more were claimed, so that further rows may be due. */
  readonly onMoreDue?: () => void
}

/** A table of work, and how often and when its rows are tried. */
export type Outbox = {
  readonly table: OutboxTable
  readonly maxAttempts: number
  /** The seconds until the next attempt after this many. */
  readonly delayAfter: (attempts: number) => number
  /** How long rows stay that are done; null for always. */
  readonly keepSeconds: number | null
}

/** The outcome for a row: nothing is left to do, or it is retried after a delay. */
export type Outcome = 'done' | { readonly retryInSeconds: number }

/** A row under the lease of this worker; `attempts` increases with each claim. */
type ClaimedRow = { readonly id: number; readonly attempts: number }

type FinishedRow = { readonly claim: ClaimedRow; readonly more: readonly Statement[] }

/** The work of one row. Returns statements for the commit that marks it as done. */
type RowWork = (row: Record<string, unknown>) => Promise<readonly Statement[]>

type FailedRow = { readonly claim: ClaimedRow; readonly error: unknown }

type RowOutcome = readonly [id: number, outcome: Outcome]

/** The longest run of a queue consumer on the platform, so that no worker outlives its lease. */
export const LEASE_SECONDS = 15 * 60

/** By how much two clocks may differ: a row is due for a message that comes this early. */
const CLOCK_SKEW_SECONDS = 5

/** The time that the queue has to deliver a message before the sweep sends another. */
const DELIVERY_GRACE_SECONDS = 120

/** The longest time that a finished row waits for others, to be marked in the same commit. */
const MAX_WAIT_MS = 1_000

/**
 * Claims rows of a table with work columns, passes each to `work`, and commits finished rows with the
 * statements that it returns, at most a second later. Returns the outcome of each requested or additional
 * row; skips rows that are leased, done or not due. When `work` throws, its row is retried after a growing
 * delay and given up after the last attempt or a `FinalError`; other rows go on. When the worker crashes, the
 * leases expire and the rows are claimed again: work is done at least once.
 */
export async function processOutbox(
  ctx: WorkerContext,
  outbox: Outbox,
  request: RowRequest,
  work: RowWork,
): Promise<ReadonlyMap<number, Outcome>> {
  return processOutboxTogether(ctx, outbox, request, async () => work)
}

/**
 * Like `processOutbox`, for rows that share what they read: `load` is called once with all claimed rows, and
 * returns the work of one. When it throws it is called for each row, and when it throws again that row is retried.
 */
export async function processOutboxTogether(
  ctx: WorkerContext,
  outbox: Outbox,
  { ids, others = 0, onMoreDue }: RowRequest,
  load: (rows: readonly Record<string, unknown>[]) => Promise<RowWork>,
): Promise<ReadonlyMap<number, Outcome>> {
  const { claimed } = await commit(ctx, {
    claimed: claimStatement(outbox, ids, others, ctx.now),
  })
  if (claimed.filter(({ id }) => !ids.includes(Number(id))).length === others) {
    onMoreDue?.()
  }
  const finished: FinishedRow[] = []
  const failed: FailedRow[] = []
  const loadWork = shareLoad(claimed, load)
  const all = Promise.all(
    claimed.map(async (row) => {
      const claim = { id: Number(row.id), attempts: Number(row.attempts) }
      try {
        const work = await loadWork(row)
        finished.push({ claim, more: await work(row) })
      } catch (error) {
        failed.push({ claim, error })
      }
    }),
  )
  const outcomes = new Map(ids.map((id): RowOutcome => [id, 'done']))
  for (let left = claimed.length; left > 0; ) {
    await waitAtMost(all)
    const [done, failures] = [finished.splice(0), failed.splice(0)]
    const closing = [markAllDone(ctx, outbox, done), rescheduleAll(ctx, outbox, failures)]
    for (const [id, outcome] of (await Promise.all(closing)).flat()) {
      outcomes.set(id, outcome)
    }
    left -= done.length + failures.length
  }
  return outcomes
}

/**
 * Marks a row as done within a commit of its work, which fails as a conflict when the row is no longer under this
 * claim: the work then has no effect twice.
 */
export function finishStatements({ table }: Outbox, claim: ClaimedRow, now: number): Statement[] {
  return [...markDoneStatements(table, [claim], now), abortUnlessChanged()]
}

/** Gives up the rows whose worker crashed in the last attempt; returns their `id`. */
export function giveUpExhaustedStatement({ table, maxAttempts }: Outbox, now: number): SQL {
  return sql`UPDATE ${table} SET ${giveUpAssignments(table, now)}
    WHERE ${isWaiting(table, now)} AND ${table.nextAttemptAt} <= ${now}
      AND ${table.attempts} >= ${maxAttempts} RETURNING ${columnName(table.id)}`
}

/**
 * Claims overdue rows that no worker has leased, longest waiting first; returns their `id`. They count as
 * due from now, so that the next call returns others first.
 */
export function claimOverdueStatement(
  { table, maxAttempts }: Outbox,
  now: number,
  limit: number,
): SQL {
  return sql`UPDATE ${table} SET ${columnName(table.nextAttemptAt)} = ${now} WHERE ${table.id} IN (
    SELECT ${table.id} FROM ${table}
    WHERE ${overdueCondition(table, DELIVERY_GRACE_SECONDS, now)}
      AND ${table.attempts} < ${maxAttempts}
    ORDER BY ${table.nextAttemptAt} ${limitTo(limit)}) RETURNING ${columnName(table.id)}`
}

/** Whether a row has been due for so many seconds, and no worker is at it. */
export function overdueCondition(table: OutboxTable, seconds: number, now: number): SQL {
  return sql`(${isWaiting(table, now)} AND ${table.nextAttemptAt} <= ${now - seconds})`
}

/**
 * Makes a row that fulfils `condition` due now, with all of its attempts, unless a worker has leased it; returns
 * its `id`. The error of its last attempt stays until it succeeds.
 */
export function restartStatement({ table }: Outbox, id: number, condition: SQL, now: number): SQL {
  return sql`UPDATE ${table} SET ${columnName(table.attempts)} = 0, ${columnName(table.doneAt)} = NULL,
      ${columnName(table.leaseUntil)} = NULL, ${columnName(table.nextAttemptAt)} = ${now}
    WHERE ${table.id} = ${id} AND ${condition} AND ${isFree(table, now)} RETURNING ${columnName(table.id)}`
}

/**
 * Deletes rows that were done before a time, up to `limit`, oldest first. It also reads waiting rows among
 * them, of which there may be many.
 */
export function deleteDoneStatement({ table }: Outbox, before: number, limit: number): SQL {
  return sql`DELETE FROM ${table} WHERE ${table.doneAt} < ${before}
    AND ${table.id} IN (SELECT ${table.id} FROM ${table} WHERE ${table.doneAt} IS NOT NULL
      ORDER BY ${table.id} ${limitTo(limit)})`
}

/** A row that was never tried, or whose last attempt died, has no error of its own. */
function giveUpAssignments(table: OutboxTable, now: number): SQL {
  return sql`${columnName(table.doneAt)} = ${now}, ${columnName(table.leaseUntil)} = NULL,
    ${columnName(table.lastError)} = coalesce(${table.lastError}, 'given up before an attempt ended')`
}

function claimStatement(
  { table, maxAttempts }: Outbox,
  ids: readonly number[],
  others: number,
  now: number,
): SQL {
  const isDue = sql`${isWaiting(table, now)} AND ${table.nextAttemptAt} <= ${now + CLOCK_SKEW_SECONDS}
    AND ${table.attempts} < ${maxAttempts}`
  const requested = jsonList(ids)
  const additional = sql`SELECT ${table.id} FROM ${table} WHERE ${isDue} AND ${table.leaseUntil} IS NULL
    AND ${table.id} NOT IN ${requested} ORDER BY ${table.nextAttemptAt} ${limitTo(others)}`
  return sql`UPDATE ${table} SET ${columnName(table.attempts)} = ${table.attempts} + 1, ${columnName(table.leaseUntil)} = ${now + LEASE_SECONDS}
    WHERE ${table.id} IN (SELECT value FROM ${requested} UNION ALL SELECT id FROM (${additional}))
      AND ${isDue} RETURNING *`
}

async function waitAtMost(all: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, MAX_WAIT_MS)
  })
  await Promise.race([all, timeout])
  clearTimeout(timer)
}

/** In one commit, or one per row if that fails, so that one failing row does not delay the others. */
async function markAllDone(
  ctx: WorkerContext,
  outbox: Outbox,
  finished: readonly FinishedRow[],
): Promise<readonly RowOutcome[]> {
  const claims = finished.map(({ claim }) => claim)
  try {
    await commit(ctx, {
      more: finished.flatMap(({ more }) => more),
      done: markDoneStatements(outbox.table, claims, ctx.now),
    })
    return finished.map(({ claim }): RowOutcome => [claim.id, 'done'])
  } catch (error) {
    const [first, ...others] = finished
    if (first !== undefined && others.length === 0) {
      return rescheduleAll(ctx, outbox, [{ claim: first.claim, error }])
    }
    return (await Promise.all(finished.map((row) => markAllDone(ctx, outbox, [row])))).flat()
  }
}

function markDoneStatements(table: OutboxTable, claims: readonly ClaimedRow[], now: number): SQL[] {
  return claims.length === 0
    ? []
    : [
        sql`UPDATE ${table} SET ${columnName(table.doneAt)} = ${now}, ${columnName(table.leaseUntil)} = NULL,
            ${columnName(table.lastError)} = NULL FROM ${jsonRows(claims)}
          WHERE ${table.id} = r.value ->> 'id' AND ${table.attempts} = r.value ->> 'attempts'
            AND ${table.doneAt} IS NULL`,
      ]
}

/** In one commit, or one per row if that fails. A row that stays leased is claimed when its lease ends. */
async function rescheduleAll(
  ctx: WorkerContext,
  outbox: Outbox,
  failures: readonly FailedRow[],
): Promise<readonly RowOutcome[]> {
  try {
    await commit(ctx, {
      rows: failures.flatMap((row) => rescheduleStatements(outbox, row, ctx.now)),
    })
    return failures.map((row) => reportRescheduled(outbox, row))
  } catch (failure) {
    const [first, ...others] = failures
    if (first === undefined || others.length > 0) {
      return (await Promise.all(failures.map((row) => rescheduleAll(ctx, outbox, [row])))).flat()
    }
    const retryInSeconds = findDelay(outbox, first)
    const facts = { table: getTableName(outbox.table), ...first.claim, ...errorFacts(failure) }
    reportRescheduled(outbox, first)
    const isTaken = failure instanceof WriteConflict
    // a conflict says that another worker has the row, or that it is gone
    log(isTaken ? 'warn' : 'error', 'work left to its lease', { ...facts, retryInSeconds })
    return [[first.claim.id, { retryInSeconds }]]
  }
}

function findDelay({ delayAfter }: Outbox, { claim, error }: FailedRow): number {
  const wanted = error instanceof RetryError ? error.retryInSeconds : undefined
  return wanted ?? delayAfter(claim.attempts)
}

function rescheduleStatements(outbox: Outbox, failed: FailedRow, now: number): Statement[] {
  const { table } = outbox
  const { claim, error } = failed
  const doneAt = isLastAttempt(outbox, failed) ? now : null
  const more = statementsOfError(error)
  return [
    sql`UPDATE ${table} SET ${columnName(table.nextAttemptAt)} = ${now + findDelay(outbox, failed)},
        ${columnName(table.leaseUntil)} = NULL, ${columnName(table.doneAt)} = ${doneAt},
        ${columnName(table.lastError)} = ${describeError(error)}
      WHERE ${stillClaimedCondition(table, claim)}`,
    ...(more.length === 0 ? [] : [abortUnlessChanged(), ...more]),
  ]
}

function isLastAttempt({ maxAttempts }: Outbox, { claim, error }: FailedRow): boolean {
  return claim.attempts >= maxAttempts || error instanceof FinalError
}

/** Logs what comes of a failed row, and returns it. */
function reportRescheduled(outbox: Outbox, failed: FailedRow): RowOutcome {
  const { claim, error } = failed
  const facts = { table: getTableName(outbox.table), ...claim, ...errorFacts(error) }
  const retryInSeconds = findDelay(outbox, failed)
  const isLast = isLastAttempt(outbox, failed)
  if (isLast) {
    log('error', 'work given up', facts)
  } else {
    log('warn', 'work rescheduled', { ...facts, retryInSeconds })
  }
  return [claim.id, isLast ? 'done' : { retryInSeconds }]
}

function stillClaimedCondition(table: OutboxTable, { id, attempts }: ClaimedRow): SQL {
  return sql`${table.id} = ${id} AND ${table.attempts} = ${attempts} AND ${table.doneAt} IS NULL`
}

const MINUTE = 60
const HOUR = 3600
const DAY = 24 * HOUR

/**
 * Attempts until a retry is not worth it. With their delays they last over two days, so that an exhausted daily
 * quota is renewed in between.
 */
const MAX_ATTEMPTS = 14

/** The kinds of later work, as queue messages name them. */
export const OUTBOX_KINDS = ['notice', 'webhook', 'push', 'reminder', 'key'] as const

export type OutboxKind = (typeof OUTBOX_KINDS)[number]

/** The outbox of each kind: how often a failure is retried, and for how long its rows are kept. */
export const OUTBOXES: Readonly<Record<OutboxKind, Outbox>> = {
  notice: { table: notices, maxAttempts: MAX_ATTEMPTS, delayAfter, keepSeconds: 30 * DAY },
  reminder: { table: reminders, maxAttempts: MAX_ATTEMPTS, delayAfter, keepSeconds: null },
  key: { table: apiKeyMails, maxAttempts: MAX_ATTEMPTS, delayAfter, keepSeconds: 30 * DAY },
  push: { table: codehostPushes, maxAttempts: MAX_ATTEMPTS, delayAfter, keepSeconds: 7 * DAY },
  // four growing delays, then a quarter of an hour each for about a day
  webhook: {
    table: webhookDeliveries,
    maxAttempts: 100,
    delayAfter: (attempts) => Math.min(15 * MINUTE, 5 ** attempts),
    keepSeconds: 30 * DAY,
  },
}

/**
 * The delay of a retry in seconds after this many attempts: a minute after the first, doubled each time, at most
 * 12 hours.
 */
export function delayAfter(attempts: number): number {
  return Math.min(12 * HOUR, (MINUTE / 2) * 2 ** attempts)
}
