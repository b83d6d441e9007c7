import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { bugs } from './bugs.ts'
import { users } from './users.ts'
import { workColumns } from './work.ts'

/**
 * Something is to be told about a bug: written in the same commit as the change. History rows and
 * comments carry its ID, so the change itself is not repeated here.
 */
export const notices = sqliteTable(
  'notices',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    bugId: integer('bug_id')
      .notNull()
      .references(() => bugs.id),
    authorId: integer('author_id')
      .notNull()
      .references(() => users.id),
    kind: text('kind', { enum: ['created', 'changed'] }).notNull(),
    happenedAt: integer('happened_at').notNull(),
    /** A minor update is recorded and sent to webhooks, but not mailed. */
    isMinor: integer('is_minor', { mode: 'boolean' }).notNull().default(false),
    ...workColumns,
  },
  (t) => [
    index('notices_bug').on(t.bugId),
    index('notices_waiting').on(t.nextAttemptAt).where(sql`${t.doneAt} IS NULL`),
    check('notices_kind', sql`${t.kind} IN ('created', 'changed')`),
  ],
)

/**
 * Who has had the mail of a notice that is not done yet, so that a second attempt is spared them. Gone
 * when the notice is done.
 */
export const noticeMails = sqliteTable(
  'notice_mails',
  {
    noticeId: integer('notice_id')
      .notNull()
      .references(() => notices.id, { onDelete: 'cascade' }),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id),
  },
  (t) => [primaryKey({ columns: [t.noticeId, t.userId] })],
)
