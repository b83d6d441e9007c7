import type { SQL } from 'drizzle-orm'
import type { Statement } from '../../../platform/db/commit.ts'
import { notices } from '../../../platform/db/schema/notices.ts'
import { webhookDeliveries, webhooks } from '../../../platform/db/schema/webhooks.ts'
import { aliasColumns, columnName, columnNames, sql } from '../../../platform/db/sql.ts'
import { OUTBOXES } from '../../../platform/outbox/outbox.ts'
import { isWaiting } from '../../../platform/outbox/states.ts'
import { isMessage } from './kinds.ts'

const n = aliasColumns(notices, 'n')

/** How long the backlog of a disabled webhook waits for it: as long as the log is kept. */
export const BACKLOG_SECONDS = OUTBOXES.webhook.keepSeconds

/** The newest notice: a webhook that this commit enables is told of later ones only. */
export function newestNoticeId(): SQL<number> {
  return sql<number>`(SELECT coalesce(max(${n.id}), 0) FROM notices n)`
}

/** A condition on the messages that wait for a webhook. */
function backlogCondition(webhookId: number, now: number): SQL {
  return sql`${webhookDeliveries.webhookId} = ${webhookId} AND ${isMessage()}
    AND ${isWaiting(webhookDeliveries, now)}`
}

/** Puts off the backlog of a webhook that is disabled, until it is so old that it is dropped. */
export function parkBacklogStatement(webhookId: number, now: number): Statement {
  return sql`UPDATE webhook_deliveries SET ${columnName(webhookDeliveries.nextAttemptAt)} =
      ${webhookDeliveries.createdAt} + ${BACKLOG_SECONDS}
    WHERE ${backlogCondition(webhookId, now)}`
}

/** Makes the backlog of a webhook that is enabled again due, with all attempts ahead; returns its `id`. */
export function resumeBacklogStatement(webhookId: number, now: number): Statement {
  return sql`UPDATE webhook_deliveries SET ${columnName(webhookDeliveries.nextAttemptAt)} = ${now},
      ${columnName(webhookDeliveries.attempts)} = 0
    WHERE ${backlogCondition(webhookId, now)} RETURNING ${columnName(webhookDeliveries.id)}`
}

/**
 * Disables a webhook after a failed delivery, and queues one mail about it to the owner; nothing happens when it
 * is disabled already.
 */
export function disableStatements(
  failed: { readonly webhookId: number; readonly deliveryId: number },
  now: number,
): Statement[] {
  const { webhookId, deliveryId } = failed
  const columns = columnNames(
    webhookDeliveries.webhookId,
    webhookDeliveries.event,
    webhookDeliveries.subjectId,
    webhookDeliveries.createdAt,
    webhookDeliveries.nextAttemptAt,
  )
  return [
    sql`INSERT INTO webhook_deliveries (${columns})
      SELECT ${webhooks.id}, 'disabled', ${deliveryId}, ${now}, ${now} FROM webhooks
      WHERE ${webhooks.id} = ${webhookId} AND ${webhooks.isEnabled} = 1`,
    sql`UPDATE webhooks SET ${columnName(webhooks.isEnabled)} = 0,
        ${columnName(webhooks.revision)} = ${webhooks.revision} + 1
      WHERE ${webhooks.id} = ${webhookId} AND ${webhooks.isEnabled} = 1`,
    parkBacklogStatement(webhookId, now),
  ]
}
