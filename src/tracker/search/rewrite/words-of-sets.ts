import { wordsOf } from '../compile/value-test.ts'
import type { ParseContext } from '../context.ts'
import {
  allOfExpressions,
  mapConditions,
  type PositiveCondition,
  type PositiveExpression,
  UNKNOWN,
} from '../expression.ts'
import { findSearchField } from '../search-fields.ts'

/** Of the words that a set has to have, each may be in another row. */
export function separateWords(
  expression: PositiveExpression,
  { configuration, caller }: ParseContext,
): PositiveExpression {
  const separate = (condition: PositiveCondition): PositiveExpression => {
    const { field, operator, values } = condition
    const hasAll = operator === 'allwords' || operator === 'allwordssubstr'
    if (!hasAll || findSearchField(field, configuration, caller)?.family !== 'set') {
      return condition
    }
    const words = wordsOf(values).map((word) => ({ ...condition, values: [word] }))
    return words.length === 0 ? UNKNOWN : allOfExpressions(words)
  }
  return mapConditions(expression, separate, (member) => member)
}
