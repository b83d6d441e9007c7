import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../platform/access/caller.ts'
import { maySetPrivacy } from '../../platform/access/privacy.ts'
import type { Statement } from '../../platform/db/commit.ts'
import { comments } from '../../platform/db/schema/bugs.ts'
import { aliasColumns, columnNames, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { cleanBody, lengthOf } from '../../platform/lib/text.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { bugChangedAt } from '../history/record.ts'
import { noticeOf } from '../notices/record-notice.ts'
import { commentsTooLong, commentTooLong, markdownDisabled, privacyDenied } from './faults.ts'

const c = aliasColumns(comments, 'c')

const COMMENTS_COLUMNS = columnNames(
  comments.bugId,
  comments.number,
  comments.authorId,
  comments.createdAt,
  comments.body,
  comments.isPrivate,
  comments.isMarkdown,
  comments.kind,
  comments.relatedBugId,
  comments.workTime,
  comments.attachmentId,
  comments.noticeId,
)

/** Characters of a comment. */
export const MAX_COMMENT_LENGTH = 65_535

/** Bytes of the comments that one request adds, which the database stores within 0.1 s. */
const MAX_BYTES_TOGETHER = 4_000_000

/** Throws a fault for a text that is too long to stand on so many bugs. */
export function assertFitsBugs(text: string, bugs: number): void {
  const most = Math.floor(MAX_BYTES_TOGETHER / bugs)
  // a character has up to three bytes for each of its units
  if (text.length * 3 > most && new TextEncoder().encode(text).length > most) {
    throw fault(commentsTooLong, { bugs, most })
  }
}

/** A comment before it is inserted. */
export type NewComment = {
  readonly body: string
  readonly isPrivate: boolean
  readonly isMarkdown: boolean
  /** Hours worked; 0 for none. */
  readonly workTime?: number
  /** What the comment says beside its text; 'plain' by default. */
  readonly kind?: 'plain' | 'duplicate_of' | 'has_duplicate'
  /** The other bug of a duplicate pair. */
  readonly relatedBugId?: number
}

export function parseCommentBody(caller: Caller, text: string, isPrivate: boolean): string {
  if (!maySetPrivacy(caller, false, isPrivate)) {
    throw fault(privacyDenied)
  }
  const body = cleanBody(text)
  if (lengthOf(body) > MAX_COMMENT_LENGTH) {
    throw fault(commentTooLong, { most: MAX_COMMENT_LENGTH })
  }
  return body
}

/**
 * Decides whether a comment is Markdown: as `isRequested` says, or else `isDefault`; never when Markdown is disabled.
 */
export function decideMarkdown(
  { USE_MARKDOWN }: Settings,
  isRequested: boolean | undefined,
  isDefault: boolean,
): boolean {
  if (isRequested && !USE_MARKDOWN) {
    throw fault(markdownDisabled)
  }
  return USE_MARKDOWN && (isRequested ?? isDefault)
}

/**
 * Inserts one comment on each bug of `bugIds`, a select of `bug_id`, and returns `id` and `bug_id` of the new
 * comments. The statement stands behind `recordNotice`.
 */
export function insertCommentsStatement(
  bugIds: SQL,
  comment: NewComment,
  authorId: number,
): Statement {
  const { body, isPrivate, isMarkdown, workTime = 0, kind = 'plain', relatedBugId = null } = comment
  return sql`INSERT INTO comments (${COMMENTS_COLUMNS})
    SELECT t.bug_id,
      (SELECT coalesce(max(${c.number}), -1) + 1 FROM comments c WHERE ${c.bugId} = t.bug_id),
      ${authorId}, ${bugChangedAt(sql`t.bug_id`)}, ${body}, ${isPrivate}, ${isMarkdown}, ${kind},
      ${relatedBugId}, ${workTime}, NULL, ${noticeOf(sql`t.bug_id`)}
    FROM (${bugIds}) t RETURNING ${columnNames(comments.id, comments.bugId)}`
}

/** A comment about attachments. The body may be empty: the first line is composed when it is read. */
type AttachmentComment = {
  readonly kind: 'attachment_created' | 'attachment_updated'
  readonly body: string
  readonly isMarkdown: boolean
}

/**
 * Inserts one comment for each row of `attachments`, a select of `attachment_id`, `bug_id` and
 * `is_private`. It is private if the attachment is. The statement stands behind `recordNotice`.
 */
export function insertAttachmentCommentsStatement(
  attachments: SQL,
  { kind, body, isMarkdown }: AttachmentComment,
  authorId: number,
): Statement {
  return sql`INSERT INTO comments (${COMMENTS_COLUMNS})
    SELECT t.bug_id,
      (SELECT coalesce(max(${c.number}), -1) FROM comments c WHERE ${c.bugId} = t.bug_id)
        + row_number() OVER (PARTITION BY t.bug_id ORDER BY t.attachment_id),
      ${authorId}, ${bugChangedAt(sql`t.bug_id`)}, ${body}, t.is_private, ${isMarkdown}, ${kind},
      NULL, 0, t.attachment_id, ${noticeOf(sql`t.bug_id`)}
    FROM (${attachments}) t`
}

/**
 * A select of `comment_id`, the newest comment of each bug: in the same commit behind
 * `insertCommentsStatement`, the comments that it inserted.
 */
export function selectNewestComments(bugIds: SQL): SQL {
  return sql`SELECT ${newestCommentId(sql`n.bug_id`)} AS comment_id FROM (${bugIds}) n`
}

export function newestCommentId(column: SQL): SQL {
  return sql`(SELECT ${c.id} FROM comments c WHERE ${c.bugId} = ${column} ORDER BY ${c.number} DESC LIMIT 1)`
}
