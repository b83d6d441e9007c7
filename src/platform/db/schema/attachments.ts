import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { bugs } from './bugs.ts'
import { users } from './users.ts'

/** Metadata of attachments; the bytes are an R2 object, written before the row. */
export const attachments = sqliteTable(
  'attachments',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    bugId: integer('bug_id')
      .notNull()
      .references(() => bugs.id),
    submitterId: integer('submitter_id')
      .notNull()
      .references(() => users.id),
    createdAt: integer('created_at').notNull(),
    changedAt: integer('changed_at').notNull(),
    fileName: text('file_name').notNull(),
    summary: text('summary').notNull(),
    summaryFold: text('summary_fold').notNull(),
    contentType: text('content_type').notNull(),
    /** Bytes after decoding. */
    size: integer('size').notNull(),
    /** Key of the R2 object; the same bytes on several bugs share one. */
    objectKey: text('object_key').notNull(),
    sha256: text('sha256').notNull(),
    isPrivate: integer('is_private', { mode: 'boolean' }).notNull().default(false),
    isObsolete: integer('is_obsolete', { mode: 'boolean' }).notNull().default(false),
    isPatch: integer('is_patch', { mode: 'boolean' }).notNull().default(false),
    /** The URL of a link attachment, to find an existing link without reading objects. */
    linkUrl: text('link_url'),
    revision: integer('revision').notNull().default(0),
  },
  (t) => [
    index('attachments_bug').on(t.bugId),
    index('attachments_submitter').on(t.submitterId),
    index('attachments_object').on(t.objectKey),
    index('attachments_link').on(t.linkUrl, t.bugId),
  ],
)
