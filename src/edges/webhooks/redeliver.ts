import { eq } from 'drizzle-orm'
import type * as z from 'zod'
import { assertLoggedIn } from '../../platform/access/rights.ts'
import type { Ctx } from '../../platform/context.ts'
import { db } from '../../platform/db/client.ts'
import { commit } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { notices } from '../../platform/db/schema/notices.ts'
import { webhookDeliveries, webhooks } from '../../platform/db/schema/webhooks.ts'
import { columnName, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { announceDeliveries } from './delivery/announce.ts'
import { webhookDeliveryTooOld, webhookDeliveryUnknown, webhookDisabled } from './faults.ts'
import { manageableWebhookCondition } from './load.ts'
import type { pingWebhookInput } from './ping.ts'

/**
 * POST /webhooks/deliveries/{id}/redeliver: queues a delivery once more, with all attempts ahead and the same
 * `webhook-id`; one that is being sent stays as it is. Faults 410; 51 for a delivery that does not exist or is
 * of somebody else's webhook; 52 for an ID that is no number; 32000 for a disabled webhook, and when the change
 * is no longer known. Reference: webhooks.md, "Send a delivery again".
 */
export async function redeliver(ctx: Ctx, input: z.output<typeof pingWebhookInput>) {
  const caller = assertLoggedIn(ctx.caller)
  const { id } = input
  const { rows } = await readBatch(ctx, {
    rows: db
      .select({
        event: webhookDeliveries.event,
        name: webhooks.name,
        isEnabled: webhooks.isEnabled,
        happenedAt: notices.happenedAt,
      })
      .from(webhookDeliveries)
      .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhookId))
      .leftJoin(notices, eq(notices.id, webhookDeliveries.noticeId))
      .where(
        sql`${webhookDeliveries.id} = ${id} AND ${webhookDeliveries.event} <> 'disabled'
          AND ${manageableWebhookCondition(caller)}`,
      ),
  })
  const [row] = rows
  if (row === undefined) {
    throw fault(webhookDeliveryUnknown, { id })
  }
  if (row.event !== 'ping' && !row.isEnabled) {
    throw fault(webhookDisabled, { name: row.name })
  }
  if (row.event !== 'ping' && row.happenedAt === null) {
    throw fault(webhookDeliveryTooOld, { id })
  }
  await commit(ctx, {
    row: sql`UPDATE webhook_deliveries SET ${columnName(webhookDeliveries.attempts)} = 0,
        ${columnName(webhookDeliveries.nextAttemptAt)} = ${ctx.now},
        ${columnName(webhookDeliveries.leaseUntil)} = NULL, ${columnName(webhookDeliveries.doneAt)} = NULL
      WHERE ${webhookDeliveries.id} = ${id} AND (${webhookDeliveries.doneAt} IS NOT NULL
        OR ${webhookDeliveries.leaseUntil} IS NULL OR ${webhookDeliveries.leaseUntil} <= ${ctx.now})`,
  })
  announceDeliveries(ctx, [id])
  return { delivery: id }
}
