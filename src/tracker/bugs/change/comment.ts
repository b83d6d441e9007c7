import * as z from 'zod'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { jsonList, sql } from '../../../platform/db/sql.ts'
import { fault } from '../../../platform/faults/fault.ts'
import {
  boolean,
  clearableText,
  names,
  takeSingle,
} from '../../../platform/http/operations/shapes.ts'
import { parseWorkTime, recordWorkTime } from '../../comments/hours.ts'
import {
  assertFitsBugs,
  decideMarkdown,
  insertCommentsStatement,
  type NewComment,
  newestCommentId,
  parseCommentBody,
} from '../../comments/plan.ts'
import {
  parseTagsOfNewComment,
  selectTagRightIfNeeded,
  tagNewCommentsStatements,
} from '../../comments/tagging.ts'
import {
  type BugDecision,
  type Capability,
  type ChangeRequest,
  type CommentInput,
  capability,
} from '../model/capability.ts'
import { commentBodyMissing } from '../model/faults.ts'

/** The comment comes as its text, or as an object that holds it under one of two names. */
const commentInput = z
  .preprocess(
    (given) => {
      const value = takeSingle(given)
      if (typeof value === 'string' || typeof value === 'number') {
        return { body: value }
      }
      return lacksText(value) ? {} : (value ?? undefined)
    },
    // a misspelled `is_private` must not become a public comment
    z
      .strictObject({
        body: clearableText(),
        comment: clearableText(),
        is_private: boolean(),
        is_markdown: boolean(),
      })
      .optional(),
  )
  .meta({
    type: 'object',
    properties: {
      body: { type: 'string' },
      comment: { type: 'string' },
      is_private: { type: 'boolean' },
      is_markdown: { type: 'boolean' },
    },
  })

/** An object without a text is refused for that, whatever else it has. */
function lacksText(value: unknown): boolean {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && !('body' in value || 'comment' in value)
}

/**
 * The comment that comes with an update, its tags, and the history of the hours worked that it brings.
 */
export const commentCapability: Capability = capability({
  input: { comment: commentInput, comment_tags: names() },

  /** Hours worked and duplicates have a comment, with text or without. */
  isRequestedBy(parameter) {
    return ['work_time', 'dupe_of'].includes(parameter)
  },

  load({ person, settings }, input) {
    return { tagRight: selectTagRightIfNeeded(person, settings, input.comment_tags) }
  },

  assertInput({ input: { comment } }) {
    if (comment !== undefined && comment.body === undefined && comment.comment === undefined) {
      throw fault(commentBodyMissing)
    }
  },

  decideAll(decisions, request) {
    const { input, known, recording } = request
    const newComment = decideComment(decisions, request)
    const tags = parseTagsOfNewComment(input.comment_tags, known.tagRight)
    const isUnused =
      (input.comment_tags ?? []).length > 0 && (newComment === null || tags.length === 0)
    const unused = isUnused ? ['comment_tags'] : []
    if (newComment === null) {
      return { unused }
    }
    const ids = decisions.map(({ bug }) => bug.id)
    const bugIds = sql`SELECT value AS bug_id FROM json_each(${JSON.stringify(ids)})`
    const { workTime = 0 } = newComment
    const onComment = { ...recording, commentOf: newestCommentId }
    return {
      unused,
      touchedBugs: ids,
      parts: {
        comments: [
          insertCommentsStatement(bugIds, newComment, recording.authorId),
          ...tagNewCommentsStatements(bugIds, tags, recording.authorId),
        ],
        workHistory:
          workTime === 0
            ? []
            : [recordWorkTime(sql`${bugs.id} IN ${jsonList(ids)}`, workTime, onComment)],
      },
    }
  },
})

/** The text of the comment that comes with an update. */
export function commentText(comment: CommentInput | undefined): string {
  return comment?.body ?? comment?.comment ?? ''
}

type CommentRequest = ChangeRequest<{
  readonly comment?: CommentInput | undefined
  readonly work_time?: unknown
}>

/** A comment without text is none, unless it brings hours or marks the bug as a duplicate. */
function decideComment(
  decisions: readonly BugDecision[],
  { input, person, settings }: CommentRequest,
): NewComment | null {
  const text = commentText(input.comment)
  const [duplicate] = decisions.flatMap((decision) => decision.duplicate ?? [])
  const workTime = parseWorkTime(input.work_time)
  if (text.trim() === '' && workTime === 0 && duplicate === undefined) {
    return null
  }
  assertFitsBugs(text, decisions.length)
  const isPrivate = input.comment?.is_private ?? false
  return {
    body: parseCommentBody(person, text.trim() === '' ? '' : text, isPrivate),
    isPrivate,
    isMarkdown: decideMarkdown(settings, input.comment?.is_markdown, true),
    workTime,
    ...(duplicate === undefined
      ? {}
      : { kind: 'duplicate_of', relatedBugId: duplicate.originalId }),
  }
}
