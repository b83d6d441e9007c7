import * as z from 'zod'
import { bugsById } from '../../platform/access/bug-set.ts'
import { SYSTEM } from '../../platform/access/caller.ts'
import type { Ctx } from '../../platform/context.ts'
import { commit, retryOnConflict } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { codehostDeliveries, codehostPushes } from '../../platform/db/schema/codehost.ts'
import { columnNames, db, jsonRows, newestId, sql } from '../../platform/db/sql.ts'
import { anyone, operation } from '../../platform/http/operations/operation.ts'
import { boolean } from '../../platform/http/operations/shapes.ts'
import { sendMessages } from '../../platform/outbox/messages.ts'
import { recordAnswer, selectAnswer } from './answers.ts'
import { EVENT_FAULTS } from './faults.ts'
import {
  assertStorable,
  composePushComment,
  findBranch,
  groupCommits,
  pushShape,
} from './push-event.ts'
import { type ReceivedEvent, receiveEvent } from './receive.ts'

/** `no-qe-verify` stands in the query, everything else in the signed body. */
const pushInput = z.object({ ...pushShape.shape, 'no-qe-verify': boolean() })

const pushOutput = z.union([
  z.strictObject({
    error: z.literal(0),
    bugs: z.record(z.string(), z.array(z.strictObject({ text: z.string() }))).optional(),
  }),
  z.strictObject({ error: z.literal(1), message: z.string() }),
])

type PushOutput = z.input<typeof pushOutput>
type PushEvent = ReceivedEvent<z.output<typeof pushShape>>

/** Most pushes name no bug: no failure, which a code host would report and send again. */
const NO_BUG: PushOutput = { error: 1, message: 'No commit message names a bug that exists.' }

const PUSHES_COLUMNS = columnNames(
  codehostPushes.deliveryId,
  codehostPushes.bugId,
  codehostPushes.comment,
  codehostPushes.repository,
  codehostPushes.ref,
  codehostPushes.noQeVerify,
  codehostPushes.nextAttemptAt,
)

/**
 * Answers the comments that a push causes, and stores them for the queue, which applies them (`apply.ts`).
 * A delivery that is repeated gets the same answer and has no effect.
 */
export const receivePush = operation(
  {
    method: 'POST',
    path: '/codehost/push_comment',
    summary: 'Comment on the bugs that the commits of a push name, and resolve them',
    reference: 'codehost.md#comment-on-pushes',
    input: pushInput,
    output: pushOutput,
    faults: EVENT_FAULTS,
    requires: anyone,
    scope: 'write',
    credentials: 'ignored',
    isSigned: true,
    inQuery: ['no-qe-verify'],
  },
  async (ctx): Promise<PushOutput> => {
    const received = await receiveEvent(ctx, 'push', pushShape)
    if (received === 'ping') {
      return { error: 0 }
    }
    const branch = findBranch(received.event)
    if (branch === null || received.event.commits.length === 0) {
      return { error: 0, bugs: {} }
    }
    return retryOnConflict(ctx, (ctx) => recordPush(ctx, received, branch))
  },
)

async function recordPush(ctx: Ctx, push: PushEvent, branch: string): Promise<PushOutput> {
  const commits = groupCommits(push.event)
  const { answers, existing } = await readBatch(ctx, {
    answers: selectAnswer(push),
    // the bot comments on hidden bugs, too, and the answer tells only what the sender sent
    existing: db
      .select({ id: bugs.id })
      .from(bugs)
      .where(bugsById(SYSTEM, [...commits.keys()]).condition),
  })
  const [known] = answers ?? []
  if (known !== undefined) {
    return JSON.parse(known.answer) as PushOutput
  }
  const ids = new Set(existing.map(({ id }) => id))
  const prefix = ctx.settings.PUSH_COMMENT_BRANCH_PREFIX ? `[${branch}] ` : ''
  const comments = [...commits]
    .filter(([bugId]) => ids.has(bugId))
    .map(([bugId, own]) => ({ bugId, comment: composePushComment(own, prefix) }))
  if (comments.length === 0) {
    return NO_BUG
  }
  assertStorable(comments)
  const answer = {
    error: 0 as const,
    bugs: Object.fromEntries(comments.map(({ bugId, comment }) => [bugId, [{ text: comment }]])),
  }
  const { pushes } = await commit(ctx, {
    delivery: recordAnswer(ctx, push, sql`${JSON.stringify(answer)}`),
    pushes: insertPushesStatement(ctx, push, comments),
  })
  sendMessages(
    ctx,
    'push',
    pushes.map(({ id }) => Number(id)),
  )
  return answer
}

function insertPushesStatement(
  { now }: Ctx,
  { event, query }: PushEvent,
  comments: readonly { readonly bugId: number; readonly comment: string }[],
) {
  const noQeVerify = boolean().parse(query.get('no-qe-verify') ?? undefined) ?? false
  return sql`INSERT INTO codehost_pushes (${PUSHES_COLUMNS})
    SELECT ${newestId(codehostDeliveries)}, r.value ->> 'bugId', r.value ->> 'comment',
      ${event.repository.full_name}, ${event.ref}, ${noQeVerify ? 1 : 0}, ${now}
    FROM ${jsonRows(comments)} WHERE true RETURNING ${columnNames(codehostPushes.id)}`
}
