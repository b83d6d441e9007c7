import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../../access/caller.ts'
import { canTrackTime, isInsider } from '../../../access/rights.ts'
import {
  searchableAttachmentCondition,
  visibleBugCondition,
  visibleCommentCondition,
} from '../../../access/visibility.ts'
import { attachments } from '../../../db/schema/attachments.ts'
import { bugs } from '../../../db/schema/bugs.ts'
import { comments } from '../../../db/schema/comments.ts'
import { history } from '../../../db/schema/history.ts'
import { aliasColumns, allOf, sql } from '../../../db/sql.ts'
import { itemBugId, namesBugsCondition, splitItems } from '../../../history/links.ts'
import type { FieldCondition } from '../../expression.ts'
import { kindOf } from '../../operators.ts'
import { parseSearchDate } from '../../relative-dates.ts'
import type { CompileContext } from '../compile-context.ts'
import { type SearchCondition, testedCondition, UNKNOWN_CONDITION } from '../condition.ts'

const other = aliasColumns(bugs, 'other')

/**
 * Whether the assignee has said or changed something on the bug after a moment: `less` when so, `greater` when
 * not, as far as the caller sees it. Reference: search.md, "Search fields".
 */
export function compileIdleTime(
  { operator, values }: FieldCondition,
  { caller, now }: CompileContext,
): SearchCondition {
  const moment = parseSearchDate(values[0] ?? '', now)
  if (moment === null || kindOf(operator) !== 'order') {
    return UNKNOWN_CONDITION
  }
  const isActive = sql`(EXISTS (SELECT 1 FROM comments WHERE ${comments.bugId} = ${bugs.id}
      AND ${comments.authorId} = ${bugs.assignedToId} AND ${comments.createdAt} > ${moment}
      AND ${visibleCommentCondition(caller)})
    OR EXISTS (SELECT 1 FROM history
      JOIN ${splitItems(sql`${history.removed} || ', ' || ${history.added}`)} item
      LEFT JOIN bugs other ON ${other.id} = ${itemBugId('')}
      WHERE ${history.bugId} = ${bugs.id}
      AND ${history.authorId} = ${bugs.assignedToId} AND ${history.changedAt} > ${moment}
      AND ${visibleChangeCondition(caller)}))`
  return testedCondition(operator.startsWith('less') ? isActive : sql`NOT ${isActive}`)
}

function visibleChangeCondition(caller: Caller): SQL {
  return allOf([
    ...(isInsider(caller) ? [] : publicChangeConditions(caller)),
    ...(canTrackTime(caller)
      ? []
      : [
          sql`${history.field} NOT IN ('estimated_time', 'remaining_time', 'work_time', 'deadline')`,
        ]),
    // a change that names hidden bugs alone is hidden itself
    sql`(NOT ${namesBugsCondition()} OR (item.value <> ''
      AND (${other.id} IS NULL OR ${visibleBugCondition(caller, 'other')})))`,
  ])
}

function publicChangeConditions(caller: Caller): SQL[] {
  return [
    sql`${history.field} <> 'longdescs.isprivate'`,
    sql`(${history.attachmentId} IS NULL OR EXISTS (SELECT 1 FROM attachments
      WHERE ${attachments.id} = ${history.attachmentId} AND ${searchableAttachmentCondition(caller)}))`,
    sql`(${history.commentId} IS NULL OR EXISTS (SELECT 1 FROM comments
      WHERE ${comments.id} = ${history.commentId} AND ${visibleCommentCondition(caller)}))`,
  ]
}
