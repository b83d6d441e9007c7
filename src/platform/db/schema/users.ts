import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { workColumns } from './work.ts'

/** Accounts. Times are Unix seconds; `_fold` columns are lower-cased in code over Unicode. */
export const users = sqliteTable(
  'users',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    login: text('login').notNull(),
    loginFold: text('login_fold').notNull().unique(),
    realName: text('real_name').notNull().default(''),
    realNameFold: text('real_name_fold').notNull().default(''),
    /** Taken from `[:nick]` in the real name; null means the local part of the login is shown. */
    nick: text('nick'),
    nickFold: text('nick_fold').unique(),
    /** A hash of `hashPassword`; null means this account cannot log in with a password. */
    passwordHash: text('password_hash'),
    passwordChangeRequired: integer('password_change_required', { mode: 'boolean' })
      .notNull()
      .default(false),
    /** The reason why the account is disabled; empty for an enabled one. */
    loginDeniedText: text('login_denied_text').notNull().default(''),
    emailEnabled: integer('email_enabled', { mode: 'boolean' }).notNull().default(true),
    ldapEmail: text('ldap_email'),
    createdAt: integer('created_at').notNull(),
    lastSeenAt: integer('last_seen_at'),
    lastActivityAt: integer('last_activity_at'),
    revision: integer('revision').notNull().default(0),
  },
  (t) => [index('users_real_name').on(t.realNameFold)],
)

/** API keys by their SHA-256. `sealed` is the key under AES-GCM, because a bot's key signs webhooks. */
export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id),
    hash: text('hash').notNull().unique(),
    /** The first characters, to recognise the key in a list. */
    prefix: text('prefix').notNull(),
    /** Null when the key was created without access to the secret for encryption. */
    sealed: text('sealed'),
    description: text('description').notNull().default(''),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
    lastUsedIp: text('last_used_ip'),
    expiresAt: integer('expires_at'),
    revoked: integer('revoked', { mode: 'boolean' }).notNull().default(false),
    canWrite: integer('can_write', { mode: 'boolean' }).notNull().default(true),
    canAdminister: integer('can_administer', { mode: 'boolean' }).notNull().default(true),
    /** JSON: the IDs of the products that the key is limited to; null for all. */
    productIds: text('product_ids'),
    /** The key that a rotation made in the place of this one. */
    replacedById: integer('replaced_by_id'),
  },
  (t) => [index('api_keys_user').on(t.userId)],
)

/** Mails to owners about keys that are about to expire, planned when the expiry is set. */
export const apiKeyMails = sqliteTable(
  'api_key_mails',
  {
    // SQLite keeps the last ID of a table with autoIncrement, and reads those of all at each insert
    id: integer('id').primaryKey(),
    keyId: integer('key_id')
      .notNull()
      .references(() => apiKeys.id),
    plannedAt: integer('planned_at').notNull(),
    /** The expiry that the mail is about; a key with another one by then needs no mail. */
    expiresAt: integer('expires_at').notNull(),
    ...workColumns,
  },
  (t) => [
    index('api_key_mails_key').on(t.keyId),
    index('api_key_mails_waiting').on(t.nextAttemptAt).where(sql`${t.doneAt} IS NULL`),
    index('api_key_mails_failed').on(t.id).where(sql`${t.lastError} IS NOT NULL`),
  ],
)

/** Login tokens; the caller holds `<user id>-<secret>`, this table its SHA-256. */
export const tokens = sqliteTable(
  'tokens',
  {
    hash: text('hash').primaryKey(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at').notNull(),
    /** Set when the token is restricted to one address. */
    boundIp: text('bound_ip'),
  },
  (t) => [index('tokens_user').on(t.userId), index('tokens_last_used').on(t.lastUsedAt)],
)

/** Sessions of people at pages; the cookie holds `<user id>-<secret>`, this table the hash of `hashSession`. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    hash: text('hash').notNull().unique(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at').notNull(),
    /** Of the client, when it signed in or when its use was last recorded. */
    ip: text('ip').notNull(),
    userAgent: text('user_agent').notNull(),
    /** What the person showed, such as `password`. */
    authenticatedBy: text('authenticated_by').notNull(),
  },
  (t) => [index('sessions_user').on(t.userId), index('sessions_last_used').on(t.lastUsedAt)],
)

/** Failed logins, for the lockout. Stored by the text of the login, so that unknown logins behave alike. */
export const loginFailures = sqliteTable(
  'login_failures',
  {
    id: integer('id').primaryKey(),
    loginFold: text('login_fold').notNull(),
    ip: text('ip').notNull(),
    failedAt: integer('failed_at').notNull(),
  },
  (t) => [
    index('login_failures_account').on(t.loginFold, t.ip, t.failedAt),
    index('login_failures_address').on(t.ip, t.failedAt),
    index('login_failures_time').on(t.failedAt),
  ],
)

/**
 * Mail preferences that differ from the default: cells of role × event. The role `flags` holds the switches for
 * mail about flags, the role `format` those for the form of all mails.
 */
export const mailPreferences = sqliteTable(
  'mail_preferences',
  {
    userId: integer('user_id')
      .notNull()
      .references(() => users.id),
    role: text('role').notNull(),
    event: text('event').notNull(),
    wanted: integer('wanted', { mode: 'boolean' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.role, t.event] })],
)
