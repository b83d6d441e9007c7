import type { SQL } from 'drizzle-orm'
import type { Caller } from '../access/caller.ts'
import { isInsider } from '../access/rights.ts'
import type { Statement } from '../db/commit.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { momentOf } from '../history/record.ts'
import { cleanBody, lengthOf } from '../lib/text.ts'
import { noticeOf } from '../notices/record-notice.ts'
import type { Settings } from '../settings.ts'

/** The longest comment, in characters. Contract "Limits". */
export const MAX_COMMENT_LENGTH = 65_535

/** A comment that somebody wants to add. */
export type NewComment = {
  readonly body: string
  readonly isPrivate: boolean
  readonly isMarkdown: boolean
  /** Hours worked; 0 for none. */
  readonly workTime?: number
  /** What it says beside its text; nothing when absent. */
  readonly kind?: 'plain' | 'duplicate_of' | 'has_duplicate'
  /** The other bug of a duplicate pair. */
  readonly relatedBugId?: number
}

/**
 * The text as it is stored. Faults of the contract's Create Comment: 114 when it is too long, 113 when
 * it is to be private and the caller is no insider.
 */
export function parseCommentBody(caller: Caller, text: string, isPrivate: boolean): string {
  if (isPrivate && !isInsider(caller)) {
    throw fault('privacyDenied')
  }
  const body = cleanBody(text)
  if (lengthOf(body) > MAX_COMMENT_LENGTH) {
    throw fault('commentTooLong', { most: MAX_COMMENT_LENGTH })
  }
  return body
}

/**
 * Whether a comment is Markdown: what was asked for, or else `usual`; nothing is while Markdown is switched
 * off. Fault 140 of the contract's Create Comment when it is asked for then.
 */
export function decideMarkdown(
  { USE_MARKDOWN }: Settings,
  asked: boolean | undefined,
  usual: boolean,
): boolean {
  if (asked && !USE_MARKDOWN) {
    throw fault('markdownDisabled')
  }
  return USE_MARKDOWN && (asked ?? usual)
}

/**
 * Adds one comment to each bug that `bugIds`, a select of one column named `bug_id`, answers: for the
 * commit of a verb that has announced the change. Returns `id` and `bug_id` of the new comments.
 */
export function insertCommentsStatement(
  bugIds: SQL,
  comment: NewComment,
  authorId: number,
): Statement {
  const { body, isPrivate, isMarkdown, workTime = 0, kind = 'plain', relatedBugId = null } = comment
  return sql`INSERT INTO comments (bug_id, number, author_id, created_at, body, is_private, is_markdown,
      kind, related_bug_id, work_time, notice_id)
    SELECT t.bug_id,
      (SELECT coalesce(max(c.number), -1) + 1 FROM comments c WHERE c.bug_id = t.bug_id),
      ${authorId}, ${momentOf(sql`t.bug_id`)}, ${body}, ${isPrivate}, ${isMarkdown}, ${kind},
      ${relatedBugId}, ${workTime}, ${noticeOf(sql`t.bug_id`)}
    FROM (${bugIds}) t RETURNING id, bug_id`
}

/**
 * The comment that was added last to each of the bugs, one column named `comment_id`: for what stands
 * behind `addComments` in the same commit, such as `giveTags`.
 */
export function selectNewestComments(bugIds: SQL): SQL {
  return sql`SELECT ${newestCommentId(sql`n.bug_id`)} AS comment_id FROM (${bugIds}) n`
}

/** The same for the one bug whose ID is in `column`. */
export function newestCommentId(column: SQL): SQL {
  return sql`(SELECT c.id FROM comments c WHERE c.bug_id = ${column} ORDER BY c.number DESC LIMIT 1)`
}
