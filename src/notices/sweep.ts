import type { Ctx } from '../context.ts'
import { commit } from '../db/commit.ts'
import {
  claimOverdueStatement,
  deleteDoneStatement,
  giveUpExhaustedStatement,
} from '../db/outbox.ts'
import { notices } from '../db/schema/notices.ts'
import { log } from '../lib/log.ts'
import type { QueueMessage } from '../queue/messages.ts'

/** The limit of one `sendBatch`. */
const MAX_MESSAGES = 100

const RETENTION_SECONDS = 30 * 86_400
const MAX_DELETED_NOTICES = 500

/**
 * Sends queue messages for overdue notices, gives up notices whose last attempt died, and deletes old ones
 * that are done; history and comments keep their IDs. The work of a run is limited; the rest waits for the
 * next run.
 */
export async function sweepNotices(ctx: Ctx): Promise<void> {
  const { now } = ctx
  const { exhausted, overdue } = await commit(ctx, {
    exhausted: giveUpExhaustedStatement(notices, now),
    overdue: claimOverdueStatement(notices, now, MAX_MESSAGES),
  })
  if (exhausted.length > 0) {
    log('error', 'notices given up', { notices: exhausted.map((row) => row.id) })
  }
  if (overdue.length > 0) {
    const messages = overdue.map(({ id }): { body: QueueMessage } => ({
      body: { kind: 'notice', id: Number(id) },
    }))
    ctx.defer(() => ctx.env.EVENTS.sendBatch(messages))
  }
  // a commit of its own, so that a failed deletion cannot prevent deliveries
  await commit(ctx, {
    done: deleteDoneStatement(notices, now - RETENTION_SECONDS, MAX_DELETED_NOTICES),
  })
}
