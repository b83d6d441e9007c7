import * as z from 'zod'
import { commit } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { webhookDeliveries } from '../../platform/db/schema/webhooks.ts'
import type { SessionHolder } from '../../platform/db/session.ts'
import { db, limitTo, sql } from '../../platform/db/sql.ts'
import { removeAudited } from '../../platform/db/write-audited.ts'
import { fault } from '../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { id } from '../../platform/http/operations/shapes.ts'
import { webhookLogLong, webhookUnknown } from './faults.ts'
import { requireWebhook, selectWebhook } from './load.ts'

export const removeWebhook = operation(
  {
    method: 'DELETE',
    path: '/webhooks/:id',
    summary: 'Remove a webhook',
    reference: 'webhooks.md#remove-a-webhook',
    input: z.object({ id: id() }),
    output: z.strictObject({ success: z.literal(1) }),
    faults: [webhookUnknown, webhookLogLong],
    requires: loggedIn,
    scope: 'write-all-products',
  },
  async (ctx, input) => {
    const { rows, more } = await readBatch(ctx, {
      rows: selectWebhook(ctx.caller, input.id),
      more: selectDeliveriesBeyond(input.id),
    })
    const webhook = requireWebhook(rows, input.id)
    await removeMost(ctx, webhook.id, more.length > 0)
    await commit(ctx, {
      deliveries: db
        .delete(webhookDeliveries)
        .where(sql`${webhookDeliveries.webhookId} = ${webhook.id}`),
      webhook: removeAudited(ctx, 'Webhook', webhook, { name: webhook.name }),
    })
    return { success: 1 as const }
  },
)

/** Deliveries that one commit removes, in a statement of 15 ms: there may be any number. */
const MOST_AT_ONCE = 5000

/** Commits of one request, which take most of a second. */
const MAX_PARTS = 8

/** Between two commits, in which the runtime takes new requests. */
const PAUSE_MS = 1

/** Removes what is more than one commit can. Throws a fault where that is more than one request can. */
async function removeMost(ctx: SessionHolder, webhookId: number, isMore: boolean): Promise<void> {
  let parts = 0
  for (let goesOn = isMore; goesOn; parts += 1) {
    if (parts === MAX_PARTS) {
      throw fault(webhookLogLong)
    }
    await commit(ctx, {
      part: sql`DELETE FROM webhook_deliveries WHERE ${webhookDeliveries.id} IN (
        SELECT ${webhookDeliveries.id} FROM webhook_deliveries
        WHERE ${webhookDeliveries.webhookId} = ${webhookId} ${limitTo(MOST_AT_ONCE)})`,
    })
    await scheduler.wait(PAUSE_MS)
    const { more } = await readBatch(ctx, { more: selectDeliveriesBeyond(webhookId) })
    goesOn = more.length > 0
  }
}

/** A row where there are more than one commit removes. */
function selectDeliveriesBeyond(webhookId: number) {
  return db
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(sql`${webhookDeliveries.webhookId} = ${webhookId}`)
    .limit(1)
    .offset(MOST_AT_ONCE)
}
