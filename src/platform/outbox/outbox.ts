import { getTableName, type SQL } from 'drizzle-orm'
import { abortUnlessChanged, commit, type Statement, WriteConflict } from '../db/commit.ts'
import { accountLinks } from '../db/schema/accounts.ts'
import { codehostPushes } from '../db/schema/codehost.ts'
import { notices } from '../db/schema/notices.ts'
import { reminders } from '../db/schema/reminders.ts'
import { apiKeyMails } from '../db/schema/users.ts'
import { webhookDeliveries } from '../db/schema/webhooks.ts'
import type { DbSession } from '../db/session.ts'
import { shareLoad } from '../db/share-load.ts'
import { columnName, jsonRows, limitTo, sql } from '../db/sql.ts'
import { errorFacts, log } from '../lib/log.ts'
import {
  type ClaimedRow,
  claimStatement,
  type Outbox,
  renewLeasesStatement,
  selectClaimable,
} from './claim.ts'
import {
  describeError,
  FinalError,
  RetryError,
  statementsOfError,
  UnfinishedWork,
} from './errors.ts'
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
  /** Called before the work, and at its end, when further rows can be claimed. */
  readonly onMoreDue?: () => void
}

/** The outcome for a row: nothing is left to do, or it is retried after a delay. */
export type WorkOutcome = 'done' | { readonly retryInSeconds: number }

type FinishedRow = { readonly claim: ClaimedRow; readonly more: readonly Statement[] }

/** The work of one row. Returns statements for the commit that marks it as done. */
type RowWork = (row: Record<string, unknown>) => Promise<readonly Statement[]>

/** Rows that are processed together. */
type Batch = {
  readonly ctx: WorkerContext
  readonly outbox: Outbox
  readonly began: number
  /** Whether a row could be claimed when the newest outcomes were written. */
  isMoreDue: boolean
}

type FailedRow = { readonly claim: ClaimedRow; readonly error: unknown }

type RowOutcome = readonly [id: number, outcome: WorkOutcome]

/** How often the leases of unfinished work are renewed, well before they expire. */
const RENEW_EVERY_MS = 15_000

/** The time that the queue has to deliver a message before the sweep sends another. */
const DELIVERY_GRACE_SECONDS = 30

/** The longest time that a finished row waits for others, to be marked in the same commit. */
const MAX_WAIT_MS = 1_000

/**
 * Claims rows of a table with work columns, passes each to `work`, and commits finished rows with the
 * statements that it returns, at most a second later. Returns the outcome of each requested or additional
 * row; skips rows that are leased, done, not due, or behind one of their order. When `work` throws, its row is
 * retried after a growing delay and given up after the last attempt or a `FinalError`; other rows go on. When
 * the worker crashes, the leases expire and the rows are claimed again: work is done at least once.
 */
export async function processOutbox(
  ctx: WorkerContext,
  outbox: Outbox,
  request: RowRequest,
  work: RowWork,
): Promise<ReadonlyMap<number, WorkOutcome>> {
  return processOutboxTogether(ctx, outbox, request, async () => work)
}

/**
 * Like `processOutbox`, for rows that share what they read: `load` is called once with all claimed rows, in
 * their order, and returns the work of one. When it throws it is called for each row, and when it throws again
 * that row is retried.
 */
export async function processOutboxTogether(
  ctx: WorkerContext,
  outbox: Outbox,
  { ids, others = 0, onMoreDue }: RowRequest,
  load: (rows: readonly Record<string, unknown>[]) => Promise<RowWork>,
): Promise<ReadonlyMap<number, WorkOutcome>> {
  const { rows, more } = await commit(ctx, {
    rows: claimStatement(outbox, ids, others, ctx.now),
    more: selectClaimable(outbox, ctx.now),
  })
  const claimed = rows.toSorted(
    (a, b) => countFailures(a) - countFailures(b) || Number(a.id) - Number(b.id),
  )
  if (more.length > 0) {
    onMoreDue?.()
  }
  const unfinished = new Set<ClaimedRow>()
  const finished: FinishedRow[] = []
  const failed: FailedRow[] = []
  const loadWork = shareLoad(claimed, load)
  const all = Promise.all(
    claimed.map(async (row) => {
      const claim = { id: Number(row.id), attempts: Number(row.attempts) }
      unfinished.add(claim)
      try {
        const work = await loadWork(row)
        finished.push({ claim, more: await work(row) })
      } catch (error) {
        failed.push({ claim, error })
      }
    }),
  )
  const outcomes = new Map(ids.map((id): RowOutcome => [id, 'done']))
  const batch: Batch = { ctx, outbox, began: Date.now(), isMoreDue: false }
  for (let renewedAt = batch.began; unfinished.size > 0; ) {
    await waitAtMost(all)
    const [done, failures] = [finished.splice(0), failed.splice(0)]
    batch.isMoreDue = false
    const closing = [markAllDone(batch, done), rescheduleAll(batch, failures)]
    for (const [id, outcome] of (await Promise.all(closing)).flat()) {
      outcomes.set(id, outcome)
    }
    for (const { claim } of [...done, ...failures]) {
      unfinished.delete(claim)
    }
    if (unfinished.size > 0 && Date.now() - renewedAt >= RENEW_EVERY_MS) {
      renewedAt = Date.now()
      await renewLeases(batch, [...unfinished])
    }
  }
  if (batch.isMoreDue) {
    onMoreDue?.()
  }
  return outcomes
}

