import type { SQL } from 'drizzle-orm'
import { bugs, history } from '../../../../platform/db/schema/bugs.ts'
import { allOf, flatSelect, sql, unionOf } from '../../../../platform/db/sql.ts'
import {
  allConditions,
  costOf,
  type IdList,
  knownCondition,
  type ListedCondition,
  notCondition,
  ROW,
  SELECTIVITY,
  type SearchCondition,
  UNKNOWN_CONDITION,
} from '../../condition.ts'
import type { CompileContext } from '../../context.ts'
import type { RowCondition } from '../../expression.ts'
import type { RowOperator } from '../../operators.ts'
import { compileSingleValue } from '../single-value.ts'
import { SINGLE_VALUE_FIELDS } from '../single-value-fields.ts'
import { indexOf } from './change-indexes.ts'
import {
  type ChangeCondition,
  type ChangeRows,
  changeRowsOf,
  changeSourceOf,
  changesOf,
  conditionOf,
  conditionOfField,
  isAboutTexts,
  NO_COLUMNS,
  testMembers,
  withoutIndex,
} from './change-rows.ts'

/**
 * The condition that one and the same change of a field meets all of these conditions, each perhaps
 * negated within the change; they name the same field.
 */
export function compileChanges(
  conditions: readonly RowCondition[],
  context: CompileContext,
): SearchCondition {
  const members = changesOf(conditions)
  const source = changeSourceOf(members[0]?.condition.field ?? '', context.configuration)
  if (source.kind === 'creation') {
    return allConditions(members.map((member) => compileCreation(member, context)))
  }
  const test = testMembers(NO_COLUMNS, members, context)
  if (test === null) {
    return UNKNOWN_CONDITION
  }
  const rows = changeRowsOf(source, context)
  return knownCondition(
    test.isKnown,
    rows === null
      ? { test: sql`0`, cost: ROW }
      : conditionOfChanges(rows, members, context, test.dependsOnBug),
  )
}

/** The filing of a bug as its only change, by its reporter. */
function compileCreation(
  { condition, isNegated }: ChangeCondition,
  context: CompileContext,
): SearchCondition {
  const { operator } = condition
  const compare = (field: 'creation_ts' | 'reporter', by: RowOperator) =>
    compileSingleValue(SINGLE_VALUE_FIELDS[field](), { ...condition, field, operator: by }, context)
  const compileOne = () => {
    switch (operator) {
      case 'everchanged':
        return { test: sql`1`, cost: ROW }
      case 'changedbefore':
        return compare('creation_ts', 'lessthaneq')
      case 'changedafter':
        return compare('creation_ts', 'greaterthaneq')
      case 'changedby':
        return compare('reporter', 'equals')
      case 'changedfrom':
      case 'changedto':
        return { test: sql`0`, cost: ROW }
    }
  }
  return isNegated ? notCondition(compileOne()) : compileOne()
}

/** The condition that a bug has such a change, in all forms. */
function conditionOfChanges(
  rows: ChangeRows,
  members: readonly ChangeCondition[],
  context: CompileContext,
  dependsOnBug = false,
): ListedCondition {
  const { table, bugId } = rows
  const tested = withoutIndex(rows)
  const test = sql`EXISTS (${flatSelect(
    sql`SELECT 1 FROM ${table} WHERE ${bugId} = ${bugs.id} AND ${matchingRows(tested, members, context)}`,
  )})`
  const cost = costOf('changes', members[0]?.condition.source ?? '', members.length)
  const index = dependsOnBug ? null : indexOf(rows, members, context)
  if (index === null) {
    return { test, cost }
  }
  const { finds, decides, selectivity } = index
  const left = members.filter((member) => !decides.includes(member))
  const { field, ...ofField } = tested
  const matching = matchingRows(index.isOfField ? ofField : tested, left, context)
  const select = (what: SQL, where: SQL) => sql`SELECT ${what} FROM ${table} WHERE ${where}`
  const [first = sql`0`] = finds
  const found =
    finds.length === 1
      ? first
      : sql`${history.id} IN (${unionOf(finds.map((each) => select(sql`${history.id}`, each)))})`
  const access: IdList = {
    kind: 'list',
    selectivity,
    select: select(bugId, found),
    matches: select(bugId, sql`${found} AND ${matching}`),
    ...(selectivity === SELECTIVITY.value && { growth: 'tracker' }),
    ...(index.isCounted && { postings: unionOf(finds.map((each) => select(sql`1`, each))) }),
  }
  return { test, cost, access }
}

/** The condition on rows that they are changes of the field which meet all members. */
function matchingRows(
  rows: ChangeRows,
  members: readonly ChangeCondition[],
  context: CompileContext,
): SQL {
  const aboutTexts = members.filter(isAboutTexts)
  const others = members.filter((member) => !isAboutTexts(member))
  return allOf([
    conditionOfField(rows),
    conditionOf(rows, others, context),
    rows.visible,
    rows.whereTexts((texts) => conditionOf({ ...NO_COLUMNS, ...texts }, aboutTexts, context)),
  ])
}
