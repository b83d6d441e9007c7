import { fault } from '../../platform/faults/fault.ts'
import { conditionsOf, type Expression, type FieldCondition } from './expression.ts'
import { searchInvalid } from './faults.ts'
import { kindOf } from './operators.ts'

/** Every condition may cost a look at every bug, and every group adds to the depth of the statement. */
export const MOST_CONDITIONS = 300
export const MOST_NESTING = 20

/**
 * Fault 32000 for a search of more than 300 conditions, where each word of a list of words is one.
 * Reference: search.md, "How criteria combine".
 */
export function assertSearchSize(expression: Expression): void {
  const size = sumOf(expression, countConditions)
  if (size > MOST_CONDITIONS) {
    throw fault(searchInvalid, {
      source: 'it',
      reason: `has ${size} conditions, counting every word; it may have ${MOST_CONDITIONS}`,
    })
  }
}

/**
 * How many criteria the statement has to hold: the conditions, where each word of a list or of `content` is one, as
 * often as it has letters outside ASCII, because texts that are stored as they were written are folded by each.
 */
export function countCriteria(expression: Expression): number {
  return sumOf(expression, (condition) => {
    const letters = new Set(condition.values.join('').match(/[^\p{ASCII}]/gu))
    const words =
      kindOf(condition.operator) === 'fulltext'
        ? countTexts(condition, NO_LETTERS)
        : countConditions(condition)
    return words * (1 + letters.size)
  })
}

const NO_LETTERS = /[^\p{L}\p{N}\p{Co}]+/u

function countConditions(condition: FieldCondition): number {
  return kindOf(condition.operator) === 'words' ? countTexts(condition, /[\s,]+/) : 1
}

function countTexts({ values }: FieldCondition, separator: RegExp): number {
  const texts = values.flatMap((value) => value.split(separator))
  return Math.max(texts.filter((text) => text !== '').length, 1)
}

function sumOf(expression: Expression, count: (condition: FieldCondition) => number): number {
  return conditionsOf(expression).reduce((sum, condition) => sum + count(condition), 0)
}
