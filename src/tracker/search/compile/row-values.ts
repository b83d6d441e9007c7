import type { SQL } from 'drizzle-orm'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { allOf, flatSelect, sql } from '../../../platform/db/sql.ts'
import type { FieldCondition, RowCondition } from '../expression.ts'
import { kindOf, type Operator, positiveForm } from '../operators.ts'
import type { CompileContext } from './compile-context.ts'
import {
  allConditions,
  knownCondition,
  notCondition,
  SELECTIVITY,
  type SearchCondition,
  type TextCandidates,
  testedCondition,
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
  /** How few bugs an index finds for a value with this operator; undefined when it would look at all rows. */
  readonly selectivity?: (operator: Operator) => number | undefined
  /** A select of the IDs of all bugs that match, and perhaps others, from an index for texts. */
  readonly textCandidates?: (
    operator: Operator,
    values: readonly string[],
  ) => TextCandidates | undefined
  /** A test reads long texts, so that one statement cannot test all bugs. */
  readonly isCostly?: true
}

/** How the bugs with a row are found: by an index of the rows, or among `candidates`. */
type Access = { readonly selectivity: number; readonly candidates?: TextCandidates }

/** For rows that an index finds by what they hold: whole values, and names and people that a text selects. */
export function selectivityOfValues(
  selectivity: number,
): (operator: Operator) => number | undefined {
  const kinds = ['text', 'list', 'words', 'pattern']
  return (operator) => (kinds.includes(kindOf(operator)) ? selectivity : undefined)
}

/** For rows that an index finds by whole values alone. */
export function selectivityOfEquality(
  selectivity: number,
): (operator: Operator) => number | undefined {
  const operators: readonly Operator[] = ['equals', 'anyexact', 'regexp']
  return (operator) => (operators.includes(operator) ? selectivity : undefined)
}

/** The condition of a field with several values: some row matches, for a negation none does. */
export function compileRowValues(
  rows: RowValues,
  condition: FieldCondition,
  context: CompileContext,
): SearchCondition {
  const { positive, isNegated } = positiveForm(condition.operator)
  const found =
    rows.hasWordsApart && (positive === 'allwords' || positive === 'allwordssubstr')
      ? compileWordsApart(rows, positive, condition, context)
      : compileRows(rows, positive, condition, context)
  if (found === UNKNOWN_CONDITION) {
    return found
  }
  const all = isNegated ? notCondition(found) : found
  return rows.isCostly && all.lead === undefined ? { ...all, costlySource: condition.source } : all
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
  if (known.length < tests.length) {
    return UNKNOWN_CONDITION
  }
  const ways = members.flatMap(({ condition, isNegated }) => {
    const form = positiveForm(condition.operator)
    const isPositive = form.isNegated === isNegated
    return (isPositive && findAccess(rows, form.positive, condition.values)) || []
  })
  const test: RowTest = {
    condition: allOf(known.map(({ condition }) => condition)),
    dependsOnBug: known.some(({ dependsOnBug }) => dependsOnBug),
    ...isKnownTogether(known),
  }
  return conditionOfRows(rows, test, ways.toSorted((a, b) => a.selectivity - b.selectivity)[0])
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
  return members.length === 0 ? UNKNOWN_CONDITION : allConditions(members)
}

function compileRows(
  rows: RowValues,
  operator: Operator,
  condition: FieldCondition,
  context: CompileContext,
): SearchCondition {
  const test = testRow(rows, operator, condition, context)
  return test === null
    ? UNKNOWN_CONDITION
    : conditionOfRows(rows, test, findAccess(rows, operator, condition.values))
}

function findAccess(
  { selectivity, textCandidates }: RowValues,
  operator: Operator,
  values: readonly string[],
): Access | undefined {
  const candidates = textCandidates?.(operator, values)
  const own = candidates === undefined ? selectivity?.(operator) : SELECTIVITY.text
  return own === undefined ? undefined : { selectivity: own, ...(candidates && { candidates }) }
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
  access?: Access,
): SearchCondition {
  const matching = sql`${visible ?? sql`1`} AND ${condition}`
  const found = sql`SELECT ${bugId} FROM ${from} WHERE ${matching}`
  const test = sql`EXISTS (${flatSelect(
    sql`SELECT 1 FROM ${from} WHERE ${bugId} = ${bugs.id} AND ${matching}`,
  )})`
  if (dependsOnBug) {
    return knownCondition(isKnown, testedCondition(test))
  }
  const bulkTest = sql`+${bugs.id} IN (${flatSelect(found)})`
  if (access === undefined) {
    return knownCondition(isKnown, testedCondition(test, bulkTest))
  }
  const { selectivity, candidates } = access
  return knownCondition(
    isKnown,
    candidates === undefined
      ? {
          ...{ test, bulkTest, candidates: found, isExact: true, selectivity },
          lead: sql`${bugs.id} IN (${found})`,
        }
      : {
          test,
          // candidates may be more than what matches
          bulkTest: sql`(+${bugs.id} IN (${candidates.select}) AND ${test})`,
          lead: sql`(${bugs.id} IN (${candidates.select}) AND ${test})`,
          candidates: candidates.select,
          ...(candidates.postings && { postings: candidates.postings }),
          selectivity,
        },
  )
}
