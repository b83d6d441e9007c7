import type { SQL } from 'drizzle-orm'
import type { Ctx } from '../../../platform/context.ts'
import { commit, type Statement } from '../../../platform/db/commit.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { notices } from '../../../platform/db/schema/notices.ts'
import { webhookDeliveries, webhooks } from '../../../platform/db/schema/webhooks.ts'
import {
  aliasColumns,
  columnName,
  columnNames,
  db,
  limitTo,
  sql,
} from '../../../platform/db/sql.ts'
import { sendMessages } from '../../../platform/outbox/messages.ts'
import { OUTBOXES } from '../../../platform/outbox/outbox.ts'
import { isWaiting } from '../../../platform/outbox/states.ts'
import { isMessage } from './kinds.ts'

const n = aliasColumns(notices, 'n')
const d = aliasColumns(webhookDeliveries, 'd')
const w = aliasColumns(webhooks, 'w')

/** How long the backlog of a disabled webhook waits for it: as long as the log is kept. */
export const BACKLOG_SECONDS = OUTBOXES.webhook.keepSeconds

/** What waits for others of its webhook is not dropped, however old. */
const MIN_PARKED_SECONDS = 3600

/** Messages that one statement puts off or releases: a backlog has no limit. */
const MOST_AT_ONCE = 5000

/** Webhooks that share a part. */
const MAX_WEBHOOKS = 20

const MAX_ANNOUNCED = 100

/** The newest notice: a webhook that this commit enables is told of later ones only. */
export function newestNoticeId(): SQL<number> {
  return sql<number>`(SELECT coalesce(max(${n.id}), 0) FROM notices n)`
}

type Hold = { readonly isEnabled: boolean; readonly heldAfterId: number | null }

/** Whether a message waits: its webhook is disabled, or has to get what waited for it first. */
export function isHeld(id: number, { isEnabled, heldAfterId }: Hold): boolean {
  return !isEnabled || (heldAfterId !== null && id > heldAfterId)
}

/** The same of a row of `webhook_deliveries`. */
function heldCondition(): SQL {
  return sql`EXISTS (SELECT 1 FROM webhooks w WHERE ${w.id} = ${webhookDeliveries.webhookId}
    AND (${w.isEnabled} = 0 OR ${webhookDeliveries.id} > ${w.heldAfterId}))`
}

/** Puts off a message that is held, until it is so old that it is dropped; unless its webhook was enabled meanwhile. */
export function parkStatement(id: number, now: number): Statement {
  return sql`${putOff(now)} WHERE ${webhookDeliveries.id} = ${id} AND ${heldCondition()}`
}

/** Puts off what is held of the messages that are due longest, since a claim would find nothing else. */
export function parkDueStatement(now: number): Statement {
  return sql`${putOff(now)} WHERE ${webhookDeliveries.id} IN (
      SELECT ${webhookDeliveries.id} FROM webhook_deliveries
      WHERE ${isWaiting(webhookDeliveries, now)} AND ${webhookDeliveries.nextAttemptAt} <= ${now}
      ORDER BY ${webhookDeliveries.nextAttemptAt} ${limitTo(MOST_AT_ONCE)})
    AND ${isMessage()} AND ${webhookDeliveries.createdAt} + ${BACKLOG_SECONDS} > ${now} AND ${heldCondition()}`
}

function putOff(now: number): SQL {
  return sql`UPDATE webhook_deliveries SET ${columnName(webhookDeliveries.nextAttemptAt)} =
    max(${webhookDeliveries.createdAt} + ${BACKLOG_SECONDS}, ${now + MIN_PARKED_SECONDS})`
}

/**
 * Makes the next part of the backlog of a webhook that was enabled due, with all attempts ahead; returns its `id`. In
 * the order of IDs, and what is recorded meanwhile comes last, so that no message overtakes another about its bug.
 */
export function releaseStatements(
  webhookId: number,
  now: number,
  most = MOST_AT_ONCE,
): readonly Statement[] {
  const next = sql`SELECT ${d.id} AS id FROM webhook_deliveries d
    WHERE ${d.webhookId} = ${webhookId} AND ${d.doneAt} IS NULL AND ${d.id} > (
      SELECT ${w.heldAfterId} FROM webhooks w WHERE ${w.id} = ${webhookId} AND ${w.isEnabled} = 1)
    ORDER BY ${d.id} ${limitTo(most)}`
  return [
    sql`UPDATE webhook_deliveries SET ${columnName(webhookDeliveries.nextAttemptAt)} = ${now},
        ${columnName(webhookDeliveries.attempts)} = 0
      WHERE ${webhookDeliveries.id} IN (${next}) AND ${isMessage()} AND ${isWaiting(webhookDeliveries, now)}
      RETURNING ${columnName(webhookDeliveries.id)}`,
    sql`UPDATE webhooks SET ${columnName(webhooks.heldAfterId)} =
        (SELECT iif(count(*) < ${most}, NULL, max(id)) FROM (${next}))
      WHERE ${webhooks.id} = ${webhookId} AND ${webhooks.isEnabled} = 1`,
  ]
}

/** Releases the next part of what waits for webhooks that were enabled, that of the oldest first. */
export async function releaseBacklogs(ctx: Ctx, most = MOST_AT_ONCE): Promise<void> {
  const { held } = await readBatch(ctx, {
    held: db
      .select({ id: webhooks.id })
      .from(webhooks)
      .where(sql`${webhooks.heldAfterId} IS NOT NULL AND ${webhooks.isEnabled} = 1`)
      .orderBy(webhooks.heldAfterId)
      .limit(MAX_WEBHOOKS),
  })
  const each = Math.floor(most / held.length)
  const { released } = await commit(ctx, {
    released: held.flatMap(({ id }) => releaseStatements(id, ctx.now, each)),
  })
  announceReleased(ctx, released)
}

/** Sends messages for some of these rows; workers claim the others with them. */
export function announceReleased(
  ctx: Ctx,
  rows: readonly Readonly<Record<string, unknown>>[],
): void {
  sendMessages(
    ctx,
    'webhook',
    rows.slice(0, MAX_ANNOUNCED).map(({ id }) => Number(id)),
  )
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
    // so that nobody claims it beside the mail, which tells its attempts
    parkStatement(deliveryId, now),
  ]
}
