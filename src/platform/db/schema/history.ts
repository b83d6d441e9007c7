import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { attachments } from './attachments.ts'
import { bugs } from './bugs.ts'
import { comments } from './comments.ts'
import { users } from './users.ts'

/**
 * The history of bugs: one row per changed field, under its API name, with its values as the API shows them. Row IDs
 * follow the order of commits.
 */
export const history = sqliteTable(
  'history',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    bugId: integer('bug_id')
      .notNull()
      .references(() => bugs.id),
    authorId: integer('author_id')
      .notNull()
      .references(() => users.id),
    changedAt: integer('changed_at').notNull(),
    field: text('field').notNull(),
    removed: text('removed').notNull(),
    removedFold: text('removed_fold').notNull(),
    added: text('added').notNull(),
    addedFold: text('added_fold').notNull(),
    attachmentId: integer('attachment_id').references(() => attachments.id),
    /** The comment whose privacy or tags changed. */
    commentId: integer('comment_id').references(() => comments.id),
    noticeId: integer('notice_id'),
  },
  (t) => [
    index('history_bug').on(t.bugId, t.changedAt),
    index('history_field').on(t.field, t.changedAt, t.bugId),
    index('history_author').on(t.authorId, t.changedAt),
    index('history_notice').on(t.noticeId).where(sql`${t.noticeId} IS NOT NULL`),
  ],
)
