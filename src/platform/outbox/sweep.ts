import type { Ctx } from '../context.ts'
import { commit } from '../db/commit.ts'
import { log } from '../lib/log.ts'
import type { QueueMessage } from './messages.ts'
import {
  claimOverdueStatement,
  deleteDoneStatement,
  giveUpExhaustedStatement,
  OUTBOX_KINDS,
  OUTBOXES,
  type OutboxKind,
} from './outbox.ts'

/** The limit of one `sendBatch`. */
const MAX_MESSAGES = 100

const MAX_DELETED_ROWS = 500

type Rows = readonly Readonly<Record<string, unknown>>[]

/**
 * Sends queue messages for overdue rows of every outbox, gives up rows whose last attempt died, and deletes
 * old ones that are done. The work of a run is limited; the rest waits for the next run.
 */
export async function sweepOutboxes(ctx: Ctx): Promise<void> {
  const { now } = ctx
  const exhausted = await commit(
    ctx,
    forEachKind((kind) => giveUpExhaustedStatement(OUTBOXES[kind], now)),
  )
  const overdue = await commit(
    ctx,
    forEachKind((kind) => claimOverdueStatement(OUTBOXES[kind], now, MAX_MESSAGES)),
  )
  for (const kind of OUTBOX_KINDS) {
    reportExhausted(kind, exhausted[kind])
    enqueueOverdue(ctx, kind, overdue[kind])
  }
  // a commit of its own, so that a failed deletion cannot prevent deliveries
  await commit(
    ctx,
    forEachKind((kind) => {
      const { keepSeconds } = OUTBOXES[kind]
      return keepSeconds === null
        ? []
        : deleteDoneStatement(OUTBOXES[kind], now - keepSeconds, MAX_DELETED_ROWS)
    }),
  )
}

function forEachKind<Part>(makePart: (kind: OutboxKind) => Part): Record<OutboxKind, Part> {
  return {
    notice: makePart('notice'),
    webhook: makePart('webhook'),
    push: makePart('push'),
    reminder: makePart('reminder'),
    key: makePart('key'),
  }
}

function reportExhausted(kind: OutboxKind, rows: Rows): void {
  if (rows.length > 0) {
    log('error', 'work given up', { kind, ids: rows.map(({ id }) => id) })
  }
}

function enqueueOverdue(ctx: Ctx, kind: OutboxKind, rows: Rows): void {
  if (rows.length > 0) {
    const messages = rows.map(({ id }): { body: QueueMessage } => ({
      body: { kind, id: Number(id) },
    }))
    ctx.defer(() => ctx.env.EVENTS.sendBatch(messages))
  }
}
