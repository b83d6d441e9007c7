import type { SQL } from 'drizzle-orm'
import { comments } from '../../../platform/db/schema/comments.ts'
import { sql } from '../../../platform/db/sql.ts'
import { lengthOf } from '../../../platform/lib/text.ts'
import type { Operator } from '../operators.ts'
import type { TextCandidates } from './condition.ts'
import { phraseOf } from './text-candidates.ts'
import { wordsOf } from './value-test.ts'

/** The part of a text that a query of the index holds: each of its words costs a list. */
const INDEXED_CHARACTERS = 200
/** Words that every match has: the longest of them leave few comments. */
const MAX_REQUIRED = 3
/** Texts of which every match has one: each costs a list. */
const MAX_ALTERNATIVES = 50

/** Letters and digits that the index has always known: a text without any may have no words for it. */
const KNOWN_LETTERS =
  /[a-z0-9\u00df-\u00f6\u00f8-\u0233\u03b1-\u03c9\u0430-\u0451\u05d0-\u05ea\u0621-\u064a\u0905-\u0939\u0e01-\u0e30\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fcb\uac00-\ud7a3]/
/** What stands between words for the index as for everybody. */
const FIRST_SIGN = /[^a-z0-9\u0080-\u{10ffff}]/u
const LAST_SIGN = /[^a-z0-9\u0080-\u{10ffff}](?=[a-z0-9\u0080-\u{10ffff}]*$)/u

/**
 * Selects the bugs with a `visible` comment that has the words which every match of an operator has; perhaps
 * others, and each perhaps several times; the postings are of all comments. Undefined when the operator asks
 * for no whole words.
 */
export function commentCandidates(
  operator: Operator,
  values: readonly string[],
  visible: SQL,
): Required<Pick<TextCandidates, 'select' | 'postings'>> | undefined {
  const query = queryOf(operator, values)
  if (query === undefined) {
    return undefined
  }
  const postings = sql`SELECT 1 FROM comments_body_fts f WHERE f.body MATCH ${query}`
  const select = sql`SELECT ${comments.bugId} FROM comments_body_fts f
    CROSS JOIN comments ON ${comments.id} = f.rowid WHERE f.body MATCH ${query} AND ${visible}`
  return { select, postings }
}

function queryOf(operator: Operator, values: readonly string[]): string | undefined {
  switch (operator) {
    case 'equals':
    case 'anyexact':
      return anyPhrase(values.map(wholeWordsOf))
    case 'substring':
    case 'casesubstring':
      return anyPhrase(values.map(innerWordsOf))
    case 'anywords':
      return anyPhrase(wordsOf(values).map(wholeWordsOf))
    case 'anywordssubstr':
      return anyPhrase(wordsOf(values).map(innerWordsOf))
    case 'allwords':
      return allPhrases(wordsOf(values).map(wholeWordsOf))
    case 'allwordssubstr':
      return allPhrases(wordsOf(values).map(innerWordsOf))
    default:
      return undefined
  }
}

/** A text that is nothing but whole words, or the start of a long one. */
function wholeWordsOf(text: string): string {
  const lower = text.toLowerCase()
  const start = [...lower].slice(0, INDEXED_CHARACTERS).join('')
  return start === lower ? lower : endWithWord(start)
}

/** What stands between the first sign of a text and its last: words on both ends may go on outside. */
function innerWordsOf(text: string): string {
  const start = [...text.toLowerCase()].slice(0, INDEXED_CHARACTERS).join('')
  const first = FIRST_SIGN.exec(start)?.index
  return first === undefined ? '' : endWithWord(start.slice(first))
}

function endWithWord(text: string): string {
  return text.slice(0, LAST_SIGN.exec(text)?.index ?? 0)
}

/** Undefined when a text has no words: the index does not know where it is. */
function anyPhrase(texts: readonly string[]): string | undefined {
  return texts.length > 0 && texts.length <= MAX_ALTERNATIVES && texts.every(hasWords)
    ? texts.map(phraseOf).join(' OR ')
    : undefined
}

function allPhrases(texts: readonly string[]): string | undefined {
  const longest = texts.filter(hasWords).toSorted((a, b) => lengthOf(b) - lengthOf(a))
  return longest.length > 0 ? longest.slice(0, MAX_REQUIRED).map(phraseOf).join(' AND ') : undefined
}

/** A query ends at NUL, which no comment has. */
function hasWords(text: string): boolean {
  return KNOWN_LETTERS.test(text) && !text.includes('\0')
}
