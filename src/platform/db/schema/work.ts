import { type SQLWrapper, sql } from 'drizzle-orm'
import { integer, text } from 'drizzle-orm/sqlite-core'

/**
 * The columns of outbox rows, which queue and cron process: a conditional update claims a row with a lease,
 * another marks it done. A row with an expired lease may be claimed again, so that work is done at least
 * once.
 */
export const workColumns = {
  attempts: integer('attempts').notNull().default(0),
  /** Unix seconds until which a worker has claimed the row; null when none has. */
  leaseUntil: integer('lease_until'),
  /** Unix seconds before which the row is not claimed. */
  nextAttemptAt: integer('next_attempt_at').notNull(),
  /** Set when the work is done or given up. */
  doneAt: integer('done_at'),
  /** Why the last attempt failed, without addresses or texts of users; null after a success. */
  lastError: text('last_error'),
}

/**
 * Of an index for the order of rows: those that are not done, and have not failed, since these hold up no others. An
 * outage leaves many of them, and a claim would look at all.
 */
export function holdsOthers({ doneAt, lastError }: Record<'doneAt' | 'lastError', SQLWrapper>) {
  return sql`${doneAt} IS NULL AND ${lastError} IS NULL`
}

/** Of an index for the sweep: what a worker is at, or died at, which are few among those that are due. */
export function isClaimed({ doneAt, leaseUntil }: Record<'doneAt' | 'leaseUntil', SQLWrapper>) {
  return sql`${doneAt} IS NULL AND ${leaseUntil} IS NOT NULL`
}
