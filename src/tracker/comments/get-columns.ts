import type { Caller } from '../../platform/access/caller.ts'
import {
  visibleAttachmentCondition,
  visibleBugCondition,
} from '../../platform/access/visibility.ts'
import { attachments, bugs, comments, commentTags } from '../../platform/db/schema/bugs.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, sql } from '../../platform/db/sql.ts'
import { pick } from '../../platform/lib/pick.ts'

const u = aliasColumns(users, 'u')
const other = aliasColumns(bugs, 'other')
const t = aliasColumns(commentTags, 't')

/**
 * The columns that `presentComment` needs, over the table `comments`. A comment costs two rows, its own and
 * its author's, and more only with tags, an attachment or another bug. The summary of a hidden attachment
 * and the ID of a hidden bug are null.
 */
export function commentColumns(caller: Caller) {
  return {
    ...pick(comments, 'id', 'bugId', 'number'),
    author:
      sql<string>`(SELECT json_array(${u.id}, ${u.login}, ${u.realName}, ${u.nick}) FROM users u
        WHERE ${u.id} = ${comments.authorId})`.as('author'),
    ...pick(comments, 'createdAt', 'body', 'isPrivate', 'isMarkdown', 'kind', 'attachmentId'),
    attachmentSummary: sql<string | null>`(SELECT ${attachments.summary} FROM attachments
        WHERE ${attachments.id} = ${comments.attachmentId} AND ${visibleAttachmentCondition(caller)})`.as(
      'attachment_summary',
    ),
    relatedBugId: sql<number | null>`(SELECT ${other.id} FROM bugs other
        WHERE ${other.id} = ${comments.relatedBugId} AND ${visibleBugCondition(caller, 'other')})`.as(
      'related_id',
    ),
    // without the CASE, sorting no tags would cost a row
    tags: sql<string>`CASE
      WHEN EXISTS (SELECT 1 FROM comment_tags t WHERE ${t.commentId} = ${comments.id})
      THEN (SELECT json_group_array(${t.name} ORDER BY ${t.nameFold}) FROM comment_tags t
        WHERE ${t.commentId} = ${comments.id})
      ELSE '[]' END`.as('tags'),
  }
}
