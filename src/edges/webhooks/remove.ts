import * as z from 'zod'
import { auditStatement } from '../../platform/db/audit.ts'
import { abortUnlessChanged, commit, retryOnConflict } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { webhookDeliveries, webhooks } from '../../platform/db/schema/webhooks.ts'
import { db, sql } from '../../platform/db/sql.ts'
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
    const { caller } = ctx
    return retryOnConflict(ctx, async (ctx) => {
      const { rows } = await readBatch(ctx, { rows: selectWebhook(caller, input.id) })
      const { id: webhookId, name } = requireWebhook(rows, input.id)
      await commit(ctx, {
        deliveries: db
          .delete(webhookDeliveries)
          .where(sql`${webhookDeliveries.webhookId} = ${webhookId}`),
        webhook: [
          db.delete(webhooks).where(sql`${webhooks.id} = ${webhookId}`),
          abortUnlessChanged(),
        ],
        audit: auditStatement({
          by: caller.id,
          at: ctx.now,
          objectClass: 'Webhook',
          objectId: webhookId,
          action: 'remove',
          changes: { name: { removed: name, added: '' } },
        }),
      })
      return { success: 1 as const }
    })
  },
)
