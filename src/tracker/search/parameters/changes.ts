import type { ParseContext } from '../context.ts'
import {
  allOfExpressions,
  anyOfExpressions,
  type Expression,
  type FieldCondition,
} from '../expression.ts'
import type { Operator } from '../operators.ts'
import { assertOperatorFits, requireSearchField } from '../require.ts'
import type { SearchField } from '../search-fields.ts'
import { splitAt } from './comparison.ts'
import { firstText, type GivenParameters, textsOf } from './given.ts'

/** The name of the filing of a bug among the fields that may change. */
const CREATION = '[bug creation]'

/** A value or a bound of the changes that are searched. */
type ChangeTest = {
  readonly operator: Operator
  readonly value: string
  readonly source: string
}

/**
 * The expression of `chfield` and its companions: some field has one change that meets both bounds
 * and the value; without fields, the last change of the bug is within the bounds. Null without a
 * bound and a value.
 */
export function parseChanges(given: GivenParameters, context: ParseContext): Expression | null {
  const tests = readTests(given)
  const fields = readFields(given)
  if (tests.length === 0) {
    return null
  }
  if (fields.length === 0) {
    return parseLastChange(tests)
  }
  const found = fields.map((name) =>
    requireSearchField(name === CREATION ? 'creation_ts' : name, 'chfield', context),
  )
  const distinct = new Map(found.map((field) => [field.name, field]))
  return anyOfExpressions([...distinct.values()].map((field) => parseFieldChange(field, tests)))
}

function readFields(given: GivenParameters): string[] {
  return splitAt(',', textsOf(given, 'chfield')).map((name) => name.toLowerCase())
}

function readTests(given: GivenParameters): ChangeTest[] {
  const tests: ChangeTest[] = [
    { operator: 'changedafter', value: readBound(given, 'chfieldfrom'), source: 'chfieldfrom' },
    {
      operator: 'changedbefore',
      value: endOfDay(readBound(given, 'chfieldto')),
      source: 'chfieldto',
    },
    { operator: 'changedto', value: firstText(given, 'chfieldvalue'), source: 'chfieldvalue' },
  ]
  return tests.filter(({ value }) => value !== '')
}

/** The screen sends `Now` for a bound that is not set. */
function readBound(given: GivenParameters, name: string): string {
  const text = firstText(given, name)
  return text.toLowerCase() === 'now' ? '' : text
}

function endOfDay(text: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text} 23:59:59` : text
}

function parseFieldChange(field: SearchField, tests: readonly ChangeTest[]): Expression {
  const conditions = tests.map(({ operator, value, source }): FieldCondition => {
    assertOperatorFits(field, operator, 'chfield')
    return { kind: 'condition', field: field.name, operator, values: [value], source }
  })
  // a bug is filed once, so that all conditions are about the same moment anyway
  return conditions.length === 1 || field.name === 'creation_ts'
    ? allOfExpressions(conditions)
    : {
        kind: 'sameRow',
        members: conditions.map((condition) => ({ condition, isNegated: false })),
      }
}

function parseLastChange(tests: readonly ChangeTest[]): Expression | null {
  const conditions = tests.flatMap(({ operator, value, source }): FieldCondition[] => {
    const comparison = { kind: 'condition', field: 'delta_ts', values: [value], source } as const
    switch (operator) {
      case 'changedafter':
        return [{ ...comparison, operator: 'greaterthaneq' }]
      case 'changedbefore':
        return [{ ...comparison, operator: 'lessthaneq' }]
      default:
        return []
    }
  })
  return conditions.length === 0 ? null : allOfExpressions(conditions)
}
