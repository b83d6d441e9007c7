import * as z from 'zod'
import { commit } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { webhookDeliveries } from '../../platform/db/schema/webhooks.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { removeAudited } from '../../platform/db/write-audited.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { id } from '../../platform/http/operations/shapes.ts'
import { webhookUnknown } from './faults.ts'
import { requireWebhook, selectWebhook } from './load.ts'

export const removeWebhook = operation(
  {
    method: 'DELETE',
    path: '/webhooks/:id',
    summary: 'Remove a webhook',
    reference: 'webhooks.md#remove-a-webhook',
    input: z.object({ id: id() }),
    output: z.strictObject({ success: z.literal(1) }),
    faults: [webhookUnknown],
    requires: loggedIn,
    scope: 'write-all-products',
  },
  async (ctx, input) => {
    const { rows } = await readBatch(ctx, { rows: selectWebhook(ctx.caller, input.id) })
    const webhook = requireWebhook(rows, input.id)
    await commit(ctx, {
      deliveries: db
        .delete(webhookDeliveries)
        .where(sql`${webhookDeliveries.webhookId} = ${webhook.id}`),
      webhook: removeAudited(ctx, 'Webhook', webhook, { name: webhook.name }),
    })
    return { success: 1 as const }
  },
)
