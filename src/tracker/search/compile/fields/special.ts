import { bugs } from '../../../../platform/db/schema/bugs.ts'
import { visits } from '../../../../platform/db/schema/visits.ts'
import { aliasColumns, sql } from '../../../../platform/db/sql.ts'
import { anyCondition, costOf, type SearchCondition, UNKNOWN_CONDITION } from '../../condition.ts'
import type { CompileContext } from '../../context.ts'
import type { FieldCondition, PositiveCondition } from '../../expression.ts'
import { kindOfOperator } from '../../operators.ts'
import { parseSearchDate } from '../../relative-dates.ts'
import type { FieldsWith } from '../../search-fields.ts'
import { compileCommentWords, compileContent } from '../content/content.ts'
import { type ChangeRows, commentRows, historyRows } from '../history/change-rows.ts'
import { timeOperand } from '../operand.ts'
import { compileSingleValue, computedValue } from '../single-value.ts'

const w = aliasColumns(visits, 'w')

/** A field with comparisons of its own. */
export type SpecialField = {
  readonly shape: 'special'
  readonly compile: (condition: PositiveCondition, context: CompileContext) => SearchCondition
}

/** Fields about words in all texts, and about what the caller and the assignee did last. */
export const SPECIAL_FIELDS = {
  content: () => ({ shape: 'special', compile: compileContent }),
  comment_words: () => ({ shape: 'special', compile: compileCommentWords }),
  last_visit_ts: () => ({ shape: 'special', compile: compileLastVisit }),
  owner_idle_time: () => ({ shape: 'special', compile: compileIdleTime }),
} as const satisfies FieldsWith<SpecialField>

/** The last change of the bug, in comparisons with the last visit. */
const LAST_CHANGED = '%last_changed%'

/** When the caller last visited the bug; unknown for whom no visits are kept. */
function compileLastVisit(condition: PositiveCondition, context: CompileContext): SearchCondition {
  const { caller } = context
  if (caller.kind !== 'person') {
    return UNKNOWN_CONDITION
  }
  // NULL for no visit, with which nothing compares
  const visit = sql`(SELECT ${w.visitedAt} FROM visits w
    WHERE ${w.userId} = ${caller.id} AND ${w.bugId} = ${bugs.id})`
  const time = timeOperand(visit)
  const ofTime = computedValue(time)
  const { operator } = condition
  const comparesTimes =
    operator === 'equals' || ['list', 'order'].includes(kindOfOperator(operator))
  if (!comparesTimes || !condition.values.includes(LAST_CHANGED)) {
    return compileSingleValue(ofTime, condition, context)
  }
  const value = sql`(${visit} - ${bugs.changedAt})`
  const sinceChange = computedValue({ ...time, kind: 'number', value })
  const times = condition.values.filter((value) => value !== LAST_CHANGED)
  const compiled = [
    compileSingleValue(sinceChange, { ...condition, values: ['0'] }, context),
    compileSingleValue(ofTime, { ...condition, values: times }, context),
  ].filter((one) => one !== UNKNOWN_CONDITION)
  return anyCondition(compiled)
}

/**
 * Whether the assignee has commented or changed something on the bug since a moment, to the knowledge of the
 * caller: `less` if so, `greater` if not.
 */
function compileIdleTime(
  { operator, values, source }: FieldCondition,
  context: CompileContext,
): SearchCondition {
  const moment = parseSearchDate(values[0] ?? '', context.now)
  if (moment === null || kindOfOperator(operator) !== 'order') {
    return UNKNOWN_CONDITION
  }
  const hasOneSince = ({ table, bugId, authorId, changedAt, visible, whereTexts }: ChangeRows) =>
    sql`EXISTS (SELECT 1 FROM ${table} WHERE ${bugId} = ${bugs.id}
      AND ${authorId} = ${bugs.assignedToId} AND ${changedAt} > ${moment}
      AND ${visible} AND ${whereTexts(() => sql`1`)})`
  const isActive = sql`(${hasOneSince(commentRows(context))}
    OR ${hasOneSince(historyRows(context, 'perhaps'))})`
  const test = operator.startsWith('less') ? isActive : sql`NOT ${isActive}`
  return { test, cost: costOf('rows', source, 2) }
}
