import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { users } from './users.ts'
import { workColumns } from './work.ts'

/** The second factor of accounts that have one, or are about to: time-based one-time passwords of RFC 6238. */
export const secondFactors = sqliteTable('second_factors', {
  userId: integer('user_id')
    .primaryKey()
    .references(() => users.id),
  /** The secret under AES-GCM. */
  sealed: text('sealed').notNull(),
  /** A JSON list of the SHA-256 of the recovery codes that are left. */
  recoveryHashes: text('recovery_hashes').notNull(),
  createdAt: integer('created_at').notNull(),
  /** When the first right code switched it on; null before. */
  confirmedAt: integer('confirmed_at'),
  /** The half minute since 1970 of the newest code that was used, which no older code and not itself serves again. */
  lastStep: integer('last_step').notNull().default(0),
})

/**
 * Links that mails carry, with which people prove that an address is theirs. A request about a login that nobody has
 * leaves a row too, without a mail to send, so that it takes as long and counts alike.
 */
export const accountLinks = sqliteTable(
  'account_links',
  {
    // SQLite keeps the last ID of a table with autoIncrement, and reads those of all at each insert
    id: integer('id').primaryKey(),
    /** A word of `LINK_KINDS`. */
    kind: text('kind').notNull(),
    /** Null for a registration, and for a login that nobody has. */
    userId: integer('user_id').references(() => users.id),
    /** Whom the mail goes to: the login of the account, or the one that it shall get. */
    login: text('login').notNull(),
    loginFold: text('login_fold').notNull(),
    /** Of somebody who registers. */
    realName: text('real_name').notNull().default(''),
    /** The SHA-256 of the token in the link. */
    hash: text('hash').notNull().unique(),
    /** The token under AES-GCM, until the mail is sent. */
    sealed: text('sealed'),
    /** The network of a client that asked for the mail unknown; empty where a right or a login allowed it. */
    ip: text('ip').notNull().default(''),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    usedAt: integer('used_at'),
    ...workColumns,
  },
  (t) => [
    index('account_links_user').on(t.userId),
    index('account_links_login').on(t.loginFold, t.createdAt),
    index('account_links_address').on(t.ip, t.createdAt),
    index('account_links_waiting').on(t.nextAttemptAt).where(sql`${t.doneAt} IS NULL`),
    index('account_links_failed').on(t.id).where(sql`${t.lastError} IS NOT NULL`),
  ],
)
