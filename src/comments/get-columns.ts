import type { Caller } from '../access/caller.ts'
import { visibleAttachmentCondition, visibleBugCondition } from '../access/visibility.ts'
import { comments } from '../db/schema/comments.ts'
import { sql } from '../db/sql.ts'

/**
 * The columns that `presentComment` needs, over the table `comments`. A comment costs two rows, its own and
 * its author's, and more only with tags, an attachment or another bug. The summary of a hidden attachment
 * and the ID of a hidden bug are null.
 */
export function commentColumns(caller: Caller) {
  return {
    id: comments.id,
    bugId: comments.bugId,
    number: comments.number,
    author: sql<string>`(SELECT u.login FROM users u WHERE u.id = comments.author_id)`.as('author'),
    createdAt: comments.createdAt,
    body: comments.body,
    isPrivate: comments.isPrivate,
    isMarkdown: comments.isMarkdown,
    kind: comments.kind,
    attachmentId: comments.attachmentId,
    attachmentSummary: sql<string | null>`(SELECT attachments.summary FROM attachments
        WHERE attachments.id = comments.attachment_id AND ${visibleAttachmentCondition(caller)})`.as(
      'attachment_summary',
    ),
    relatedBugId: sql<number | null>`(SELECT other.id FROM bugs other
        WHERE other.id = comments.related_bug_id AND ${visibleBugCondition(caller, 'other')})`.as(
      'related_id',
    ),
    // without the CASE, sorting no tags would cost a row
    tags: sql<string>`CASE
      WHEN EXISTS (SELECT 1 FROM comment_tags t WHERE t.comment_id = comments.id)
      THEN (SELECT json_group_array(t.name ORDER BY t.name_fold) FROM comment_tags t
        WHERE t.comment_id = comments.id)
      ELSE '[]' END`.as('tags'),
  }
}
