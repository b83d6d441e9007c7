import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { bugs } from './bugs.ts'
import { users } from './users.ts'

export const reminders = sqliteTable(
  'reminders',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id),
    bugId: integer('bug_id')
      .notNull()
      .references(() => bugs.id),
    note: text('note').notNull().default(''),
    /** `YYYY-MM-DD`, UTC */
    remindOn: text('remind_on').notNull(),
    createdOn: text('created_on').notNull(),
    sent: integer('sent', { mode: 'boolean' }).notNull().default(false),
    attempts: integer('attempts').notNull().default(0),
    leaseUntil: integer('lease_until'),
  },
  (t) => [
    index('reminders_user').on(t.userId),
    index('reminders_bug').on(t.bugId),
    index('reminders_due').on(t.remindOn).where(sql`${t.sent} = 0`),
  ],
)
