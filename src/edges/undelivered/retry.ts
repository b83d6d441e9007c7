import * as z from 'zod'
import { commit } from '../../platform/db/commit.ts'
import { sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import type { QueueMessage } from '../../platform/outbox/messages.ts'
import { OUTBOXES, restartStatement } from '../../platform/outbox/outbox.ts'
import { forgetRefusedMailsStatement } from '../../tracker/notices/mailing.ts'
import { undeliveredUnknown } from './faults.ts'
import { outboxKindOf, parseUndeliveredId, undeliveredCondition } from './kinds.ts'

/** Attempts at once what `listUndelivered` lists, with all attempts anew. */
export const retryUndelivered = operation(
  {
    method: 'POST',
    path: '/undelivered/:id/retry',
    summary: 'Send again what did not get through',
    reference: 'undelivered.md#send-again',
    input: z.object({ id: z.string() }),
    output: z.strictObject({ queued: z.literal(true) }),
    faults: [undeliveredUnknown],
    requires: role('admin', 'see what was not delivered'),
    scope: 'write',
  },
  async (ctx, input) => {
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
  },
)
