import type { SQL } from 'drizzle-orm'
import { commit, type Statement } from '../../../platform/db/commit.ts'
import { notices } from '../../../platform/db/schema/notices.ts'
import { webhookDeliveries, webhooks } from '../../../platform/db/schema/webhooks.ts'
import type { SessionHolder } from '../../../platform/db/session.ts'
import { aliasColumns, columnName, columnNames, limitTo, sql } from '../../../platform/db/sql.ts'
import { OUTBOXES } from '../../../platform/outbox/outbox.ts'
import { isWaiting } from '../../../platform/outbox/states.ts'
import { isMessage } from './kinds.ts'

const n = aliasColumns(notices, 'n')
const d = aliasColumns(webhookDeliveries, 'd')

/** How long the backlog of a disabled webhook waits for it: as long as the log is kept. */
export const BACKLOG_SECONDS = OUTBOXES.webhook.keepSeconds

/** Deliveries that one statement puts off or makes due: what takes 25 ms, since a backlog has no limit. */
const MOST_AT_ONCE = 5000

/** What is put off for longer waits for a webhook that was disabled. */
const PARKED_SECONDS = 86_400

/** The newest notice: a webhook that this commit enables is told of later ones only. */
export function newestNoticeId(): SQL<number> {
  return sql<number>`(SELECT coalesce(max(${n.id}), 0) FROM notices n)`
}

/** A condition on the messages that wait for a webhook. */
function backlogCondition(webhookId: number, now: number): SQL {
  return sql`${webhookDeliveries.webhookId} = ${webhookId} AND ${isMessage()}
    AND ${isWaiting(webhookDeliveries, now)}`
}

/**
 * Puts off the backlog of a webhook that is disabled, until it is so old that it is dropped. Of a long one a part: a
 * delivery that finds its webhook disabled puts off the next.
 */
export function parkBacklogStatement(
  webhookId: number,
  now: number,
  most = MOST_AT_ONCE,
): Statement {
  return sql`UPDATE webhook_deliveries SET ${columnName(webhookDeliveries.nextAttemptAt)} =
      ${webhookDeliveries.createdAt} + ${BACKLOG_SECONDS}
    WHERE ${webhookDeliveries.id} IN (SELECT ${webhookDeliveries.id} FROM webhook_deliveries
      WHERE ${backlogCondition(webhookId, now)} AND NOT ${isParked(now)}
      ORDER BY ${webhookDeliveries.nextAttemptAt} ${limitTo(most)})`
}

/**
 * Makes the backlog of a webhook that is enabled again due, with all attempts ahead; returns its `id`. Of a long one a
 * part: `resumeParked` goes on.
 */
export function resumeBacklogStatement(
  webhookId: number,
  now: number,
  most = MOST_AT_ONCE,
): Statement {
  return resumeStatement(
    sql`SELECT ${webhookDeliveries.id} FROM webhook_deliveries WHERE ${backlogCondition(webhookId, now)}
      ORDER BY ${webhookDeliveries.nextAttemptAt} ${limitTo(most)}`,
    now,
  )
}

/** Makes a part of what waits for webhooks that were enabled again due; the sweep announces it. */
export async function resumeParked(
  ctx: SessionHolder & { readonly now: number },
  most = MOST_AT_ONCE,
): Promise<void> {
  const { now } = ctx
  const parked = sql`SELECT ${d.id} FROM webhooks CROSS JOIN webhook_deliveries d
    ON ${d.webhookId} = ${webhooks.id} AND ${d.doneAt} IS NULL AND ${d.nextAttemptAt} > ${now + PARKED_SECONDS}
    WHERE ${webhooks.isEnabled} = 1 ${limitTo(most)}`
  await commit(ctx, { resumed: resumeStatement(parked, now) })
}

function resumeStatement(ids: SQL, now: number): Statement {
  return sql`UPDATE webhook_deliveries SET ${columnName(webhookDeliveries.nextAttemptAt)} = ${now},
      ${columnName(webhookDeliveries.attempts)} = 0
    WHERE ${webhookDeliveries.id} IN (${ids}) RETURNING ${columnName(webhookDeliveries.id)}`
}

/** Whether a delivery waits for longer than any that failed. */
function isParked(now: number): SQL {
  return sql`${webhookDeliveries.nextAttemptAt} > ${now + PARKED_SECONDS}`
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
