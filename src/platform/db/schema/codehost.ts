import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { bugs } from './bugs.ts'
import { users } from './users.ts'
import { workColumns } from './work.ts'

/** Events received from the code host; a repeated delivery gets the stored answer and has no effect. */
export const codehostDeliveries = sqliteTable(
  'codehost_deliveries',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** The delivery ID of the sender; null when it sent none. */
    deliveryKey: text('delivery_key').unique(),
    event: text('event').notNull(),
    botId: integer('bot_id')
      .notNull()
      .references(() => users.id),
    receivedAt: integer('received_at').notNull(),
    /** The JSON of the answer. */
    response: text('response').notNull(),
  },
  (t) => [index('codehost_deliveries_age').on(t.receivedAt)],
)

/** The effect of one push on one bug, applied once from the queue. */
export const codehostPushes = sqliteTable(
  'codehost_pushes',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    deliveryId: integer('delivery_id')
      .notNull()
      .references(() => codehostDeliveries.id),
    bugId: integer('bug_id')
      .notNull()
      .references(() => bugs.id),
    comment: text('comment').notNull(),
    /** `repository` and `ref` decide status flags; `noQeVerify` comes from the query. */
    repository: text('repository').notNull(),
    ref: text('ref').notNull(),
    noQeVerify: integer('no_qe_verify', { mode: 'boolean' }).notNull().default(false),
    ...workColumns,
  },
  (t) => [
    uniqueIndex('codehost_pushes_once').on(t.deliveryId, t.bugId),
    index('codehost_pushes_waiting').on(t.nextAttemptAt).where(sql`${t.doneAt} IS NULL`),
    index('codehost_pushes_failed').on(t.id).where(sql`${t.lastError} IS NOT NULL`),
  ],
)
