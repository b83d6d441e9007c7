import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { deliverWebhooks } from '../../src/edges/webhooks/delivery/deliver.ts'
import { recordDeliveries } from '../../src/edges/webhooks/delivery/record-deliveries.ts'
import { systemCtx } from '../../src/platform/background.ts'
import type { Ctx } from '../../src/platform/context.ts'
import type { WorkOutcome } from '../../src/platform/outbox/outbox.ts'
import { PRIVATE_TARGETS } from './builders/webhooks.ts'
import { execute, type Row } from './database/execute.ts'

type Options = { readonly now?: number; readonly bindings?: object }

/** A context of background work whose webhooks may call the receivers of tests, and whose queue swallows messages. */
export function buildWorkerCtx({ now, bindings = {} }: Options = {}): Ctx {
  const EVENTS = { send: async () => {}, sendBatch: async () => {} }
  const own = { ...env, EVENTS, ...PRIVATE_TARGETS, ...bindings } as unknown as Env
  const ctx = systemCtx(own, createExecutionContext())
  return now === undefined ? ctx : { ...ctx, now }
}

/** Records the deliveries of all notices of these bugs so far, for webhooks that are newer than they, too. */
export async function queueWebhooksOf(bugIds: readonly number[], options?: Options): Promise<void> {
  const notices = await execute(
    sql`UPDATE notices SET webhooks_up_to = 0
      WHERE bug_id IN (SELECT value FROM json_each(${JSON.stringify(bugIds)})) RETURNING id`,
  )
  const ids = notices.map(({ id }) => Number(id))
  while (ids.length > 0 && (await recordDeliveries(buildWorkerCtx(options), ids)).size > 0) {}
}

/** The rows of the deliveries of webhooks, oldest first. */
export function loadDeliveryRows(...webhookIds: number[]): Promise<Row[]> {
  return execute(sql`SELECT * FROM webhook_deliveries
    WHERE webhook_id IN (SELECT value FROM json_each(${JSON.stringify(webhookIds)})) ORDER BY id`)
}

/** Sends what waits for webhooks; returns the outcomes, oldest delivery first. */
export async function sendDeliveries(
  webhookIds: readonly number[],
  options: Options = {},
): Promise<WorkOutcome[]> {
  const rows = await loadDeliveryRows(...webhookIds)
  const executionContext = createExecutionContext()
  const ctx = buildWorkerCtx(options)
  const ids = rows.map(({ id }) => Number(id))
  const outcomes = await deliverWebhooks(ctx, { ids })
  await waitOnExecutionContext(executionContext)
  return ids.flatMap((id) => outcomes.get(id) ?? [])
}
