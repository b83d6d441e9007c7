import type { SQL } from 'drizzle-orm'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { flatSelect, sql } from '../../../platform/db/sql.ts'
import {
  costOf,
  type IdList,
  knownCondition,
  SELECTIVITY,
  type SearchCondition,
  UNKNOWN_CONDITION,
} from '../condition.ts'
import type { CompileContext } from '../context.ts'
import type { FieldCondition, RowCondition } from '../expression.ts'
import {
  comparesWhole,
  isRowOperator,
  kindOfOperator,
  type PositiveOperator,
  type RowOperator,
} from '../operators.ts'
import { indexedColumn, type SingleValue } from './single-value.ts'
import { allTests, type RowTest, testSource, type ValueSource } from './value-source.ts'
import { countLooks } from './value-test.ts'

/** A field of which a bug has any number of values, each in a row of its own. */
export type RowValues = {
  readonly shape: 'rows'
  /** The FROM clause of the rows, and the bug that a row belongs to. */
  readonly from: SQL
  readonly bugId: SQL
  /** The FROM clause for the rows of one bug, where that of all would be read by their values. */
  readonly fromOfBug?: SQL
  /** The rows that the caller may see; absent for all. */
  readonly visible?: SQL
  readonly source: ValueSource
  /** The rows that count as a value for `is empty`; absent for all. */
  readonly present?: SQL
  /**
   * How few bugs an index finds for a value; absent when it would look at all rows. A function where other operators
   * than those of the source have an index.
   */
  readonly selectivity?: number | ((operator: RowOperator) => number | undefined)
  /** How an index for texts finds all bugs that match; perhaps with others. */
  readonly textCandidates?: (
    operator: RowOperator,
    values: readonly string[],
    row?: SoughtRow,
  ) => IdList | undefined
  /** Where a test reads long texts. */
  readonly looksAt?: 'texts'
}

/** Where the values of a field come from, in a form that an index of `bugs` may serve. */
export function sourceOfShape(shape: SingleValue | RowValues): ValueSource {
  return shape.shape === 'single' ? shape.source(indexedColumn) : shape.source
}

/** The condition that a row meets where it makes a match, and what it says. */
export type SoughtRow = {
  readonly condition: SQL
  /** Whether it says nothing but the operator. */
  readonly isAlone: boolean
  readonly comparisons: number
}

/** The condition that one row meets all of these conditions, each perhaps negated within the row. */
export function compileRowValues(
  rows: RowValues,
  members: readonly RowCondition<PositiveOperator>[],
  context: CompileContext,
): SearchCondition {
  const row = allTests(
    members.map(({ condition, isNegated }) => ({
      test: testRow(rows, condition.operator, condition, context),
      isNegated,
    })),
  )
  if (row === null) {
    return UNKNOWN_CONDITION
  }
  const { from, bugId, fromOfBug = from, visible = sql`1`, looksAt = 'rows' } = rows
  const matching = sql`${visible} AND ${row.condition}`
  const test = sql`EXISTS (${flatSelect(
    sql`SELECT 1 FROM ${fromOfBug} WHERE ${bugId} = ${bugs.id} AND ${matching}`,
  )})`
  const looks = members.reduce((sum, { condition }) => sum + countLooks(condition), 0)
  const cost = costOf(looksAt, members[0]?.condition.source ?? '', looks)
  const sought = { condition: matching, isAlone: members.length === 1, comparisons: looks }
  const lists = row.dependsOnBug
    ? []
    : members
        .filter(({ isNegated }) => !isNegated)
        .flatMap((member) => listOfRow(rows, member, sought) ?? [])
  const [access] = lists.toSorted((a, b) => a.selectivity - b.selectivity)
  return knownCondition(row.isKnown, { test, cost, ...(access && { access }) })
}

function testRow(
  { present = sql`1`, source }: RowValues,
  operator: PositiveOperator,
  condition: FieldCondition,
  context: CompileContext,
): RowTest | null {
  if (operator === 'isnotempty') {
    return { condition: present }
  }
  return isRowOperator(operator) ? testSource(source, operator, condition, context) : null
}

/** How the bugs with a row are found: by an index of the rows, or by one of their texts. */
function listOfRow(
  rows: RowValues,
  { condition: { operator, values } }: RowCondition<PositiveOperator>,
  sought: SoughtRow,
): IdList | undefined {
  if (!isRowOperator(operator)) {
    return undefined
  }
  const own = selectivityFor(rows, operator)
  const found = sql`SELECT ${rows.bugId} FROM ${rows.from} WHERE ${sought.condition}`
  return (
    rows.textCandidates?.(operator, values, sought) ??
    (own === undefined
      ? undefined
      : { kind: 'list', selectivity: own, select: found, matches: found })
  )
}

/** An index finds whole values, and names and people that a text selects. */
export function selectivityFor(
  {
    source,
    selectivity = source.kind === 'person' ? SELECTIVITY.person : undefined,
  }: Pick<RowValues, 'source' | 'selectivity'>,
  operator: RowOperator,
): number | undefined {
  if (typeof selectivity === 'function') {
    return selectivity(operator)
  }
  const isServed =
    source.kind === 'own'
      ? comparesWhole(operator) || operator === 'regexp'
      : ['text', 'list', 'words', 'pattern'].includes(kindOfOperator(operator))
  return isServed ? selectivity : undefined
}
