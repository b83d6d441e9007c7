import type { SQL } from 'drizzle-orm'
import { jsonList, sql } from '../../../../platform/db/sql.ts'
import { fold } from '../../../../platform/lib/text.ts'
import type { CompileContext } from '../../context.ts'
import type { FieldCondition, RowCondition } from '../../expression.ts'
import { type ChangeOperator, isChangeOperator } from '../../operators.ts'
import { parseSearchDate } from '../../relative-dates.ts'
import { allTests, type RowTest, testPerson } from '../value-source.ts'
import { type ChangeRows, type ChangeTexts, NO_TEXTS } from './change-history-rows.ts'

/** A condition on a change of a field; `isNegated` negates it within the change. */
export type ChangeCondition = {
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
export const NO_COLUMNS: ChangeColumns = { ...NO_TEXTS, changedAt: sql`NULL`, authorId: sql`NULL` }

/** The test of one change that all members hold; null when one of them is unknown. */
export function testMembers(
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
export function isAboutTexts({ condition: { operator } }: ChangeCondition): boolean {
  return operator === 'changedfrom' || operator === 'changedto'
}

/** The condition of members that are known to be valid. */
export function conditionOf(
  columns: Omit<ChangeColumns, keyof ChangeTexts>,
  members: readonly ChangeCondition[],
  context: CompileContext,
): SQL {
  return testMembers({ ...NO_TEXTS, ...columns }, members, context)?.condition ?? sql`NULL`
}
