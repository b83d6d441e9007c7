import * as z from 'zod'
import { readBatch } from '../../platform/db/read-batch.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { id, selectionInput } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { webhookUnknown } from './faults.ts'
import { requireWebhook, selectWebhook } from './load.ts'
import { presentWebhook, webhookShape } from './present.ts'

export const getWebhook = operation(
  {
    method: 'GET',
    path: '/webhooks/:id',
    summary: 'Get a webhook',
    reference: 'webhooks.md#get-a-webhook',
    input: z.object({ id: id(), ...selectionInput }),
    output: webhookShape,
    faults: [webhookUnknown],
    requires: loggedIn,
    scope: 'read-all-products',
  },
  async (ctx, input) => {
    const { rows } = await readBatch(ctx, { rows: selectWebhook(ctx.caller, input.id) })
    return new Selection(input).prune(presentWebhook(requireWebhook(rows, input.id)))
  },
)
