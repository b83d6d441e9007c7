import { eq } from 'drizzle-orm'
import { commit } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { notices } from '../../platform/db/schema/notices.ts'
import { webhookDeliveries, webhooks } from '../../platform/db/schema/webhooks.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { sendMessages } from '../../platform/outbox/messages.ts'
import { OUTBOXES, restartStatement } from '../../platform/outbox/outbox.ts'
import { isSent, kindOfDelivery } from './delivery/kinds.ts'
import { webhookDeliveryTooOld, webhookDeliveryUnknown, webhookDisabled } from './faults.ts'
import { manageableWebhookCondition } from './load.ts'
import { pingWebhookInput, queuedDeliveryOutput } from './ping.ts'

/**
 * Queues a delivery once more, with all attempts ahead and the same `webhook-id`; one that is being sent
 * stays as it is.
 */
export const redeliver = operation(
  {
    method: 'POST',
    path: '/webhooks/deliveries/:id/redeliver',
    summary: 'Send a delivery to a webhook again',
    reference: 'webhooks.md#send-a-delivery-again',
    input: pingWebhookInput,
    output: queuedDeliveryOutput,
    faults: [webhookDeliveryTooOld, webhookDeliveryUnknown, webhookDisabled],
    requires: loggedIn,
    scope: 'write-all-products',
  },
  async (ctx, input) => {
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
          sql`${webhookDeliveries.id} = ${id} AND ${isSent()}
          AND ${manageableWebhookCondition(ctx.caller)}`,
        ),
    })
    const [row] = rows
    if (row === undefined) {
      throw fault(webhookDeliveryUnknown, { id })
    }
    const isMessage = kindOfDelivery(row.event) === 'message'
    if (isMessage && !row.isEnabled) {
      throw fault(webhookDisabled, { name: row.name })
    }
    if (isMessage && row.happenedAt === null) {
      throw fault(webhookDeliveryTooOld, { id })
    }
    await commit(ctx, {
      row: restartStatement(OUTBOXES.webhook, id, sql`1`, ctx.now),
    })
    sendMessages(ctx, 'webhook', [id])
    return { delivery: id }
  },
)
