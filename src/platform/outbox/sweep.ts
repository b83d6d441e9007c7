import type { Ctx } from '../context.ts'
import { commit } from '../db/commit.ts'
import { log } from '../lib/log.ts'
import { sendMessages } from './messages.ts'
import {
  claimLeftStatement,
  deleteDoneStatement,
  giveUpExhaustedStatement,
  OUTBOX_KINDS,
  OUTBOXES,
  type OutboxKind,
  selectOverdue,
} from './outbox.ts'

/** Rows of one kind whose worker died that one run enqueues. */
const MAX_LEFT_ROWS = 500

const MAX_DELETED_ROWS = 500

type Rows = readonly Readonly<Record<string, unknown>>[]

/**
 * Gives up rows of every outbox whose last attempt died, and sends queue messages for what is overdue: one for all
 * rows whose message was lost, and one for each row whose worker died, of which one may be the cause. The work of
 * a run is limited; the rest waits for the next run.
 */
export async function sweepOutboxes(ctx: Ctx): Promise<void> {
  const { now } = ctx
  const exhausted = await commit(
    ctx,
    forEachKind((kind) => giveUpExhaustedStatement(OUTBOXES[kind], now)),
  )
  const overdue = await commit(
    ctx,
    forEachKind((kind) => [
      claimLeftStatement(OUTBOXES[kind], now, MAX_LEFT_ROWS),
      selectOverdue(OUTBOXES[kind], now),
    ]),
  )
  for (const kind of OUTBOX_KINDS) {
    reportExhausted(kind, exhausted[kind])
    sendMessages(
      ctx,
      kind,
      overdue[kind].map(({ id }) => Number(id)),
    )
  }
}

/** Deletes rows of every outbox that were done long ago, a limited number at a time. */
export async function deleteOldWork(ctx: Ctx): Promise<void> {
  await commit(
    ctx,
    forEachKind((kind) => {
      const { keepSeconds } = OUTBOXES[kind]
      return keepSeconds === null
        ? []
        : deleteDoneStatement(OUTBOXES[kind], ctx.now - keepSeconds, MAX_DELETED_ROWS)
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
    account: makePart('account'),
  }
}

function reportExhausted(kind: OutboxKind, rows: Rows): void {
  if (rows.length > 0) {
    log('error', 'work given up', { kind, ids: rows.map(({ id }) => id) })
  }
}
