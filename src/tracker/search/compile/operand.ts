import type { SQL } from 'drizzle-orm'
import { sql } from '../../../platform/db/sql.ts'
import { fold } from '../../../platform/lib/text.ts'
import { parseSearchDate } from '../relative-dates.ts'

/** A value of a bug that operators compare, as pieces of SQL. */
export type Operand = TextOperand | NumberOperand | DateOperand

export type TextOperand = {
  readonly kind: 'text'
  /** In lower case and NFKC; the empty text for nothing. */
  readonly folded: SQL
  /** The same as far as a comparison with this text in lower case needs it. */
  readonly foldedFor?: (text: string) => SQL
  /** The condition that the index of its words finds it by a query. */
  readonly isIndexed?: (query: SQL) => SQL
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
  /** Whether there is a value, where 0 is one too. */
  readonly isSet?: SQL
}

export type DateOperand = {
  readonly kind: 'date'
  /** Unix seconds, 0 for nothing; of a day its start. */
  readonly value: SQL
  /** As `YYYY-MM-DD HH:MM:SS`; the empty text for nothing. */
  readonly text: SQL
  /** Times that are given are cut to their day. */
  readonly isDay?: true
  /** Whether there is a value, where 1970-01-01 is one too. */
  readonly isSet?: SQL
}

export function textOperand(folded: SQL, original: SQL): TextOperand {
  return { kind: 'text', folded, original }
}

export function numberOperand(value: SQL): NumberOperand {
  return { kind: 'number', value, text: sql`CAST(${value} AS TEXT)` }
}

/** Hours, as texts with two digits. */
export function hoursOperand(value: SQL): NumberOperand {
  return { kind: 'number', value, text: sql`printf('%.2f', ${value})` }
}

/** A moment in Unix seconds, or NULL, with which nothing compares. */
export function timeOperand(value: SQL): DateOperand {
  const text = sql`coalesce(strftime('%Y-%m-%d %H:%M:%S', ${value}, 'unixepoch'), '')`
  return { kind: 'date', value, text }
}

/** A day that is stored as `YYYY-MM-DD`, or NULL. */
export function dayOperand(day: SQL): DateOperand {
  return {
    kind: 'date',
    value: sql`coalesce(unixepoch(${day}), 0)`,
    text: sql`coalesce(${day} || ' 00:00:00', '')`,
    isDay: true,
    isSet: sql`${day} IS NOT NULL`,
  }
}

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

/** Letters that are folded for one text: each is a call around the others, and SQLite limits their depth. */
const MAX_FOLDED_LETTERS = 40

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

/** What orders compare, and operators on whole values; texts as far as this one needs it. */
export function comparedPart(operand: Operand, text = ''): SQL {
  return operand.kind === 'text' ? foldedText(operand, text) : operand.value
}

/** As people see it. */
export function originalText(operand: Operand): SQL {
  return operand.kind === 'text' ? operand.original : operand.text
}

/** The text of a value, folded for a comparison with this one. */
export function foldedText(operand: Operand, text: string): SQL {
  return operand.kind === 'text'
    ? (operand.foldedFor?.(foldFor(operand, text)) ?? operand.folded)
    : operand.text
}

export function foldFor(operand: Operand, text: string): string {
  return operand.kind === 'text' && operand.keepsForm ? text.toLowerCase() : fold(text)
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
