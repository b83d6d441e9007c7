import type { SQL } from 'drizzle-orm'
import { compile } from '../../platform/db/compile.ts'
import { SelectTooLarge } from '../../platform/db/read-limit.ts'
import { type Fault, fault } from '../../platform/faults/fault.ts'
import { conditionsOf, type Expression, type FieldCondition } from './expression.ts'
import { searchInvalid } from './faults.ts'
import { kindOfOperator } from './operators.ts'
import { countPhrasesOf } from './rewrite.ts'

/** Every condition may cost a look at every bug, and every group adds to the depth of the statement. */
export const MAX_CONDITIONS = 300
export const MAX_NESTING = 20

/** Beginnings of words in `content`: each reads what the index has of every word that begins so. */
const MAX_STARTS = 10
/** Phrases of `content`: each passes what the index has of each of its words. */
const MAX_PHRASES = 10

const LIMITS = [
  { count: countConditions, most: MAX_CONDITIONS, what: 'conditions, counting every word' },
  { count: countStarts, most: MAX_STARTS, what: "beginnings of words, such as 'leak*'" },
  { count: countPhrasesOf, most: MAX_PHRASES, what: 'phrases, such as "socket leak"' },
] as const

export function assertSearchSize(expression: Expression): void {
  for (const { count, most, what } of LIMITS) {
    const size = sumOf(expression, count)
    if (size > most) {
      const reason = `has ${size} ${what}; it may have ${most}`
      throw fault(searchInvalid, { source: 'it', reason })
    }
  }
}

function countStarts({ operator, values }: FieldCondition): number {
  return kindOfOperator(operator) === 'fulltext'
    ? (values.join(' ').match(/[^\s"]\*/g) ?? []).length
    : 0
}

/**
 * The number of criteria: conditions, where each word of a list or of `content` is one. A word counts once
 * more for each letter outside ASCII, because texts in their original form are folded letter by letter.
 */
export function countCriteria(expression: Expression): number {
  return sumOf(expression, (condition) => {
    const letters = new Set(condition.values.join('').match(/[^\p{ASCII}]/gu))
    const words =
      kindOfOperator(condition.operator) === 'fulltext'
        ? countTexts(condition, NO_LETTERS)
        : countConditions(condition)
    return words * (1 + letters.size)
  })
}

const NO_LETTERS = /[^\p{L}\p{N}\p{Co}]+/u

function countConditions(condition: FieldCondition): number {
  return kindOfOperator(condition.operator) === 'words' ? countTexts(condition, /[\s,]+/) : 1
}

function countTexts({ values }: FieldCondition, separator: RegExp): number {
  const texts = values.flatMap((value) => value.split(separator))
  return Math.max(texts.filter((text) => text !== '').length, 1)
}

function sumOf(expression: Expression, count: (condition: FieldCondition) => number): number {
  return conditionsOf(expression).reduce((sum, condition) => sum + count(condition), 0)
}

/** Characters of a condition and its order, a part of a statement; D1 takes statements of 100,000 bytes. */
const MAX_LENGTH = 80_000
/** A condition up to here may stand in one statement several times. */
const MAX_REPEATED_LENGTH = 15_000
/** So many fit into a statement with several plans, whatever they are. */
const FEW_CRITERIA = 7
const SHORT_ORDER = 1000

/** The characters that the condition and the order of a search take in its statement; 0 for few of them. */
export function measureSearch(
  condition: () => SQL,
  order: readonly SQL[],
  criteria: number,
): number {
  // the order stands in the select of the page and around it
  const orderLength = 2 * order.reduce((sum, each) => sum + compile(each).sql.length, 0)
  return criteria <= FEW_CRITERIA && orderLength <= SHORT_ORDER
    ? 0
    : compile(condition()).sql.length + orderLength
}

export function assertFitsStatement(length: number): void {
  if (length > MAX_LENGTH) {
    throw tooLargeForStatement()
  }
}

function tooLargeForStatement(): Fault {
  return fault(searchInvalid, {
    source: 'it',
    reason: 'has more conditions than fit into one statement; leave some out',
  })
}

/** Throws what a statement of a search was refused for. */
export function refuseTooLarge(error: unknown): never {
  throw error instanceof SelectTooLarge ? tooLargeForStatement() : error
}

/** Whether a search is so short that its statement may hold several plans and a count. */
export function canRepeat(length: number): boolean {
  return length <= MAX_REPEATED_LENGTH
}
