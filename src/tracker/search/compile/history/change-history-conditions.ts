import type { SQL } from 'drizzle-orm'
import { allOf, jsonList, sql } from '../../../../platform/db/sql.ts'
import { fold } from '../../../../platform/lib/text.ts'
import type { FieldCondition, RowCondition } from '../../expression.ts'
import { type ChangeOperator, isChangeOperator } from '../../operators.ts'
import { parseSearchDate } from '../../relative-dates.ts'
import type { CompileContext } from '../compile-context.ts'
import { type RowTest, testPerson } from '../people.ts'
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
export type ChangeColumns = ChangeTexts & Pick<ChangeRows, 'changedAt' | 'authorId'>

/** For a field without changes, whose conditions may still be unknown. */
export const NO_COLUMNS: ChangeColumns = { ...NO_TEXTS, changedAt: sql`NULL`, authorId: sql`NULL` }

/** The test of one change that all members hold; null when one of them is unknown. */
export function testMembers(
  columns: ChangeColumns,
  members: readonly ChangeCondition[],
  context: CompileContext,
): RowTest | null {
  const tests = members.map(({ condition, isNegated }) => {
    const test = testChange(columns, condition, context)
    return test === null || !isNegated
      ? test
      : { ...test, condition: sql`NOT coalesce((${test.condition}), 0)` }
  })
  const valid = tests.filter((test) => test !== null)
  const known = valid.flatMap(({ isKnown }) => isKnown ?? [])
  return valid.length < tests.length
    ? null
    : {
        condition: allOf(valid.map(({ condition }) => condition)),
        dependsOnBug: valid.some(({ dependsOnBug }) => dependsOnBug),
        ...(known.length > 0 && { isKnown: allOf(known) }),
      }
}

function testChange(
  { changedAt, authorId, removed, added }: ChangeColumns,
  condition: ChangeCondition['condition'],
  context: CompileContext,
): RowTest | null {
  const [value = ''] = condition.values
  switch (condition.operator) {
    case 'everchanged':
      return testOf(sql`1`)
    case 'changedfrom':
      return testOf(testText(removed, condition.values))
    case 'changedto':
      return testOf(testText(added, condition.values))
    case 'changedby':
      return testPerson(authorId, 'equals', condition, context)
    case 'changedbefore':
    case 'changedafter': {
      const moment = parseSearchDate(value, context.now)
      if (moment === null) {
        return null
      }
      return testOf(
        condition.operator === 'changedafter'
          ? sql`${changedAt} >= ${moment}`
          : sql`${changedAt} <= ${moment}`,
      )
    }
  }
}

function testOf(condition: SQL): RowTest {
  return { condition, dependsOnBug: false }
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
