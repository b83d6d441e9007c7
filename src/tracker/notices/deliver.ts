import type { Ctx } from '../../platform/context.ts'
import type { Statement } from '../../platform/db/commit.ts'
import { noticeMails } from '../../platform/db/schema/notices.ts'
import { sql } from '../../platform/db/sql.ts'
import { fold } from '../../platform/lib/text.ts'
import { RefusedMailError, UnsentMailError } from '../../platform/mail/outcome.ts'
import { isMailEnabled } from '../../platform/mail/send.ts'
import { UnfinishedWork } from '../../platform/outbox/errors.ts'
import {
  OUTBOXES,
  processOutboxTogether,
  type RowRequest,
  type WorkOutcome,
} from '../../platform/outbox/outbox.ts'
import { parseLoginList } from './involved.ts'
import { loadParts } from './load-changes.ts'
import { countSettled, type MailingResult, recordMailsStatement, startMailing } from './mailing.ts'
import type { Notice } from './types.ts'

/**
 * Sends the mails of notices, at least once, and returns the outcome of each notice. Notices that are leased to
 * another worker or delivered already are skipped. All of them together take three round trips, and one more where
 * comments that are sent as HTML refer to bugs, unless they concern very many people, or sending lasts long or fails.
 * `onClaimed` gets the IDs of all others ahead of the mails, for the deliveries of webhooks, and returns those with
 * which it has to go on, ahead of their mails; when it fails, they are retried.
 */
export function deliverNotices(
  ctx: Ctx,
  request: RowRequest,
  onClaimed: (noticeIds: readonly number[]) => Promise<ReadonlySet<number>> = async () => new Set(),
): Promise<ReadonlyMap<number, WorkOutcome>> {
  return processOutboxTogether(ctx, OUTBOXES.notice, request, async (rows) => {
    const unfinished = await onClaimed(rows.map(({ id }) => Number(id)))
    const ready = rows.map(parseNotice).filter(({ id }) => !unfinished.has(id))
    const results = await mailNotices(ctx, ready)
    return async (row) => {
      const id = Number(row.id)
      if (unfinished.has(id)) {
        throw new UnfinishedWork('webhooks are still to be told')
      }
      return finishNotice(id, row.attempts === 1, await results.get(id))
    }
  })
}

/** Begins to send the mails of those notices that anybody may get mail about. */
async function mailNotices(
  ctx: Ctx,
  claimed: readonly Notice[],
): Promise<ReadonlyMap<number, Promise<MailingResult>>> {
  const mailed = isMailEnabled(ctx) ? claimed.filter(({ isMinor }) => !isMinor) : []
  if (mailed.length === 0) {
    return new Map()
  }
  const silent = new Set(parseLoginList(ctx.settings.SILENT_USERS))
  const parts = loadParts(ctx, mailed)
  // a failure of the first part is one of all notices, before any mail
  const first = await parts.next()
  return startMailing(
    ctx,
    mailed.map(({ id }) => id),
    async function* () {
      if (first.done !== true) {
        yield first.value
        yield* parts
      }
    },
    ({ bug }) => !silent.has(fold(bug.author)),
  )
}

/**
 * Returns statements for the commit that marks the notice as done; throws when mails are left to send, or were
 * refused for good in this attempt or an earlier one.
 */
function finishNotice(
  id: number,
  isFirst: boolean,
  result: MailingResult | undefined,
): Statement[] {
  const { mailCount, settled, refusedBefore, isRecorded, isComplete } = result ?? NOTHING_MAILED
  const unsentCount = mailCount - countSettled(settled)
  const refusedCount = refusedBefore + settled.refusedIds.length
  if (unsentCount > 0) {
    throw new UnsentMailError(`${unsentCount} of ${mailCount} mails were not accepted`, [
      recordMailsStatement(id, settled),
    ])
  }
  if (!isComplete) {
    throw new UnfinishedWork('mails are still to be sent', [recordMailsStatement(id, settled)])
  }
  if (refusedCount > 0) {
    throw new RefusedMailError(`mails refused for good: ${refusedCount}`, [
      recordMailsStatement(id, settled),
    ])
  }
  return isFirst && !isRecorded
    ? []
    : [sql`DELETE FROM notice_mails WHERE ${noticeMails.noticeId} = ${id}`]
}

const NOTHING_MAILED: MailingResult = {
  mailCount: 0,
  settled: { acceptedIds: [], refusedIds: [] },
  refusedBefore: 0,
  isRecorded: false,
  isComplete: true,
}

function parseNotice(row: Readonly<Record<string, unknown>>): Notice {
  return {
    id: Number(row.id),
    bugId: Number(row.bug_id),
    authorId: Number(row.author_id),
    kind: row.kind as Notice['kind'],
    happenedAt: Number(row.happened_at),
    isMinor: row.is_minor === 1,
  }
}
