import { bugs } from '../../../../platform/db/schema/bugs.ts'
import { sql } from '../../../../platform/db/sql.ts'
import { type SearchCondition, testedCondition, UNKNOWN_CONDITION } from '../../condition.ts'
import type { FieldCondition } from '../../expression.ts'
import { kindOf } from '../../operators.ts'
import { parseSearchDate } from '../../relative-dates.ts'
import type { CompileContext } from '../compile-context.ts'
import { type ChangeRows, commentRows, historyRows } from '../history/change-history-rows.ts'

/**
 * Whether the assignee has said or changed something on the bug after a moment: `less` when so, `greater` when
 * not, as far as the caller sees it. Reference: search.md, "Search fields".
 */
export function compileIdleTime(
  { operator, values, source }: FieldCondition,
  context: CompileContext,
): SearchCondition {
  const moment = parseSearchDate(values[0] ?? '', context.now)
  if (moment === null || kindOf(operator) !== 'order') {
    return UNKNOWN_CONDITION
  }
  const hasOneSince = ({ table, bugId, authorId, changedAt, visible, whereTexts }: ChangeRows) =>
    sql`EXISTS (SELECT 1 FROM ${table} WHERE ${bugId} = ${bugs.id}
      AND ${authorId} = ${bugs.assignedToId} AND ${changedAt} > ${moment}
      AND ${visible} AND ${whereTexts(() => sql`1`)})`
  const isActive = sql`(${hasOneSince(commentRows(context))}
    OR ${hasOneSince(historyRows(context, 'perhaps'))})`
  return testedCondition(operator.startsWith('less') ? isActive : sql`NOT ${isActive}`, {
    ...{ looksAt: 'rows', source },
  })
}
