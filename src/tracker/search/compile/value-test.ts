import type { SQL } from 'drizzle-orm'
import { allOf, anyOf, flatSelect, jsonList, jsonRows, sql } from '../../../platform/db/sql.ts'
import type { FieldCondition } from '../expression.ts'
import { kindOfOperator, type RowOperator } from '../operators.ts'
import {
  comparableOf,
  comparedPart,
  foldedText,
  foldFor,
  type Operand,
  originalText,
  type TextOperand,
} from './operand.ts'
import {
  bindWord,
  type WholeWord,
  type WholeWordPieces,
  WORD_OF_ROW,
  wholeWord,
  wholeWordCondition,
} from './whole-word.ts'

const COMPARISON = {
  lessthan: '<',
  lessthaneq: '<=',
  greaterthan: '>',
  greaterthaneq: '>=',
} as const

/** The operators that compare a value without reading others first. */
export type ValueOperator = Exclude<RowOperator, 'regexp'>

type WordOperator = Extract<RowOperator, `${string}words${string}`>

/** Words that have parameters of their own; more are one parameter together, which takes longer to compare. */
const MAX_BOUND_WORDS = 3

/**
 * The condition that one value meets an operator that is no negation; null when the value to
 * compare with is invalid.
 */
export function testValue(
  operand: Operand,
  operator: ValueOperator,
  values: readonly string[],
  now: number,
): SQL | null {
  const [value = ''] = values
  switch (operator) {
    case 'equals':
    case 'anyexact':
      return testEquality(operand, values, now)
    case 'lessthan':
    case 'lessthaneq':
    case 'greaterthan':
    case 'greaterthaneq':
      return testOrder(operand, COMPARISON[operator], value, now)
    case 'isnotempty':
      return operand.kind === 'text'
        ? sql`${operand.folded} <> ${operand.unset ?? ''}`
        : (operand.isSet ?? sql`${operand.value} <> 0`)
    // not LIKE, because D1 rejects patterns over 50 bytes
    case 'substring':
      return sql`instr(${foldedText(operand, value)}, ${foldFor(operand, value)}) > 0`
    case 'casesubstring':
      return sql`instr(${originalText(operand)}, ${value}) > 0`
    case 'anywordssubstr':
    case 'allwordssubstr':
    case 'anywords':
    case 'allwords':
      return testWords(operand, operator, values)
    case 'isdisabled':
    case 'isnotdisabled':
      return null
  }
}

/** How often a criterion is compared: once, or for each of its words. */
export function countLooks({ operator, values }: FieldCondition): number {
  return kindOfOperator(operator) === 'words' ? Math.max(1, wordsOf(values).length) : 1
}

/** The words of a text: what stands between blanks and commas. */
export function wordsOf(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(/[\s,]+/)).filter((word) => word !== '')
}

function testWords(
  operand: Operand,
  operator: WordOperator,
  values: readonly string[],
): SQL | null {
  const given = wordsOf(values)
  if (given.length === 0) {
    return null
  }
  const isAll = operator.startsWith('all')
  // no text holds NUL, and a pattern ends there
  const possible = given.filter((word) => !word.includes('\0'))
  if (possible.length === 0 || (isAll && possible.length < given.length)) {
    return sql`0`
  }
  const words = possible.map((word) => wholeWord(foldFor(operand, word)))
  const folded = foldedText(operand, words.map(({ word }) => word).join(''))
  return operand.kind === 'text' && operand.foldedFor !== undefined
    ? // SQLite would fold it wherever it is named, and count all of its letters for the depth of the condition
      sql`(SELECT ${testEachWord(sql`once.folded`, operator, words, operand.isIndexed)}
        FROM (SELECT ${folded} AS folded LIMIT 1) once)`
    : testEachWord(folded, operator, words)
}

function testEachWord(
  folded: SQL,
  operator: WordOperator,
  words: readonly WholeWord[],
  isIndexed?: TextOperand['isIndexed'],
): SQL {
  const isAll = operator.startsWith('all')
  const test = (word: WholeWordPieces) =>
    operator === 'anywords' || operator === 'allwords'
      ? wholeWordCondition(folded, word, isIndexed)
      : sql`instr(${folded}, ${word.word}) > 0`
  if (words.length > MAX_BOUND_WORDS) {
    const one = test(WORD_OF_ROW)
    return isAll
      ? sql`NOT EXISTS (${flatSelect(sql`SELECT 1 FROM ${jsonRows(words)} WHERE NOT ${one}`)})`
      : sql`EXISTS (${flatSelect(sql`SELECT 1 FROM ${jsonRows(words)} WHERE ${one}`)})`
  }
  const tests = words.map((word) => test(bindWord(word)))
  return isAll ? allOf(tests) : anyOf(tests)
}

function testEquality(operand: Operand, values: readonly string[], now: number): SQL | null {
  const known = values.flatMap((value) => comparableOf(operand, value, now) ?? [])
  const [only, ...others] = known
  if (only === undefined) {
    return null
  }
  const left = comparedPart(operand, known.join(''))
  return others.length === 0 ? sql`${left} = ${only}` : sql`${left} IN ${jsonList(known)}`
}

function testOrder(operand: Operand, symbol: string, value: string, now: number): SQL | null {
  const comparable = comparableOf(operand, value, now)
  return comparable === null
    ? null
    : sql`${comparedPart(operand, value)} ${sql.raw(symbol)} ${comparable}`
}
