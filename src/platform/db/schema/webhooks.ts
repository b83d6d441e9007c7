import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { bugs } from './bugs.ts'
import { components, products } from './products.ts'
import { users } from './users.ts'
import { holdsOthers, isClaimed, workColumns } from './work.ts'

export const webhooks = sqliteTable(
  'webhooks',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    nameFold: text('name_fold').notNull(),
    url: text('url').notNull(),
    /** Names of events, separated by commas without spaces. */
    events: text('events').notNull(),
    /** Null: any product, any component. */
    productId: integer('product_id').references(() => products.id),
    componentId: integer('component_id').references(() => components.id),
    isEnabled: integer('is_enabled', { mode: 'boolean' }).notNull().default(true),
    /** Failed attempts since the webhook was last enabled. */
    errors: integer('errors').notNull().default(0),
    headerName: text('header_name'),
    /** Encrypted like an API key, as is the signing secret. */
    headerSealed: text('header_sealed'),
    secretSealed: text('secret_sealed').notNull(),
    createdAt: integer('created_at').notNull(),
    revision: integer('revision').notNull().default(0),
    /** The newest notice when the webhook was last enabled: it is told of later ones only. */
    afterNoticeId: integer('after_notice_id').notNull().default(0),
    /** Since it was enabled, messages with a greater ID wait, because a backlog is released in parts. Null: none does. */
    heldAfterId: integer('held_after_id'),
  },
  (t) => [
    uniqueIndex('webhooks_name').on(t.userId, t.nameFold),
    index('webhooks_place').on(t.productId, t.componentId).where(sql`${t.isEnabled} = 1`),
    index('webhooks_held').on(t.heldAfterId).where(sql`${t.heldAfterId} IS NOT NULL`),
  ],
)

/** One call to one receiver. The payload is made when it is sent, from what the owner can see then. */
export const webhookDeliveries = sqliteTable(
  'webhook_deliveries',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    webhookId: integer('webhook_id')
      .notNull()
      .references(() => webhooks.id),
    /** A `DeliveryEvent`, which says the kind of the delivery too. */
    event: text('event').notNull(),
    bugId: integer('bug_id').references(() => bugs.id),
    noticeId: integer('notice_id'),
    /** The comment, attachment or failed delivery that the event is about; 0 when it is the bug. */
    subjectId: integer('subject_id').notNull().default(0),
    createdAt: integer('created_at').notNull(),
    responseStatus: integer('response_status'),
    responseExcerpt: text('response_excerpt'),
    ...workColumns,
  },
  (t) => [
    index('webhook_deliveries_webhook').on(t.webhookId),
    uniqueIndex('webhook_deliveries_once')
      .on(t.noticeId, t.webhookId, t.event, t.subjectId)
      .where(sql`${t.noticeId} IS NOT NULL`),
    index('webhook_deliveries_backlog').on(t.webhookId).where(sql`${t.doneAt} IS NULL`),
    index('webhook_deliveries_waiting').on(t.nextAttemptAt).where(sql`${t.doneAt} IS NULL`),
    index('webhook_deliveries_claimed').on(t.nextAttemptAt).where(isClaimed(t)),
    index('webhook_deliveries_order').on(t.webhookId, t.bugId).where(holdsOthers(t)),
    index('webhook_deliveries_failed').on(t.id).where(sql`${t.lastError} IS NOT NULL`),
  ],
)
