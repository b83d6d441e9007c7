import * as z from 'zod'
import type { Ctx } from '../../platform/context.ts'
import { commit } from '../../platform/db/commit.ts'
import { sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import type { QueueMessage } from '../../platform/outbox/messages.ts'
import { restartStatement } from '../../platform/outbox/outbox.ts'
import { OUTBOXES } from '../../platform/outbox/outboxes.ts'
import { forgetRefusedMailsStatement } from '../../tracker/notices/mailing.ts'
import { undeliveredUnknown } from './faults.ts'
import { outboxKindOf, parseUndeliveredId, undeliveredCondition } from './kinds.ts'
import { assertMaySeeUndelivered } from './list.ts'

export const retryUndeliveredInput = z.object({ id: z.string() })
export const retryUndeliveredOutput = z.strictObject({ queued: z.literal(true) })

/**
 * POST /undelivered/{id}/retry: attempts at once what `listUndelivered` lists, with all attempts anew. Faults 410,
 * 304 outside of the group of administrators, 51 for what is not listed.
 * Reference: undelivered.md, "Send again".
 */
export async function retryUndelivered(ctx: Ctx, input: z.output<typeof retryUndeliveredInput>) {
  assertMaySeeUndelivered(ctx)
  const parsed = parseUndeliveredId(input.id)
  if (parsed === null) {
    throw fault(undeliveredUnknown, { id: input.id.slice(0, 100) })
  }
  const { kind, rowId: id } = parsed
  const outboxKind = outboxKindOf(kind)
  const { table } = OUTBOXES[outboxKind]
  const condition = undeliveredCondition(kind, ctx.now)
  const { restarted, listed } = await commit(ctx, {
    restarted: restartStatement(OUTBOXES[outboxKind], id, condition, ctx.now),
    forgotten: kind === 'mail' ? forgetRefusedMailsStatement(id) : undefined,
    // a row that a worker holds at this moment is listed, but not restarted
    listed: sql`SELECT ${table.id} FROM ${table} WHERE ${table.id} = ${id} AND ${condition}`,
  })
  if (restarted.length === 0 && listed.length === 0) {
    throw fault(undeliveredUnknown, { id: input.id.slice(0, 100) })
  }
  const message: QueueMessage = { kind: outboxKind, id }
  ctx.defer(() => ctx.env.EVENTS.send(message))
  return { queued: true as const }
}
