import * as z from 'zod'
import { strongestCredential } from '../access/credentials.ts'
import { assertLoggedIn } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { readBatch } from '../db/read-batch.ts'
import { webhooks } from '../db/schema/webhooks.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { selectionInput } from '../http/shapes.ts'
import { Selection } from '../lib/selection.ts'
import { selectWebhooks } from './load.ts'
import { presentWebhook, webhookShape } from './present.ts'

export const listWebhooksInput = z.object(selectionInput)
export const listWebhooksOutput = z.strictObject({ webhooks: z.array(webhookShape) })

/**
 * GET /webhooks/list: the webhooks of the caller. Fault 410 without an API key in the header.
 * Reference: webhooks.md, "List webhooks".
 */
export async function listWebhooks(ctx: Ctx, input: z.output<typeof listWebhooksInput>) {
  const caller = assertLoggedIn(ctx.caller)
  assertKeyInHeader(ctx)
  const { rows } = await readBatch(ctx, {
    rows: selectWebhooks(caller, sql`${webhooks.userId} = ${caller.id}`),
  })
  const selection = new Selection(input)
  return { webhooks: rows.map((row) => selection.prune(presentWebhook(row))) }
}

/** Fault 410 unless the credential that decided is an API key in the header. */
export function assertKeyInHeader({ credentials }: Pick<Ctx, 'credentials'>): void {
  if (strongestCredential(credentials)?.kind !== 'key' || !credentials.keyInHeader) {
    throw fault('loginRequired')
  }
}
