import type { SQL } from 'drizzle-orm'
import { ANONYMOUS, type Caller } from '../../../access/caller.ts'
import { canTrackTime, isInsider } from '../../../access/rights.ts'
import { visibleBugCondition, visibleCommentCondition } from '../../../access/visibility.ts'
import { bugs } from '../../../db/schema/bugs.ts'
import { comments } from '../../../db/schema/comments.ts'
import { history } from '../../../db/schema/history.ts'
import { aliasColumns, allOf, sql } from '../../../db/sql.ts'
import { itemBugId, namesBugsCondition, splitItems } from '../../../history/links.ts'
import { visibleRowConditions } from '../../../history/visibility.ts'
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
  { caller, now, baseUrl }: CompileContext,
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
      LEFT JOIN bugs other ON ${other.id} = ${itemBugId(baseUrl)}
      WHERE ${history.bugId} = ${bugs.id}
      AND ${history.authorId} = ${bugs.assignedToId} AND ${history.changedAt} > ${moment}
      AND ${visibleChangeCondition(caller)}))`
  return testedCondition(operator.startsWith('less') ? isActive : sql`NOT ${isActive}`)
}

/** Like those of a search for changes: private attachments and deadlines are hidden beyond what history hides. */
function visibleChangeCondition(caller: Caller): SQL {
  return allOf([
    ...visibleRowConditions(caller, isInsider(caller) ? caller : ANONYMOUS),
    ...(canTrackTime(caller) ? [] : [sql`${history.field} <> 'deadline'`]),
    // a change that names hidden bugs alone is hidden itself
    sql`(NOT ${namesBugsCondition()} OR (item.value <> ''
      AND (${other.id} IS NULL OR ${visibleBugCondition(caller, 'other')})))`,
  ])
}
