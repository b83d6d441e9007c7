import { integer } from 'drizzle-orm/sqlite-core'

/**
 * The columns of a row that waits to be worked on by queue or cron: claimed by a conditional update that
 * sets a lease, marked done afterwards. An expired lease makes it claimable again, so work is done at
 * least once.
 */
export const workColumns = {
  attempts: integer('attempts').notNull().default(0),
  /** Unix seconds until which a worker holds the row; null when nobody does. */
  leaseUntil: integer('lease_until'),
  /** Not to be tried before this moment. */
  nextAttemptAt: integer('next_attempt_at').notNull(),
  doneAt: integer('done_at'),
}