/** A row that failed holds up nobody, not even in its own batch. */
function countFailures({ last_error: lastError, attempts }: Record<string, unknown>): number {
  return lastError === null ? 0 : Number(attempts)
}

/** The time of the context and how long the work has lasted since. */
function presentTime({ ctx, began }: Batch): number {
  return ctx.now + Math.floor((Date.now() - began) / 1000)
}

/** A failure costs at most that another worker repeats the work. */
async function renewLeases(batch: Batch, claims: readonly ClaimedRow[]): Promise<void> {
  const { ctx, outbox } = batch
  try {
    await commit(ctx, { renewed: renewLeasesStatement(outbox, claims, presentTime(batch)) })
  } catch (error) {
    log('warn', 'leases not renewed', { table: getTableName(outbox.table), ...errorFacts(error) })
  }
}

/**
 * Marks a row as done within a commit of its work, which fails as a conflict when the row is no longer under this
 * claim: the work then has no effect twice.
 */
export function finishStatements({ table }: Outbox, claim: ClaimedRow, now: number): Statement[] {
  return [...markDoneStatements(table, [claim], now), abortUnlessChanged()]
}

/** Marks a row as done ahead of the others of its batch, so that a crash does not repeat its work. */
export type FinishRow = (id: number, more?: readonly Statement[]) => Promise<unknown>

export function createFinisher(
  ctx: WorkerContext,
  outbox: Outbox,
  rows: readonly Record<string, unknown>[],
): FinishRow {
  const attemptsOf = new Map(rows.map(({ id, attempts }) => [Number(id), Number(attempts)]))
  return (id, more = []) => {
    const claim = { id, attempts: attemptsOf.get(id) ?? 0 }
    return commit(ctx, { statements: [...more, ...finishStatements(outbox, claim, ctx.now)] })
  }
}

/** Gives up the rows whose worker crashed in the last attempt; returns their `id`. */
export function giveUpExhaustedStatement({ table, maxAttempts }: Outbox, now: number): SQL {
  return sql`UPDATE ${table} SET ${giveUpAssignments(table, now)}
    WHERE ${leftCondition(table, now)} AND ${table.nextAttemptAt} <= ${now}
      AND ${table.attempts} >= ${maxAttempts} RETURNING ${columnName(table.id)}`
}

/**
 * Claims rows whose worker died, longest waiting first; returns their `id`. They count as due from now, so that
 * the next call returns others first.
 */
export function claimLeftStatement(
  { table, maxAttempts }: Outbox,
  now: number,
  limit: number,
): SQL {
  return sql`UPDATE ${table} SET ${columnName(table.nextAttemptAt)} = ${now} WHERE ${table.id} IN (
    SELECT ${table.id} FROM ${table}
    WHERE ${leftCondition(table, now)} AND ${table.nextAttemptAt} <= ${now - DELIVERY_GRACE_SECONDS}
      AND ${table.attempts} < ${maxAttempts}
    ORDER BY ${table.nextAttemptAt} ${limitTo(limit)}) RETURNING ${columnName(table.id)}`
}

/** Selects the `id` of one row whose message was lost: the message of one lets workers claim all that are due. */
export function selectOverdue({ table, maxAttempts }: Outbox, now: number): SQL {
  return sql`SELECT ${table.id} FROM ${table}
    WHERE ${overdueCondition(table, DELIVERY_GRACE_SECONDS, now)} AND ${table.leaseUntil} IS NULL
      AND ${table.attempts} < ${maxAttempts}
    ORDER BY ${table.nextAttemptAt} ${limitTo(1)}`
}

/** Whether the worker of a row died. The index of what is claimed serves it. */
function leftCondition(table: OutboxTable, now: number): SQL {
  return sql`${table.doneAt} IS NULL AND ${table.leaseUntil} <= ${now}`
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
  batch: Batch,
  finished: readonly FinishedRow[],
): Promise<readonly RowOutcome[]> {
  const { ctx, outbox } = batch
  const claims = finished.map(({ claim }) => claim)
  try {
    await commitOutcomes(batch, [
      ...finished.flatMap(({ more }) => more),
      ...markDoneStatements(outbox.table, claims, ctx.now),
    ])
    return finished.map(({ claim }): RowOutcome => [claim.id, 'done'])
  } catch (error) {
    const [first, ...others] = finished
    if (first !== undefined && others.length === 0) {
      return rescheduleAll(batch, [{ claim: first.claim, error }])
    }
    return (await Promise.all(finished.map((row) => markAllDone(batch, [row])))).flat()
  }
}

