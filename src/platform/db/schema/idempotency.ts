import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { users } from './users.ts'

/** Requests that had an idempotency key and changed something, written in the commit of the change. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    userId: integer('user_id')
      .notNull()
      .references(() => users.id),
    /** Method and path pattern. */
    operation: text('operation').notNull(),
    requestKey: text('request_key').notNull(),
    /** Of everything that the client asked for, so that another request under the key is noticed. */
    fingerprint: text('fingerprint').notNull(),
    createdAt: integer('created_at').notNull(),
    /**
     * JSON that the commit made, or JSON sealed after it; null while the request goes on, and after a
     * crash.
     */
    answer: text('answer'),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.operation, t.requestKey] }),
    index('idempotency_keys_age').on(t.createdAt),
  ],
)
