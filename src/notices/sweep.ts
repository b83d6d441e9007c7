import type { Ctx } from '../context.ts'
import { commit } from '../db/commit.ts'
import { claimOverdue, deleteDone, giveUpExhausted } from '../db/outbox.ts'
import { notices } from '../db/schema/notices.ts'
import { log } from '../lib/log.ts'
import type { QueueMessage } from '../queue/messages.ts'

/** As many as one message batch holds. */
const MAX_MESSAGES = 100

const RETENTION_SECONDS = 30 * 86_400
const MAX_DELETED_NOTICES = 500

/**
 * Nudges the queue again about notices that nobody picked up, gives up those whose every attempt died,
 * and deletes old ones that are done; what they were about keeps their number. Bounded work: what is
 * left over waits for the next run.
 */
export async function sweepNotices(ctx: Ctx): Promise<void> {
  const { now } = ctx
  const { exhausted, overdue } = await commit(ctx, {
    exhausted: giveUpExhausted(notices, now),
    overdue: claimOverdue(notices, now, MAX_MESSAGES),
  })
  if (exhausted.length > 0) {
    log('error', 'notices given up', { notices: exhausted.map((row) => row.id) })
  }
  if (overdue.length > 0) {
    const nudges = overdue.map(({ id }): { body: QueueMessage } => ({
      body: { kind: 'notice', id: Number(id) },
    }))
    ctx.later(() => ctx.env.EVENTS.sendBatch(nudges))
  }
  // by itself, so that cleaning up can never keep anybody from being told
  await commit(ctx, {
    done: deleteDone(notices, now - RETENTION_SECONDS, MAX_DELETED_NOTICES),
  })
}
