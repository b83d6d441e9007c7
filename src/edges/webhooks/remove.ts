import * as z from 'zod'
import { assertLoggedIn } from '../../platform/access/rights.ts'
import type { Ctx } from '../../platform/context.ts'
import { auditStatement } from '../../platform/db/audit.ts'
import { db } from '../../platform/db/client.ts'
import { abortUnlessChanged, commit, retryOnConflict } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { webhookDeliveries, webhooks } from '../../platform/db/schema/webhooks.ts'
import { sql } from '../../platform/db/sql.ts'
import { id } from '../../platform/http/operations/shapes.ts'
import { requireWebhook, selectWebhook } from './load.ts'

export const removeWebhookInput = z.object({ id: id() })
export const removeWebhookOutput = z.strictObject({ success: z.literal(1) })

/**
 * DELETE /webhooks/{id}: removes a webhook with its log and everything that waits for it. Faults as
 * `getWebhook`. Reference: webhooks.md, "Remove a webhook".
 */
export async function removeWebhook(ctx: Ctx, input: z.output<typeof removeWebhookInput>) {
  const caller = assertLoggedIn(ctx.caller)
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
}
