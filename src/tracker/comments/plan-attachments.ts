import type { SQL } from 'drizzle-orm'
import type { Statement } from '../../platform/db/commit.ts'
import { comments } from '../../platform/db/schema/bugs.ts'
import { aliasColumns, columnNames, sql } from '../../platform/db/sql.ts'
import { bugChangedAt } from '../history/record.ts'
import { noticeOf } from '../notices/record-notice.ts'

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
  comments.attachmentId,
  comments.noticeId,
)

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
      t.attachment_id, ${noticeOf(sql`t.bug_id`)}
    FROM (${attachments}) t`
}
