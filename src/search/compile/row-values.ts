import type { SQL } from 'drizzle-orm'
import { bugs } from '../../db/schema/bugs.ts'
import { allOf, sql } from '../../db/sql.ts'
import type { FieldCondition, RowCondition } from '../expression.ts'
import { kindOf, type Operator, positiveForm } from '../operators.ts'
import type { CompileContext } from './compile-context.ts'
import {
  allConditions,
  anyCondition,
  knownCondition,
  notCondition,
  SELECTIVITY,
  type SearchCondition,
  UNKNOWN_CONDITION,
} from './condition.ts'
import type { RowTest } from './people.ts'
import { testSource, type ValueSource } from './value-source.ts'
import { wordsOf } from './value-test.ts'

/** A field of which a bug has any number of values, each in a row of its own. */
export type RowValues = {
  readonly shape: 'rows'
  /** The FROM clause of the rows, and the bug that a row belongs to. */
  readonly from: SQL
  readonly bugId: SQL
  /** The rows that the caller may know of; absent for all. */
  readonly visible?: SQL
  readonly source: ValueSource
  /** Each word of a list may be in another row; else one row has all words. */
  readonly hasWordsApart: boolean
  /** The rows that count as a value for `is empty`; absent for all. */
  readonly present?: SQL
  /** How few bugs an index finds for a value with this operator; absent when it would look at all rows. */
  readonly selectivity?: (operator: Operator, values: readonly string[]) => number | undefined
  /** Rows from an index for texts, instead of those of `from`: a select of the IDs of their bugs. */
  readonly textCandidates?: (operator: Operator, values: readonly string[]) => SQL | undefined
}

/** The condition of a field with several values: some row matches, for a negation none does. */
export function compileRowValues(
  rows: RowValues,
  condition: FieldCondition,
  context: CompileContext,
): SearchCondition {
  const { positive, isNegated } = positiveForm(condition.operator)
  const found =
    rows.hasWordsApart && kindOf(positive) === 'words'
      ? compileWordsApart(rows, positive, condition, context)
      : compileRows(rows, positive, condition, context)
  return isNegated && found !== UNKNOWN_CONDITION ? notCondition(found) : found
}

/** The condition that one row meets all of these conditions, each perhaps negated within the row. */
export function compileSameRow(
  rows: RowValues,
  members: readonly RowCondition[],
  context: CompileContext,
): SearchCondition {
  const tests = members.map(({ condition, isNegated }) => {
    const form = positiveForm(condition.operator)
    const test = testRow(rows, form.positive, condition, context)
    return form.isNegated === isNegated || test === null
      ? test
      : { ...test, condition: sql`NOT coalesce((${test.condition}), 0)` }
  })
  const known = tests.filter((test) => test !== null)
  return known.length < tests.length
    ? UNKNOWN_CONDITION
    : conditionOfRows(rows, {
        condition: allOf(known.map(({ condition }) => condition)),
        dependsOnBug: known.some(({ dependsOnBug }) => dependsOnBug),
        ...isKnownTogether(known),
      })
}

function isKnownTogether(tests: readonly RowTest[]): { isKnown?: SQL } {
  const known = tests.flatMap(({ isKnown }) => isKnown ?? [])
  return known.length === 0 ? {} : { isKnown: allOf(known) }
}

function compileWordsApart(
  rows: RowValues,
  operator: Operator,
  condition: FieldCondition,
  context: CompileContext,
): SearchCondition {
  const members = wordsOf(condition.values).map((word) =>
    compileRows(rows, operator, { ...condition, values: [word] }, context),
  )
  if (members.length === 0) {
    return UNKNOWN_CONDITION
  }
  return operator.startsWith('all') ? allConditions(members) : anyCondition(members)
}

function compileRows(
  rows: RowValues,
  operator: Operator,
  condition: FieldCondition,
  context: CompileContext,
): SearchCondition {
  const test = testRow(rows, operator, condition, context)
  if (test === null) {
    return UNKNOWN_CONDITION
  }
  const selectivity = test.dependsOnBug ? undefined : rows.selectivity?.(operator, condition.values)
  return conditionOfRows(rows, test, selectivity, rows.textCandidates?.(operator, condition.values))
}

function testRow(
  rows: RowValues,
  operator: Operator,
  condition: FieldCondition,
  context: CompileContext,
): RowTest | null {
  return operator === 'isnotempty'
    ? { condition: rows.present ?? sql`1`, dependsOnBug: false }
    : testSource(rows.source, operator, condition, context)
}

function conditionOfRows(
  { from, bugId, visible }: RowValues,
  { condition, dependsOnBug, isKnown }: RowTest,
  selectivity?: number,
  textCandidates?: SQL,
): SearchCondition {
  const matching = sql`${visible ?? sql`1`} AND ${condition}`
  const found = sql`SELECT ${bugId} FROM ${from} WHERE ${matching}`
  const bulkTest = sql`+${bugs.id} IN (${found})`
  const base = {
    test: sql`EXISTS (SELECT 1 FROM ${from} WHERE ${bugId} = ${bugs.id} AND ${matching})`,
    ...(dependsOnBug ? {} : { bulkTest }),
    selectivity: selectivity ?? SELECTIVITY.many,
  }
  return knownCondition(
    isKnown,
    selectivity === undefined || dependsOnBug
      ? base
      : {
          ...base,
          lead: sql`${bugs.id} IN (${textCandidates ?? found})`,
          candidates: textCandidates ?? found,
        },
  )
}
