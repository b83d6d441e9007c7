import * as z from 'zod'
import { assertLoggedIn } from '../../platform/access/rights.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { id, selectionInput } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { requireWebhook, selectWebhook } from './load.ts'
import { presentWebhook, webhookShape } from './present.ts'

export const getWebhookInput = z.object({ id: id(), ...selectionInput })
export const getWebhookOutput = webhookShape

/**
 * GET /webhooks/{id}: a webhook of the caller, for members of `admin` of anybody. Faults 410; 51 for a webhook
 * that does not exist or is somebody else's; 52 for an ID that is no number.
 * Reference: webhooks.md, "Get a webhook".
 */
export async function getWebhook(ctx: Ctx, input: z.output<typeof getWebhookInput>) {
  const caller = assertLoggedIn(ctx.caller)
  const { rows } = await readBatch(ctx, { rows: selectWebhook(caller, input.id) })
  return new Selection(input).prune(presentWebhook(requireWebhook(rows, input.id)))
}
