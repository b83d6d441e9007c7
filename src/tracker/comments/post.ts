import * as z from 'zod'
import {
  type BugRef,
  bugsNamed,
  parseBugRefsToWrite,
  requireVisibleBugs,
  resolveBugs,
} from '../../platform/access/bug-set.ts'
import { canTrackTime, type Person } from '../../platform/access/caller.ts'
import type { Ctx, PersonCtx } from '../../platform/context.ts'
import { commit, type Statement } from '../../platform/db/commit.ts'
import { answerStatements } from '../../platform/db/idempotency.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { jsonList, sql } from '../../platform/db/sql.ts'
import { fault, parameterMissing } from '../../platform/faults/fault.ts'
import { isLargeEdit, runLargeEdit } from '../../platform/http/operations/large-edits.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { boolean, bugNames, names, oneValue, text } from '../../platform/http/operations/shapes.ts'
import { cleanBody, textOfAny } from '../../platform/lib/text.ts'
import { assertEditable, selectUneditable } from '../components/product-access.ts'
import {
  announceNotices,
  noticeOf,
  recordedNotices,
  recordNotice,
} from '../notices/record-notice.ts'
import { postCommentFaults } from './faults.ts'
import { lowerRemainingTimeStatements, parseWorkTime, recordWorkTime } from './hours.ts'
import {
  assertFitsBugs,
  decideMarkdown,
  insertCommentsStatement,
  newestCommentId,
  parseCommentBody,
} from './plan.ts'
import {
  canTag,
  parseTagsOfNewComment,
  selectTagRightIfNeeded,
  tagNewCommentsStatements,
} from './tagging.ts'

export const postCommentInput = z.object({
  id_or_alias: z.string(),
  ids: bugNames(),
  comment: text(),
  is_private: boolean(),
  private: boolean(),
  is_markdown: boolean(),
  work_time: oneValue().meta({ type: 'number' }).optional(),
  comment_tags: names(),
})

/**
 * Adds one comment to the bug of the path and to each of `ids`, all or none, and returns the ID of the
 * first. Tags and hours of callers without the right are ignored.
 */
export const postComment = operation(
  {
    method: 'POST',
    path: '/bug/:id_or_alias/comment',
    makes: '/bug/comment/:id',
    summary: 'Add a comment to bugs',
    reference: 'comments.md#add-a-comment',
    input: postCommentInput,
    output: z.strictObject({ id: z.int() }),
    faults: postCommentFaults,
    requires: loggedIn,
    scope: 'write',
    status: 201,
  },
  async (ctx, input) => {
    const { comment } = input
    if (comment === undefined || cleanBody(comment).trim() === '') {
      throw fault(parameterMissing, { field: 'comment' })
    }
    const refs = parseBugRefsToWrite(input.id_or_alias, input.ids)
    assertFitsBugs(comment, refs.length)
    const add = (again: PersonCtx) => addToAll(again, refs, { ...input, comment })
    return isLargeEdit(refs.length) ? runLargeEdit(ctx, add) : add(ctx)
  },
)

async function addToAll(
  ctx: PersonCtx,
  refs: readonly BugRef[],
  input: z.output<typeof postCommentInput> & { readonly comment: string },
) {
  const person = ctx.caller
  const { ids, right } = await loadCommentableBugs(ctx, person, refs, input.comment_tags)
  const isPrivate = input.is_private ?? input.private ?? false
  const comment = {
    body: parseCommentBody(person, input.comment, isPrivate),
    isPrivate,
    isMarkdown: decideMarkdown(ctx.settings, input.is_markdown, false),
    workTime: canTrackTime(person) ? parseWorkTime(input.work_time) : 0,
  }
  const tags = parseTagsOfNewComment(input.comment_tags, right)
  ctx.noteUnused(listIgnored(person, input, right))
  const event = { kind: 'changed', authorId: person.id, at: ctx.now, isMinor: false } as const
  const bugIds = sql`SELECT value AS bug_id FROM json_each(${JSON.stringify(ids)})`
  const { notices, comments } = await commit(ctx, {
    notices: recordNotice(bugIds, event),
    // each belongs to the notice above, which is how it gets into mails
    comments: insertCommentsStatement(bugIds, comment, person.id),
    tags: tagNewCommentsStatements(bugIds, tags, person.id),
    hours: workTimeStatements(comment.workTime, ids, person.id),
    answer: answerStatements(
      ctx,
      sql`json_object('id', ${newestCommentId(sql`${ids[0] ?? null}`)})`,
    ),
  })
  announceNotices(ctx, recordedNotices(notices))
  return { id: Number(comments.find((row) => row.bug_id === ids[0])?.id) }
}

/** What the caller has given without the right to it. */
function listIgnored(
  person: Person,
  {
    comment_tags = [],
    work_time,
  }: Pick<z.output<typeof postCommentInput>, 'comment_tags' | 'work_time'>,
  right: Parameters<typeof canTag>[0] | undefined,
): string[] {
  const ignoresTags = comment_tags.length > 0 && !(right !== undefined && canTag(right))
  const ignoresHours =
    !canTrackTime(person) && !['', '0'].includes(textOfAny(work_time ?? '').trim())
  return [...(ignoresTags ? ['comment_tags'] : []), ...(ignoresHours ? ['work_time'] : [])]
}

/** The IDs of the bugs, and the caller's right to tag. */
async function loadCommentableBugs(
  ctx: Ctx,
  person: Person,
  refs: readonly BugRef[],
  tags: readonly string[] | undefined,
) {
  const read = await readBatch(ctx, {
    resolved: resolveBugs(ctx.caller, refs),
    right: selectTagRightIfNeeded(person, ctx.settings, tags),
    uneditable: selectUneditable(ctx.caller, bugsNamed(ctx.caller, refs)),
  })
  const ids = requireVisibleBugs(ctx.caller, refs, read.resolved)
  assertEditable(read.uneditable)
  return { ids, right: read.right }
}

/** Records work and lowers the remaining time by it. */
function workTimeStatements(workTime: number, ids: number[], authorId: number): Statement[] {
  if (workTime === 0) {
    return []
  }
  const bugCondition = sql`${bugs.id} IN ${jsonList(ids)}`
  const origin = { authorId, noticeOf }
  return [
    recordWorkTime(bugCondition, workTime, { ...origin, commentOf: newestCommentId }),
    ...lowerRemainingTimeStatements(bugCondition, workTime, origin),
  ]
}
