import { parseBugRef } from '../../platform/access/bug-set.ts'
import type { Person } from '../../platform/access/caller.ts'
import type { Ctx } from '../../platform/context.ts'
import { commit, retryOnConflict } from '../../platform/db/commit.ts'
import { Fault } from '../../platform/faults/fault.ts'
import { log } from '../../platform/lib/log.ts'
import {
  finishStatements,
  OUTBOXES,
  processOutbox,
  type RowRequest,
  type WorkOutcome,
} from '../../platform/outbox/outbox.ts'
import { decideChange } from '../../tracker/bugs/change/decide.ts'
import { partsOfChange } from '../../tracker/bugs/change/write.ts'
import type { NamedValues } from '../../tracker/bugs/model/capability.ts'
import { announceNotices, recordedNotices } from '../../tracker/notices/record-notice.ts'
import { abortIfStateChanged, loadPush, type PushState } from './apply-load.ts'
import { findPushRule } from './push-rules.ts'

/** The flag that asks for a test of the fix. */
const QE_FLAG = 'qe-verify'

/** What a status flag is set to. */
const FIXED_IN_VERSION = 'fixed'

/** The effect of a push on one bug: a row of the outbox under the claim of this worker. */
type ClaimedPush = {
  readonly id: number
  readonly attempts: number
  readonly bugId: number
  readonly comment: string
  readonly repository: string
  readonly ref: string
  readonly noQeVerify: boolean
}

/**
 * Applies the effects of pushes. Each is one commit with the mark that it is done, so that none happens
 * twice.
 */
export function applyPushes(
  ctx: Ctx,
  request: RowRequest,
): Promise<ReadonlyMap<number, WorkOutcome>> {
  return processOutbox(ctx, OUTBOXES.push, request, async (row) => {
    await retryOnConflict(ctx, (ctx) => applyPush(ctx, parsePush(row)))
    return []
  })
}

function parsePush(row: Record<string, unknown>): ClaimedPush {
  return {
    id: Number(row.id),
    attempts: Number(row.attempts),
    bugId: Number(row.bug_id),
    comment: String(row.comment),
    repository: String(row.repository),
    ref: String(row.ref),
    noQeVerify: row.no_qe_verify === 1,
  }
}

/** Does nothing when another worker has taken the row over. */
async function applyPush(ctx: Ctx, push: ClaimedPush): Promise<void> {
  const found = await loadPush(ctx, push, QE_FLAG)
  if (found === undefined) {
    return
  }
  const { bot, state } = found
  const decision = await decideMost(ctx, bot, push, listWishes(ctx, push, state))
  const parts = partsOfChange(decision, { person: bot, now: ctx.now, isMinor: false })
  const rows = await commit(ctx, {
    claim: finishStatements(OUTBOXES.push, push, ctx.now),
    state: abortIfStateChanged(push.bugId, state, QE_FLAG),
    ...parts,
  })
  announceNotices(ctx, recordedNotices(rows.notices ?? []))
}

/** What the push asks of Update Bug beside the comment, each wish only together with those before it. */
function listWishes({ settings }: Ctx, push: ClaimedPush, state: PushState): NamedValues[] {
  if (!state.isOpen || state.isLeftOpen) {
    return []
  }
  const branch = push.ref.replace('refs/heads/', '')
  const { field, milestone } = findPushRule(settings, push.repository, branch) ?? {}
  const verifies = !push.noQeVerify && state.hasFlagType && !state.hasFlag
  return [
    { status: 'RESOLVED', resolution: 'FIXED' },
    ...(verifies ? [{ flags: [{ name: QE_FLAG, status: '+' }] }] : []),
    ...(field === undefined ? [] : [{ [field]: FIXED_IN_VERSION }]),
    ...(milestone === undefined ? [] : [{ target_milestone: milestone }]),
  ]
}

/**
 * Decides the comment and as many of the wishes as the tracker allows: all at once, or else one after the other,
 * because no flag, value or move that does not exist may cost the comment.
 */
async function decideMost(
  ctx: Ctx,
  bot: Person,
  push: ClaimedPush,
  wishes: readonly NamedValues[],
) {
  const refs = [parseBugRef(String(push.bugId))]
  const decide = (input: NamedValues) => decideChange(ctx, bot, refs, input)
  const comment: NamedValues = { comment: { body: push.comment } }
  try {
    return await decide(Object.assign({ ...comment }, ...wishes))
  } catch (error) {
    if (!isRefusal(error) || wishes.length === 0) {
      throw error
    }
  }
  let input = comment
  let decision = await decide(input)
  for (const wish of wishes) {
    try {
      const more = { ...input, ...wish }
      decision = await decide(more)
      input = more
    } catch (error) {
      if (!isRefusal(error)) {
        throw error
      }
      log('info', 'part of a push not applied', { push: push.id, fault: error.kind.name })
      if (wish === wishes[0]) {
        return decision
      }
    }
  }
  return decision
}

function isRefusal(error: unknown): error is Fault {
  return error instanceof Fault && error.status < 500
}
