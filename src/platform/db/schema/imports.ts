import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The import that fills this tracker from an archive, or has filled it: one row, with the ID 1. */
export const imports = sqliteTable('imports', {
  id: integer('id').primaryKey(),
  /** What the archive calls the tracker that it was made from. */
  source: text('source').notNull(),
  /** The digest of its manifest, which tells one archive of a source from the next. */
  archive: text('archive').notNull(),
  /** Whether it is the first one, which began with an empty tracker. */
  isFirst: integer('is_first', { mode: 'boolean' }).notNull(),
  /** The account of the administrator while the import goes on; a number below 0. */
  userId: integer('user_id').notNull(),
  beganAt: integer('began_at').notNull(),
  /** Null while it goes on. */
  endedAt: integer('ended_at'),
  /** JSON: the number of the last line of each part that is in. */
  progress: text('progress').notNull().default('{}'),
  /** JSON: the numbers of rows of each part that later archives of the source no longer have. */
  stale: text('stale').notNull().default('{}'),
  /** The account that the import added for the administrator, if the archive has none of the login. */
  ownUserId: integer('own_user_id'),
  /** The newest entry of the audit log at the end; later ones show that people work here. */
  lastAuditId: integer('last_audit_id').notNull().default(0),
  /** The newest notice at the end, likewise. */
  lastNoticeId: integer('last_notice_id').notNull().default(0),
})
