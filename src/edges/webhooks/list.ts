import * as z from 'zod'
import { strongestCredential } from '../../platform/access/credentials.ts'
import { loginRequired } from '../../platform/access/faults.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { webhooks } from '../../platform/db/schema/webhooks.ts'
import { sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { selectionInput } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { selectWebhooks } from './load.ts'
import { presentWebhook, webhookShape } from './present.ts'

export const listWebhooks = operation(
  {
    method: 'GET',
    path: '/webhooks/list',
    summary: 'List the webhooks of the caller',
    reference: 'webhooks.md#list-webhooks',
    input: z.object(selectionInput),
    output: z.strictObject({ webhooks: z.array(webhookShape) }),
    requires: loggedIn,
    scope: 'read-all-products',
  },
  async (ctx, input) => {
    const { caller } = ctx
    assertKeyInHeader(ctx)
    const { rows } = await readBatch(ctx, {
      rows: selectWebhooks(caller, sql`${webhooks.userId} = ${caller.id}`),
    })
    const selection = new Selection(input)
    return { webhooks: rows.map((row) => selection.prune(presentWebhook(row))) }
  },
)

/** An API key in its header, or the session of a page. */
function assertKeyInHeader({ credentials }: Pick<Ctx, 'credentials'>): void {
  const kind = strongestCredential(credentials)?.kind
  if (kind !== 'session' && (kind !== 'key' || !credentials.keyInHeader)) {
    throw fault(loginRequired)
  }
}
