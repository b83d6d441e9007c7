import type { SQL } from 'drizzle-orm'
import { allOf, anyOf, flatSelect, jsonList, jsonRows, sql } from '../../../platform/db/sql.ts'
import { fold } from '../../../platform/lib/text.ts'
import type { RowOperator } from '../operators.ts'
import { parseSearchDate } from '../relative-dates.ts'
import {
  bindWord,
  type WholeWord,
  type WholeWordPieces,
  wholeWord,
  wholeWordCondition,
} from './whole-word.ts'

/** A value of a bug that operators compare, as pieces of SQL. */
export type Operand = TextOperand | NumberOperand | DateOperand

export type TextOperand = {
  readonly kind: 'text'
  /** In lower case and NFKC; the empty text for nothing. */
  readonly folded: SQL
  /** The same as far as a comparison with this text in lower case needs it. */
  readonly foldedFor?: (text: string) => SQL
  /** It is in lower case, but not in NFKC, and so is what it is compared with. */
  readonly keepsForm?: true
  /** As people wrote it. */
  readonly original: SQL
  /** What stands for nothing; the empty text when absent. */
  readonly unset?: string
}

export type NumberOperand = {
  readonly kind: 'number'
  /** 0 for nothing. */
  readonly value: SQL
  /** What operators on texts compare. */
  readonly text: SQL
}

export type DateOperand = {
  readonly kind: 'date'
  /** Unix seconds, 0 for nothing; of a day its start. */
  readonly value: SQL
  /** As `YYYY-MM-DD HH:MM:SS`; the empty text for nothing. */
  readonly text: SQL
  /** Times that are given are cut to their day. */
  readonly isDay?: true
}

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
  switch (operator) {
    case 'equals':
    case 'anyexact':
      return testEquality(operand, values, now)
    case 'lessthan':
    case 'lessthaneq':
    case 'greaterthan':
    case 'greaterthaneq':
      return testOrder(operand, COMPARISON[operator], values[0] ?? '', now)
    case 'isnotempty':
      return testPresence(operand)
    case 'substring':
      return containsCondition(operand, values[0] ?? '')
    case 'casesubstring':
      return sql`instr(${originalText(operand)}, ${values[0] ?? ''}) > 0`
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
      sql`(SELECT ${testEachWord(sql`once.folded`, operator, words)}
        FROM (SELECT ${folded} AS folded LIMIT 1) once)`
    : testEachWord(folded, operator, words)
}

function testEachWord(folded: SQL, operator: WordOperator, words: readonly WholeWord[]): SQL {
  const isAll = operator.startsWith('all')
  const test = (word: WholeWordPieces) =>
    operator === 'anywords' || operator === 'allwords'
      ? wholeWordCondition(folded, word)
      : sql`instr(${folded}, ${word.word}) > 0`
  if (words.length > MAX_BOUND_WORDS) {
    const one = test({
      word: sql`(r.value ->> 'word')`,
      length: sql`(r.value ->> 'length')`,
      pattern: sql`(r.value ->> 'pattern')`,
    })
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
  const left = operand.kind === 'text' ? foldedText(operand, known.join('')) : operand.value
  return others.length === 0 ? sql`${left} = ${only}` : sql`${left} IN ${jsonList(known)}`
}

function testOrder(operand: Operand, symbol: string, value: string, now: number): SQL | null {
  const comparable = comparableOf(operand, value, now)
  const left = operand.kind === 'text' ? foldedText(operand, value) : operand.value
  return comparable === null ? null : sql`${left} ${sql.raw(symbol)} ${comparable}`
}

/** The value as the operand holds one; null for an invalid one. */
export function comparableOf(operand: Operand, value: string, now: number): string | number | null {
  switch (operand.kind) {
    case 'text':
      return foldFor(operand, value)
    case 'number':
      return parseNumber(value)
    case 'date': {
      const moment = parseSearchDate(value, now)
      return moment === null || operand.isDay === undefined
        ? moment
        : moment - (((moment % 86_400) + 86_400) % 86_400)
    }
  }
}

/** A number as people write one; null for every other text. */
export function parseNumber(value: string): number | null {
  return /^[+-]?\d{1,15}(?:\.\d{1,6})?$/.test(value) ? Number(value) : null
}

function testPresence(operand: Operand): SQL {
  return operand.kind === 'text'
    ? sql`${operand.folded} <> ${operand.unset ?? ''}`
    : sql`${operand.value} <> 0`
}

/** The text of a value, folded for a comparison with this one. */
function foldedText(operand: Operand, text: string): SQL {
  return operand.kind === 'text'
    ? (operand.foldedFor?.(foldFor(operand, text)) ?? operand.folded)
    : operand.text
}

function foldFor(operand: Operand, text: string): string {
  return operand.kind === 'text' && operand.keepsForm ? text.toLowerCase() : fold(text)
}

function originalText(operand: Operand): SQL {
  return operand.kind === 'text' ? operand.original : operand.text
}

/** Not LIKE, because D1 rejects patterns over 50 bytes. */
function containsCondition(operand: Operand, text: string): SQL {
  return sql`instr(${foldedText(operand, text)}, ${foldFor(operand, text)}) > 0`
}

/** Letters that are folded for one text: each is a call around the others, and SQLite limits their depth. */
const MAX_FOLDED_LETTERS = 40

/** A text of a column that has no folded companion. */
export function unfoldedOperand(column: SQL): TextOperand {
  return {
    kind: 'text',
    folded: sql`lower(${column})`,
    foldedFor: (text) => foldLetters(column, text),
    keepsForm: true,
    original: column,
  }
}

/**
 * The column with the letters folded that the text in lower case has: SQLite itself only knows the case of
 * ASCII. Letters are part of the statement, because D1 binds few parameters; none of them is a quote.
 */
function foldLetters(column: SQL, text: string): SQL {
  const pairs = [...new Set(text)].flatMap((letter) => {
    const upper = letter.toUpperCase()
    const isPair = letter > '\x7f' && upper > '\x7f' && upper !== letter
    return isPair && upper.length === letter.length ? [`'${upper}', '${letter}'`] : []
  })
  return pairs
    .slice(0, MAX_FOLDED_LETTERS)
    .reduce((folded, pair) => sql`replace(${folded}, ${sql.raw(pair)})`, sql`lower(${column})`)
}
