import * as z from 'zod'
import { readBatch } from '../../platform/db/read-batch.ts'
import { webhookDeliveries } from '../../platform/db/schema/webhooks.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { numberTooLarge, offsetWithoutLimit } from '../../platform/faults/fault.ts'
import { MAX_OFFSET, pageInput, pageOfList } from '../../platform/http/operations/list-page.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { inReadTurn } from '../../platform/http/operations/read-turns.ts'
import { id, selectionInput } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { toDatetime } from '../../platform/lib/time.ts'
import { type OutboxState, stateOf } from '../../platform/outbox/states.ts'
import { isHeld } from './delivery/backlog.ts'
import { isSent, kindOfDelivery } from './delivery/kinds.ts'
import { selectPutOff } from './delivery/record-deliveries.ts'
import { webhookUnknown } from './faults.ts'
import { type LoadedWebhook, requireWebhook, selectWebhook } from './load.ts'

const deliveryShape = z
  .strictObject({
    id: z.int(),
    event: z.string(),
    bug_id: z.int().nullable(),
    created: z.iso.datetime(),
    attempts: z.int(),
    status: z.enum(['queued', 'delivered', 'failed']),
    response_status: z.int().nullable(),
    response_excerpt: z.string().nullable(),
    error: z.string().nullable(),
    next_attempt: z.iso.datetime().nullable(),
  })
  .partial()

/** Deliveries in one answer; each may have an excerpt of a thousand characters. */
const MAX_LISTED = 500

export const listDeliveries = operation(
  {
    method: 'GET',
    path: '/webhooks/:id/deliveries',
    summary: 'List what was sent to a webhook',
    reference: 'webhooks.md#list-deliveries',
    input: z.object({
      id: id(),
      ...pageInput,
      ...selectionInput,
    }),
    output: z.strictObject({ deliveries: z.array(deliveryShape), put_off: z.int() }),
    faults: [numberTooLarge, offsetWithoutLimit, webhookUnknown],
    requires: loggedIn,
    scope: 'read-all-products',
  },
  inReadTurn(async (ctx, input) => {
    const { limit, offset } = pageOfList(input, MAX_LISTED, MAX_OFFSET)
    const { owned, waiting, rows } = await readBatch(ctx, {
      owned: selectWebhook(ctx.caller, input.id),
      waiting: selectPutOff(input.id),
      rows: db
        .select()
        .from(webhookDeliveries)
        .where(sql`${webhookDeliveries.webhookId} = ${input.id} AND ${isSent()}`)
        .orderBy(sql`${webhookDeliveries.id} DESC`)
        .limit(limit)
        .offset(offset),
    })
    const webhook = requireWebhook(owned, input.id)
    const selection = new Selection(input)
    return {
      deliveries: rows.map((row) => selection.prune(presentDelivery(row, webhook, ctx.now))),
      put_off: waiting[0]?.putOff ?? 0,
    }
  }),
)

const STATUS_OF = {
  scheduled: 'queued',
  leased: 'queued',
  retrying: 'queued',
  delivered: 'delivered',
  'given up': 'failed',
} as const satisfies Record<OutboxState, string>

/** What waits for its webhook has no next attempt. */
function presentDelivery(
  row: typeof webhookDeliveries.$inferSelect,
  webhook: LoadedWebhook,
  now: number,
) {
  const status = STATUS_OF[stateOf(row, now)]
  const isWaiting = kindOfDelivery(row.event) === 'message' && isHeld(row.id, webhook)
  return {
    id: row.id,
    event: row.event === 'restriction' ? 'change' : row.event,
    bug_id: row.bugId,
    created: toDatetime(row.createdAt),
    attempts: row.attempts,
    status,
    response_status: row.responseStatus,
    response_excerpt: row.responseExcerpt,
    error: row.lastError,
    next_attempt: status === 'queued' && !isWaiting ? toDatetime(row.nextAttemptAt) : null,
  }
}
