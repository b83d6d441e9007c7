import { sql } from 'drizzle-orm'
import {
  check,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { attachments } from './attachments.ts'
import { bugs } from './bugs.ts'
import { users } from './users.ts'

/** `body` is the text as entered; reading adds the first lines of attachment and duplicate comments. */
export const comments = sqliteTable(
  'comments',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    bugId: integer('bug_id')
      .notNull()
      .references(() => bugs.id),
    /** Place among all comments of the bug; the description is 0. */
    number: integer('number').notNull(),
    authorId: integer('author_id')
      .notNull()
      .references(() => users.id),
    createdAt: integer('created_at').notNull(),
    body: text('body').notNull(),
    isPrivate: integer('is_private', { mode: 'boolean' }).notNull().default(false),
    isMarkdown: integer('is_markdown', { mode: 'boolean' }).notNull().default(false),
    kind: text('kind', {
      enum: ['plain', 'attachment_created', 'attachment_updated', 'duplicate_of', 'has_duplicate'],
    })
      .notNull()
      .default('plain'),
    attachmentId: integer('attachment_id').references(() => attachments.id),
    /** The other bug of a duplicate pair. */
    relatedBugId: integer('related_bug_id').references(() => bugs.id),
    workTime: real('work_time').notNull().default(0),
    /** The notice of this comment. No foreign key, because old notices are deleted. */
    noticeId: integer('notice_id'),
  },
  (t) => [
    uniqueIndex('comments_number').on(t.bugId, t.number),
    // finds the comments of a bug that are newer than a time, in order
    index('comments_bug_time').on(t.bugId, t.createdAt, t.number),
    index('comments_author').on(t.authorId, t.bugId),
    index('comments_attachment').on(t.attachmentId).where(sql`${t.attachmentId} IS NOT NULL`),
    index('comments_notice').on(t.noticeId).where(sql`${t.noticeId} IS NOT NULL`),
    check(
      'comments_kind',
      sql`${t.kind} IN ('plain', 'attachment_created', 'attachment_updated', 'duplicate_of', 'has_duplicate')`,
    ),
  ],
)

export const commentTags = sqliteTable(
  'comment_tags',
  {
    commentId: integer('comment_id')
      .notNull()
      .references(() => comments.id),
    nameFold: text('name_fold').notNull(),
    name: text('name').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.commentId, t.nameFold] }),
    index('comment_tags_name').on(t.nameFold, t.commentId),
  ],
)

/** The number of comments with each tag, maintained by triggers, which delete a row at 0. */
export const commentTagWeights = sqliteTable('comment_tag_weights', {
  nameFold: text('name_fold').primaryKey(),
  name: text('name').notNull(),
  weight: integer('weight').notNull(),
})
