import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { changeKey, hasListCondition, history } from '../../../../platform/db/schema/bugs.ts'
import { aliasColumns, allOf, sql } from '../../../../platform/db/sql.ts'
import { fold } from '../../../../platform/lib/text.ts'
import { selectLinkingFields } from '../../../history/links.ts'
import { SELECTIVITY } from '../../condition.ts'
import type { CompileContext } from '../../context.ts'
import type { ChangeOperator } from '../../operators.ts'
import {
  type ChangeCondition,
  type ChangeRows,
  conditionOf,
  conditionOfField,
} from './change-rows.ts'

const h = aliasColumns(history, 'h')

/** An index that finds changes: what it finds, and which conditions need no test behind it. */
type ChangeIndex = {
  /** Each finds some of them. */
  readonly finds: readonly SQL[]
  readonly isOfField: boolean
  readonly decides: readonly ChangeCondition[]
  readonly selectivity: number
  /** Whether the index alone tells how many it finds. */
  readonly isCounted: boolean
}

/** The changes of one person, or from or to a value, or else those of one field; null when no index finds any. */
export function indexOf(
  rows: ChangeRows,
  members: readonly ChangeCondition[],
  context: CompileContext,
): ChangeIndex | null {
  const having = (...operators: ChangeOperator[]) =>
    members.filter(
      ({ condition, isNegated }) => !isNegated && operators.includes(condition.operator),
    )
  const authors = having('changedby')
  const times = having('changedafter', 'changedbefore')
  const isOfHistory = rows.namesBugs !== undefined
  const isOfField = isOfHistory && rows.field !== undefined
  if (authors.length > 0) {
    const decides = isOfHistory ? [...authors, ...times] : authors
    return {
      finds: [
        allOf([
          ...(isOfHistory ? conditionsOnNames(rows, times) : []),
          conditionOf(rows, decides, context),
        ]),
      ],
      isOfField,
      decides,
      selectivity: SELECTIVITY.person,
      isCounted: isOfHistory,
    }
  }
  const value = [...having('changedto'), ...having('changedfrom')].find(({ condition }) =>
    isIndexed(condition, rows),
  )
  if (value !== undefined) {
    const isAdded = value.condition.operator === 'changedto'
    const decides = isAdded ? times : []
    const found = findValues(isAdded ? history.addedFold : history.removedFold, value)
    const others = [
      ...(isOfField ? [conditionOfField(rows)] : []),
      conditionOf(rows, decides, context),
    ]
    return {
      finds: [allOf([found, ...others]), ...conditionsOnLists(rows, others)],
      isOfField,
      decides,
      selectivity: SELECTIVITY.change,
      isCounted: true,
    }
  }
  const isRecent = having('changedafter').length > 0
  return isOfField || (isOfHistory && isRecent)
    ? {
        finds: [allOf([...conditionsOnNames(rows, times), conditionOf(rows, times, context)])],
        isOfField,
        decides: times,
        isCounted: isRecent,
        selectivity: isRecent ? SELECTIVITY.time : SELECTIVITY.value,
      }
    : null
}

/** Whether the index has all of these values: what is left of a list when others are hidden may be empty. */
function isIndexed({ operator, values }: ChangeCondition['condition'], rows: ChangeRows): boolean {
  const { namesBugs } = rows
  const hasEmpty = namesBugs === false && operator === 'changedto'
  return namesBugs !== undefined && (hasEmpty || !values.map(fold).includes(''))
}

function findValues(side: SQLiteColumn, { condition }: ChangeCondition): SQL {
  const keys = sql`SELECT ${changeKey(sql`value`)} FROM json_each(${JSON.stringify(condition.values.map(fold))})`
  return side === history.removedFold
    ? sql`${side} <> '' AND ${changeKey(side)} IN (${keys})`
    : sql`${changeKey(side)} IN (${keys})`
}

/** Lists of bugs, of which the caller may know other items than the value has. */
function conditionsOnLists({ namesBugs }: ChangeRows, others: readonly SQL[]): SQL[] {
  if (namesBugs === false) {
    return []
  }
  const ofLinks = namesBugs === true ? [] : [sql`${history.field} IN (${selectLinkingFields()})`]
  return [allOf([hasListCondition(history), ...ofLinks, ...others])]
}

/** The condition that an index serves ahead of times: one name, or every name that there is. */
function conditionsOnNames(rows: ChangeRows, times: readonly ChangeCondition[]): SQL[] {
  if (rows.field !== undefined) {
    return [conditionOfField(rows)]
  }
  return times.length === 0 ? [] : [sql`${history.field} IN (${selectRecordedFields()})`]
}

/** Selects the names of all fields that have a history; it reads two rows of an index for each. */
function selectRecordedFields(): SQL {
  return sql`SELECT name FROM (WITH RECURSIVE recorded(name) AS (SELECT min(${h.field}) FROM history h
    UNION ALL SELECT (SELECT min(${h.field}) FROM history h WHERE ${h.field} > recorded.name)
      FROM recorded WHERE recorded.name IS NOT NULL)
    SELECT name FROM recorded WHERE name IS NOT NULL)`
}
