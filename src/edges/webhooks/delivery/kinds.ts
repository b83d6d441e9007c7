import type { SQL } from 'drizzle-orm'
import { webhookDeliveries } from '../../../platform/db/schema/webhooks.ts'
import { sql } from '../../../platform/db/sql.ts'
import type { WebhookEvent } from '../events.ts'

/** What a message tells about a bug: an event of webhooks, or that a public bug became restricted. */
export type MessageEvent = WebhookEvent | 'restriction'

/** The column `event` of a delivery, which says its kind too. */
export type DeliveryEvent = MessageEvent | 'ping' | 'disabled'

/**
 * What a row of `webhook_deliveries` is: a message about a bug, which waits while the webhook is disabled and may
 * disable it; a ping, which is tried once in any case; or the mail that tells the owner that the webhook was
 * disabled, which no list shows.
 */
export type DeliveryKind = 'message' | 'ping' | 'mail'

export function kindOfDelivery(event: string): DeliveryKind {
  return event === 'ping' ? 'ping' : event === 'disabled' ? 'mail' : 'message'
}

/** Whether a row of `webhook_deliveries` is a message about a bug. */
export function isMessage(): SQL {
  return sql`${webhookDeliveries.event} NOT IN ('ping', 'disabled')`
}

export function isSent(): SQL {
  return sql`${webhookDeliveries.event} <> 'disabled'`
}