/** Rows that waited behind these in their order have nobody else who announces them. */
async function commitOutcomes(batch: Batch, statements: readonly Statement[]): Promise<void> {
  if (statements.length === 0) {
    return
  }
  const { ctx, outbox } = batch
  const waiting =
    outbox.orders === undefined ? undefined : selectClaimable(outbox, presentTime(batch))
  const { more } = await commit(ctx, { statements, more: waiting })
  batch.isMoreDue ||= more.length > 0
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
  batch: Batch,
  failures: readonly FailedRow[],
): Promise<readonly RowOutcome[]> {
  const { ctx, outbox } = batch
  try {
    const statements = failures.flatMap((row) => rescheduleStatements(outbox, row, ctx.now))
    await commitOutcomes(batch, statements)
    return failures.map((row) => reportRescheduled(outbox, row))
  } catch (failure) {
    const [first, ...others] = failures
    if (first === undefined || others.length > 0) {
      return (await Promise.all(failures.map((row) => rescheduleAll(batch, [row])))).flat()
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
  if (error instanceof UnfinishedWork) {
    return [
      sql`UPDATE ${table} SET ${columnName(table.attempts)} = ${table.attempts} - 1,
          ${columnName(table.leaseUntil)} = NULL WHERE ${stillClaimedCondition(table, claim)}`,
      ...ifChanged(statementsOfError(error)),
    ]
  }
  const doneAt = isLastAttempt(outbox, failed) ? now : null
  return [
    sql`UPDATE ${table} SET ${columnName(table.nextAttemptAt)} = ${now + findDelay(outbox, failed)},
        ${columnName(table.leaseUntil)} = NULL, ${columnName(table.doneAt)} = ${doneAt},
        ${columnName(table.lastError)} = ${describeError(error)}
      WHERE ${stillClaimedCondition(table, claim)}`,
    ...ifChanged(statementsOfError(error)),
  ]
}

function ifChanged(more: readonly Statement[]): Statement[] {
  return more.length === 0 ? [] : [abortUnlessChanged(), ...more]
}

function isLastAttempt({ maxAttempts }: Outbox, { claim, error }: FailedRow): boolean {
  return claim.attempts >= maxAttempts || error instanceof FinalError
}

/** Logs what comes of a failed row, and returns it. */
function reportRescheduled(outbox: Outbox, failed: FailedRow): RowOutcome {
  const { claim, error } = failed
  if (error instanceof UnfinishedWork) {
    // whoever claims what is due goes on with it
    return [claim.id, 'done']
  }
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
export const OUTBOX_KINDS = ['notice', 'webhook', 'push', 'reminder', 'key', 'account'] as const

export type OutboxKind = (typeof OUTBOX_KINDS)[number]

/** The outbox of each kind: how often a failure is retried, and for how long its rows are kept. */
export const OUTBOXES = {
  // the mails of a burst are about one bug, or by one person. A message of a webhook that is as old as that waits needs
  // its notice for the attempts of a day
  notice: {
    table: notices,
    maxAttempts: MAX_ATTEMPTS,
    delayAfter,
    keepSeconds: 32 * DAY,
    orders: [[notices.bugId], [notices.authorId]],
  },
  reminder: { table: reminders, maxAttempts: MAX_ATTEMPTS, delayAfter, keepSeconds: null },
  key: { table: apiKeyMails, maxAttempts: MAX_ATTEMPTS, delayAfter, keepSeconds: 30 * DAY },
  // longer than a link works
  account: { table: accountLinks, maxAttempts: MAX_ATTEMPTS, delayAfter, keepSeconds: 8 * DAY },
  push: { table: codehostPushes, maxAttempts: MAX_ATTEMPTS, delayAfter, keepSeconds: 7 * DAY },
  // four growing delays, then a quarter of an hour each for about a day
  webhook: {
    table: webhookDeliveries,
    maxAttempts: 100,
    delayAfter: (attempts) => Math.min(15 * MINUTE, 5 ** attempts),
    keepSeconds: 30 * DAY,
    orders: [[webhookDeliveries.webhookId, webhookDeliveries.bugId]],
  },
} as const satisfies Readonly<Record<OutboxKind, Outbox>>

/**
 * The delay of a retry in seconds after this many attempts: a minute after the first, doubled each time, at most
 * 12 hours.
 */
export function delayAfter(attempts: number): number {
  return Math.min(12 * HOUR, (MINUTE / 2) * 2 ** attempts)
}
