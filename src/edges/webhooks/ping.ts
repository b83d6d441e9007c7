import * as z from 'zod'
import { commit } from '../../platform/db/commit.ts'
import { webhookDeliveries, webhooks } from '../../platform/db/schema/webhooks.ts'
import { columnName, columnNames, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { id } from '../../platform/http/operations/shapes.ts'
import { sendMessages } from '../../platform/outbox/messages.ts'
import { webhookUnknown } from './faults.ts'
import { manageableWebhookCondition } from './load.ts'

export const pingWebhookInput = z.object({ id: id() })
export const queuedDeliveryOutput = z.strictObject({ delivery: z.int() })

export const pingWebhook = operation(
  {
    method: 'POST',
    path: '/webhooks/:id/test',
    summary: 'Send a ping to a webhook',
    reference: 'webhooks.md#test-a-webhook',
    input: pingWebhookInput,
    output: queuedDeliveryOutput,
    faults: [webhookUnknown],
    requires: loggedIn,
    scope: 'write-all-products',
  },
  async (ctx, input) => {
    const columns = columnNames(
      webhookDeliveries.webhookId,
      webhookDeliveries.event,
      webhookDeliveries.createdAt,
      webhookDeliveries.nextAttemptAt,
    )
    const { queued } = await commit(ctx, {
      queued: sql`INSERT INTO webhook_deliveries (${columns})
      SELECT ${webhooks.id}, 'ping', ${ctx.now}, ${ctx.now} FROM webhooks
      WHERE ${webhooks.id} = ${input.id} AND ${manageableWebhookCondition(ctx.caller)}
      RETURNING ${columnName(webhookDeliveries.id)}`,
    })
    const [row] = queued
    if (row === undefined) {
      throw fault(webhookUnknown, { id: input.id })
    }
    const delivery = Number(row.id)
    sendMessages(ctx, 'webhook', [delivery])
    return { delivery }
  },
)
