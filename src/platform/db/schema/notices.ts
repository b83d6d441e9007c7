import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { bugs } from './bugs.ts'
import { users } from './users.ts'
import { holdsOthers, isClaimed, workColumns } from './work.ts'

/**
 * An outbox row that says that a bug changed, written in the commit of the change. History rows and
 * comments have its ID, so that the change itself is not repeated here.
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
    /** A minor update is sent to webhooks, but not mailed. */
    isMinor: integer('is_minor', { mode: 'boolean' }).notNull().default(false),
    ...workColumns,
    /** Deliveries are recorded for webhooks up to this ID; `ALL_WEBHOOKS` when that is done. */
    webhooksUpTo: integer('webhooks_up_to').notNull().default(0),
  },
  (t) => [
    index('notices_bug').on(t.bugId),
    index('notices_waiting').on(t.nextAttemptAt).where(sql`${t.doneAt} IS NULL`),
    index('notices_claimed').on(t.nextAttemptAt).where(isClaimed(t)),
    index('notices_order_of_bug').on(t.bugId).where(holdsOthers(t)),
    index('notices_order_of_author').on(t.authorId).where(holdsOthers(t)),
    index('notices_failed').on(t.id).where(sql`${t.lastError} IS NOT NULL`),
    check('notices_kind', sql`${t.kind} IN ('created', 'changed')`),
  ],
)

/**
 * The recipients of an unfinished notice whose mail was accepted or refused for good, so that a retry does not
 * repeat it. Deleted when the notice is done, unless it was given up.
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
    isRefused: integer('is_refused', { mode: 'boolean' }).notNull().default(false),
  },
  (t) => [primaryKey({ columns: [t.noticeId, t.userId] })],
)
