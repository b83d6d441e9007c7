import { countPhrases, shortenPhrases } from '../compile/content/content-terms.ts'
import {
  conditionsOf,
  type FieldCondition,
  mapConditions,
  type PositiveExpression,
} from '../expression.ts'
import { kindOf } from '../operators.ts'

/** Words of all phrases of a search. */
const MAX_WORDS = 4
/** Words of each, however many there are. */
const MIN_WORDS = 2

/** Of long phrases, or of many, the longest words that stand side by side are looked for. */
export function cutPhrases(expression: PositiveExpression): PositiveExpression {
  const phrases = conditionsOf(expression).reduce((sum, each) => sum + countPhrasesOf(each), 0)
  if (phrases === 0) {
    return expression
  }
  const most = Math.max(MIN_WORDS, Math.floor(MAX_WORDS / phrases))
  return mapConditions(
    expression,
    (condition) =>
      isContent(condition)
        ? { ...condition, values: [shortenPhrases(condition.values.join(' '), most)] }
        : condition,
    (member) => member,
  )
}

/** The phrases that a condition looks for in comments. */
export function countPhrasesOf(condition: FieldCondition): number {
  return isContent(condition) ? countPhrases(condition.values.join(' ')) : 0
}

function isContent({ operator }: FieldCondition): boolean {
  return kindOf(operator) === 'fulltext'
}
