import { fault } from '../faults.ts'
import { conditionsOf, type Expression, type FieldCondition } from './expression.ts'
import { kindOf } from './operators.ts'

/** Every condition may cost a look at every bug, and every group adds to the depth of the statement. */
export const MOST_CONDITIONS = 300
export const MOST_NESTING = 20

/**
 * Fault 32000 for a search of more than 300 conditions, where each word of a list of words is one.
 * Reference: search.md, "How criteria combine".
 */
export function assertSearchSize(expression: Expression): void {
  const size = sizeOf(expression)
  if (size > MOST_CONDITIONS) {
    throw fault('searchInvalid', {
      source: 'it',
      reason: `has ${size} conditions, counting every word; it may have ${MOST_CONDITIONS}`,
    })
  }
}

/** The number of conditions, where each word of a list of words is one. */
export function sizeOf(expression: Expression): number {
  return conditionsOf(expression).reduce((sum, condition) => sum + countTexts(condition), 0)
}

function countTexts({ operator, values }: FieldCondition): number {
  const words = kindOf(operator) === 'words' ? values.flatMap((value) => value.split(/[\s,]+/)) : []
  return Math.max(words.filter((word) => word !== '').length, 1)
}
