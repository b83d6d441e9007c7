import type { SQL } from 'drizzle-orm'
import { bugs } from '../../../../platform/db/schema/bugs.ts'
import { allOf, flatSelect, jsonList, sql } from '../../../../platform/db/sql.ts'
import { fold } from '../../../../platform/lib/text.ts'
import {
  allConditions,
  costOf,
  knownCondition,
  notCondition,
  ROW,
  SELECTIVITY,
  type SearchCondition,
  testedCondition,
  UNKNOWN_CONDITION,
} from '../../condition.ts'
import type { CompileContext } from '../../context.ts'
import type { FieldCondition, RowCondition } from '../../expression.ts'
import { type ChangeOperator, isChangeOperator, type RowOperator } from '../../operators.ts'
import { parseSearchDate } from '../../relative-dates.ts'
import { compileSingleValue } from '../single-value.ts'
import { SINGLE_VALUE_FIELDS } from '../single-value-fields.ts'
import { allTests, type RowTest, testPerson } from '../value-source.ts'
import {
  type ChangeRows,
  type ChangeTexts,
  changeRowsOf,
  changeSourceOf,
  NO_TEXTS,
} from './change-history-rows.ts'

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
      ? testedCondition(sql`0`, ROW)
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
        return testedCondition(sql`1`, ROW)
      case 'changedbefore':
        return compare('creation_ts', 'lessthaneq')
      case 'changedafter':
        return compare('creation_ts', 'greaterthaneq')
      case 'changedby':
        return compare('reporter', 'equals')
      case 'changedfrom':
      case 'changedto':
        return testedCondition(sql`0`, ROW)
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
): SearchCondition {
  const { table, bugId } = rows
  const matching = matchingRows(withoutIndex(rows), members, context)
  const test = sql`EXISTS (${flatSelect(
    sql`SELECT 1 FROM ${table} WHERE ${bugId} = ${bugs.id} AND ${matching}`,
  )})`
  const cost = costOf('changes', members[0]?.condition.source ?? '', members.length)
  const index = dependsOnBug ? null : indexOf(rows, members)
  if (index === null) {
    return testedCondition(test, cost)
  }
  const found = sql`SELECT ${bugId} FROM ${table} WHERE ${matchingRows(index.rows, members, context)}`
  const indexed = allOf([
    ...(index.isOfField ? [conditionOfField(rows)] : []),
    conditionOf(rows, index.members, context),
  ])
  const isOfAll = index.selectivity === SELECTIVITY.value
  return {
    test,
    cost,
    access: {
      ...{ kind: 'list', selectivity: index.selectivity, ...(isOfAll && { growth: 'tracker' }) },
      select: sql`SELECT ${bugId} FROM ${table} WHERE ${indexed}`,
      matches: found,
    },
  }
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

/** The condition of members that are known to be valid. */
function conditionOf(
  columns: Omit<ChangeColumns, keyof ChangeTexts>,
  members: readonly ChangeCondition[],
  context: CompileContext,
): SQL {
  return testMembers({ ...NO_TEXTS, ...columns }, members, context)?.condition ?? sql`NULL`
}

/** An index that finds changes: the columns that it serves, and the conditions that it decides. */
type ChangeIndex = {
  readonly rows: ChangeRows
  readonly isOfField: boolean
  readonly members: readonly ChangeCondition[]
  readonly selectivity: number
}

/** The changes of one person, or else those of one field; null when no index finds either. */
function indexOf(rows: ChangeRows, members: readonly ChangeCondition[]): ChangeIndex | null {
  const having = (...operators: ChangeOperator[]) =>
    members.filter(
      ({ condition, isNegated }) => !isNegated && operators.includes(condition.operator),
    )
  const authors = having('changedby')
  const times = having('changedafter', 'changedbefore')
  if (authors.length > 0) {
    return {
      rows: withoutIndex(rows, 'field'),
      isOfField: false,
      members: rows.isIndexedByTime.author ? [...authors, ...times] : authors,
      selectivity: SELECTIVITY.person,
    }
  }
  return rows.isIndexedByTime.field
    ? {
        rows: withoutIndex(rows, 'author'),
        isOfField: true,
        members: times,
        selectivity: having('changedafter').length > 0 ? SELECTIVITY.time : SELECTIVITY.value,
      }
    : null
}

function conditionOfField({ field }: ChangeRows): SQL {
  return field === undefined ? sql`1` : field.condition(field.column)
}

/** The same rows, with a plus ahead of columns whose indexes SQLite is not to use. */
function withoutIndex(rows: ChangeRows, column?: 'field' | 'author'): ChangeRows {
  const { field, authorId } = rows
  return {
    ...rows,
    ...(field && column !== 'author' && { field: { ...field, column: sql`+${field.column}` } }),
    ...(column !== 'field' && { authorId: sql`+${authorId}` }),
  }
}

/** A condition on a change of a field; `isNegated` negates it within the change. */
type ChangeCondition = {
  readonly condition: FieldCondition & { readonly operator: ChangeOperator }
  readonly isNegated: boolean
}

/** Those of the conditions that are about changes. */
export function changesOf(members: readonly RowCondition[]): ChangeCondition[] {
  return members.flatMap(({ condition, isNegated }) => {
    const { operator } = condition
    return isChangeOperator(operator) ? [{ condition: { ...condition, operator }, isNegated }] : []
  })
}

/** What the tests of a change look at. */
type ChangeColumns = ChangeTexts & Pick<ChangeRows, 'changedAt' | 'authorId'>

/** For a field without changes, whose conditions may still be unknown. */
const NO_COLUMNS: ChangeColumns = { ...NO_TEXTS, changedAt: sql`NULL`, authorId: sql`NULL` }

/** The test of one change that all members hold; null when one of them is unknown. */
function testMembers(
  columns: ChangeColumns,
  members: readonly ChangeCondition[],
  context: CompileContext,
): RowTest | null {
  return allTests(
    members.map(({ condition, isNegated }) => ({
      test: testChange(columns, condition, context),
      isNegated,
    })),
  )
}

function testChange(
  { changedAt, authorId, removed, added }: ChangeColumns,
  condition: ChangeCondition['condition'],
  context: CompileContext,
): RowTest | null {
  const [value = ''] = condition.values
  switch (condition.operator) {
    case 'everchanged':
      return { condition: sql`1` }
    case 'changedfrom':
      return { condition: testText(removed, condition.values) }
    case 'changedto':
      return { condition: testText(added, condition.values) }
    case 'changedby':
      return testPerson(authorId, 'equals', condition, context)
    case 'changedbefore':
    case 'changedafter': {
      const moment = parseSearchDate(value, context.now)
      const sign = sql.raw(condition.operator === 'changedafter' ? '>=' : '<=')
      return moment === null ? null : { condition: sql`${changedAt} ${sign} ${moment}` }
    }
  }
}

function testText(folded: SQL, values: readonly string[]): SQL {
  const [only = '', ...others] = values
  return others.length === 0
    ? sql`${folded} = ${fold(only)}`
    : sql`${folded} IN ${jsonList(values.map(fold))}`
}

/** Whether a condition is about what was removed or added. */
function isAboutTexts({ condition: { operator } }: ChangeCondition): boolean {
  return operator === 'changedfrom' || operator === 'changedto'
}
