import * as z from 'zod'
import { assertLoggedIn } from '../../platform/access/rights.ts'
import type { Ctx } from '../../platform/context.ts'
import { commit } from '../../platform/db/commit.ts'
import { webhookDeliveries, webhooks } from '../../platform/db/schema/webhooks.ts'
import { columnName, columnNames, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { id } from '../../platform/http/operations/shapes.ts'
import { announceDeliveries } from './delivery/announce.ts'
import { webhookUnknown } from './faults.ts'
import { manageableWebhookCondition } from './load.ts'

export const pingWebhookInput = z.object({ id: id() })
export const queuedDeliveryOutput = z.strictObject({ delivery: z.int() })

/**
 * POST /webhooks/{id}/test: queues one message that says nothing, for a disabled webhook too. Faults as
 * `getWebhook`. Reference: webhooks.md, "Test a webhook".
 */
export async function pingWebhook(ctx: Ctx, input: z.output<typeof pingWebhookInput>) {
  const caller = assertLoggedIn(ctx.caller)
  const columns = columnNames(
    webhookDeliveries.webhookId,
    webhookDeliveries.event,
    webhookDeliveries.createdAt,
    webhookDeliveries.nextAttemptAt,
  )
  const { queued } = await commit(ctx, {
    queued: sql`INSERT INTO webhook_deliveries (${columns})
      SELECT ${webhooks.id}, 'ping', ${ctx.now}, ${ctx.now} FROM webhooks
      WHERE ${webhooks.id} = ${input.id} AND ${manageableWebhookCondition(caller)}
      RETURNING ${columnName(webhookDeliveries.id)}`,
  })
  const [row] = queued
  if (row === undefined) {
    throw fault(webhookUnknown, { id: input.id })
  }
  const delivery = Number(row.id)
  announceDeliveries(ctx, [delivery])
  return { delivery }
}
