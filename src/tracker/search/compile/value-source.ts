import type { SQL } from 'drizzle-orm'
import { anyOf, flatSelect, sql } from '../../../platform/db/sql.ts'
import type { FieldCondition } from '../expression.ts'
import type { RowOperator } from '../operators.ts'
import type { CompileContext } from './compile-context.ts'
import { type RowTest, testPerson } from './people.ts'
import { type Operand, testValue } from './value-test.ts'

/** Where the value of a row comes from. */
export type ValueSource =
  /** The row holds it; `key` identifies the row. */
  | {
      readonly kind: 'own'
      readonly operand: Operand
      readonly key: SQL
      /** Puts a test of the operand where the operand has its meaning; absent for anywhere. */
      readonly within?: (test: SQL) => SQL
    }
  /** The row refers to something with a name, such as a keyword: the names are tested, then the reference. */
  | {
      readonly kind: 'named'
      readonly reference: SQL
      /** The FROM clause of the names, and the ID among them. */
      readonly from: SQL
      readonly id: SQL
      /** What identifies a name for regular expressions, where `id` is more than one column. */
      readonly key?: SQL
      readonly operand: Operand
      /** Only these names, such as the values of one field. */
      readonly where?: SQL
      /** At most one of the names equals a text. */
      readonly isUnique?: boolean
      /** Texts with a meaning of their own where whole names are compared. */
      readonly special?: (value: string) => SQL | undefined
    }
  /** The row refers to a person, or to nobody with NULL. */
  | { readonly kind: 'person'; readonly person: SQL }

type NamedSource = ValueSource & { readonly kind: 'named' }

/** The condition that the value meets an operator that is no negation; null when it is unknown. */
export function testSource(
  source: ValueSource,
  operator: RowOperator,
  condition: FieldCondition,
  context: CompileContext,
): RowTest | null {
  switch (source.kind) {
    case 'person':
      return testPerson(source.person, operator, condition, context)
    case 'own': {
      const test = testOperand(source.operand, source.key, operator, condition, context)
      return test === null
        ? null
        : { condition: source.within?.(test) ?? test, dependsOnBug: false }
    }
    case 'named': {
      const test = testName(source, operator, condition, context)
      return test === null
        ? null
        : { condition: referenceCondition(source, operator, condition, test), dependsOnBug: false }
    }
  }
}

function testName(
  { operand, id, key = id, special = () => undefined }: NamedSource,
  operator: RowOperator,
  condition: FieldCondition,
  context: CompileContext,
): SQL | null {
  const isWhole = operator === 'equals' || operator === 'anyexact'
  const tests = isWhole ? condition.values.flatMap((value) => special(value) ?? []) : []
  const values = isWhole
    ? condition.values.filter((value) => special(value) === undefined)
    : condition.values
  const test =
    values.length === 0 && tests.length > 0
      ? null
      : testOperand(operand, key, operator, isWhole ? { ...condition, values } : condition, context)
  const all = test === null ? tests : [...tests, test]
  return all.length === 0 ? null : anyOf(all)
}

function testOperand(
  operand: Operand,
  key: SQL,
  operator: RowOperator,
  condition: FieldCondition,
  context: CompileContext,
): SQL | null {
  return operator === 'regexp'
    ? (context.patternMatches.get(condition)?.(key) ?? null)
    : testValue(operand, operator, condition.values, context.now)
}

/** Equality with one ID lets one index serve the search and its order. */
function referenceCondition(
  { reference, from, id, where, isUnique }: NamedSource,
  operator: RowOperator,
  condition: FieldCondition,
  test: SQL,
): SQL {
  const found = sql`SELECT ${id} FROM ${from} WHERE ${where ?? sql`1`} AND ${test}`
  return isUnique && isEquality(operator, condition)
    ? sql`${reference} = (${found})`
    : sql`${reference} IN (${flatSelect(found)})`
}

/** Whether a condition asks for one value. */
export function isEquality(operator: RowOperator, { values }: FieldCondition): boolean {
  const [only = '', ...others] = values
  return (
    (operator === 'equals' || operator === 'anyexact') &&
    others.length === 0 &&
    !only.startsWith('__')
  )
}
