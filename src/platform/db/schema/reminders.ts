import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { bugs } from './bugs.ts'
import { users } from './users.ts'
import { workColumns } from './work.ts'

/** Mails that people order for a day, sent once. */
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
    /** `next_attempt_at` begins with the day of the reminder. */
    ...workColumns,
  },
  (t) => [
    index('reminders_user').on(t.userId),
    index('reminders_bug').on(t.bugId),
    index('reminders_waiting').on(t.nextAttemptAt).where(sql`${t.doneAt} IS NULL`),
    index('reminders_failed').on(t.id).where(sql`${t.lastError} IS NOT NULL`),
  ],
)
