import type { SQL } from 'drizzle-orm'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { allOf, flatSelect, sql } from '../../../platform/db/sql.ts'
import {
  type IdList,
  knownCondition,
  SELECTIVITY,
  type SearchCondition,
  type TestCost,
  testedCondition,
  UNKNOWN_CONDITION,
} from '../condition.ts'
import type { CompileContext } from '../context.ts'
import type { FieldCondition, PositiveCondition, RowCondition } from '../expression.ts'
import { isRowOperator, kindOf, type PositiveOperator, type RowOperator } from '../operators.ts'
import { type RowTest, testSource, type ValueSource } from './value-source.ts'

/** A field of which a bug has any number of values, each in a row of its own. */
export type RowValues = {
  readonly shape: 'rows'
  /** The FROM clause of the rows, and the bug that a row belongs to. */
  readonly from: SQL
  readonly bugId: SQL
  /** The rows that the caller may know of; absent for all. */
  readonly visible?: SQL
  readonly source: ValueSource
  /** The rows that count as a value for `is empty`; absent for all. */
  readonly present?: SQL
  /** How few bugs an index finds for a value with this operator; undefined when it would look at all rows. */
  readonly selectivity?: (operator: RowOperator) => number | undefined
  /** How an index for texts finds all bugs that match; perhaps with others. */
  readonly textCandidates?: (operator: RowOperator, values: readonly string[]) => IdList | undefined
  /** `texts` where a test reads long texts. */
  readonly looksAt: 'rows' | 'texts'
}

/** How the bugs with a row are found: by an index of the rows, or by one of their texts. */
type RowAccess = { readonly selectivity: number; readonly candidates?: IdList }

/** For rows that an index finds by what they hold: whole values, and names and people that a text selects. */
export function selectivityOfValues(
  selectivity: number,
): (operator: RowOperator) => number | undefined {
  const kinds = ['text', 'list', 'words', 'pattern']
  return (operator) => (kinds.includes(kindOf(operator)) ? selectivity : undefined)
}

/** For rows that an index finds by whole values alone. */
export function selectivityOfEquality(
  selectivity: number,
): (operator: RowOperator) => number | undefined {
  const operators: readonly RowOperator[] = ['equals', 'anyexact', 'regexp']
  return (operator) => (operators.includes(operator) ? selectivity : undefined)
}

/** The condition of a field with several values, of which some row matches. */
export function compileRowValues(
  rows: RowValues,
  condition: PositiveCondition,
  context: CompileContext,
): SearchCondition {
  const { operator, source, values } = condition
  if (!isRowOperator(operator)) {
    return UNKNOWN_CONDITION
  }
  const test = testRow(rows, operator, condition, context)
  return test === null
    ? UNKNOWN_CONDITION
    : conditionOfRows(rows, test, source, findAccess(rows, operator, values))
}

/** The condition that one row meets all of these conditions, each perhaps negated within the row. */
export function compileSameRow(
  rows: RowValues,
  members: readonly RowCondition<PositiveOperator>[],
  context: CompileContext,
): SearchCondition {
  const tests = members.map(({ condition, isNegated }) => {
    const { operator } = condition
    const test = isRowOperator(operator) ? testRow(rows, operator, condition, context) : null
    return isNegated && test !== null
      ? { ...test, condition: sql`NOT coalesce((${test.condition}), 0)` }
      : test
  })
  const known = tests.filter((test) => test !== null)
  if (known.length < tests.length) {
    return UNKNOWN_CONDITION
  }
  const ways = members.flatMap(({ condition: { operator, values }, isNegated }) =>
    isNegated || !isRowOperator(operator) ? [] : (findAccess(rows, operator, values) ?? []),
  )
  const source = members[0]?.condition.source ?? ''
  const test: RowTest = {
    condition: allOf(known.map(({ condition }) => condition)),
    dependsOnBug: known.some(({ dependsOnBug }) => dependsOnBug),
    ...isKnownTogether(known),
  }
  const [way] = ways.toSorted((a, b) => a.selectivity - b.selectivity)
  return conditionOfRows(rows, test, source, way)
}

function isKnownTogether(tests: readonly RowTest[]): { isKnown?: SQL } {
  const known = tests.flatMap(({ isKnown }) => isKnown ?? [])
  return known.length === 0 ? {} : { isKnown: allOf(known) }
}

function findAccess(
  { selectivity, textCandidates }: RowValues,
  operator: RowOperator,
  values: readonly string[],
): RowAccess | undefined {
  const candidates = textCandidates?.(operator, values)
  const own = candidates === undefined ? selectivity?.(operator) : SELECTIVITY.text
  return own === undefined ? undefined : { selectivity: own, ...(candidates && { candidates }) }
}

function testRow(
  rows: RowValues,
  operator: RowOperator,
  condition: FieldCondition,
  context: CompileContext,
): RowTest | null {
  return operator === 'isnotempty'
    ? { condition: rows.present ?? sql`1`, dependsOnBug: false }
    : testSource(rows.source, operator, condition, context)
}

function conditionOfRows(
  { from, bugId, visible, looksAt }: RowValues,
  { condition, dependsOnBug, isKnown }: RowTest,
  source: string,
  access?: RowAccess,
): SearchCondition {
  const cost: TestCost = { looksAt, source }
  const matching = sql`${visible ?? sql`1`} AND ${condition}`
  const found = sql`SELECT ${bugId} FROM ${from} WHERE ${matching}`
  const test = sql`EXISTS (${flatSelect(
    sql`SELECT 1 FROM ${from} WHERE ${bugId} = ${bugs.id} AND ${matching}`,
  )})`
  if (dependsOnBug) {
    return knownCondition(isKnown, testedCondition(test, cost))
  }
  const { candidates, selectivity } = access ?? {}
  const list: IdList | undefined =
    candidates ??
    (selectivity === undefined
      ? undefined
      : { kind: 'list', selectivity, select: found, matches: found })
  return knownCondition(isKnown, { test, cost, ...(list && { access: list }) })
}
