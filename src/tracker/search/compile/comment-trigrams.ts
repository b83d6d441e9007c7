import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../../platform/access/caller.ts'
import { visibleCommentCondition } from '../../../platform/access/visibility.ts'
import { comments } from '../../../platform/db/schema/comments.ts'
import { sql } from '../../../platform/db/sql.ts'
import { lengthOf } from '../../../platform/lib/text.ts'
import { NEWEST_INDEXED_COMMENT } from '../comment-index.ts'
import type { Operator } from '../operators.ts'
import { type TextCandidates, unionOf } from './condition.ts'
import { phraseOf } from './text-candidates.ts'
import { wordsOf } from './value-test.ts'

/** Parts of one text that are looked up: each is a list in the index. */
const MAX_TRIGRAMS = 12
/** Texts of which every match has one. */
const MAX_ALTERNATIVES = 50
/** Texts that every match has: the longest of them leave few comments. */
const MAX_REQUIRED = 3

/** Letters whose case the index and the comparison of texts know alike. */
const KNOWN = /^[\p{ASCII}\u0080-\u024f\u0370-\u052f\u3040-\u9fff\uac00-\ud7a3]+$/u

/** Texts that a match has: all of them, or at least one. */
type Sought = { readonly texts: readonly string[]; readonly isEach: boolean }

/**
 * Selects the bugs with a visible comment that has the texts which every match of an operator has; perhaps
 * others, and each perhaps several times. Comments that the index does not have yet are read. Undefined when a
 * text has fewer than three characters, or the operator asks for no text.
 */
export function commentTextCandidates(
  operator: Operator,
  values: readonly string[],
  caller: Caller,
): TextCandidates | undefined {
  const sought = soughtTexts(operator, values)
  if (sought === undefined) {
    return undefined
  }
  const queries = sought.texts.map(trigramsOf)
  if (queries.length === 0 || queries.some((trigrams) => trigrams.length === 0)) {
    return undefined
  }
  const query = queries
    .map((trigrams) => `(${trigrams.map(phraseOf).join(' AND ')})`)
    .join(sought.isEach ? ' AND ' : ' OR ')
  const hasText = sql`${visibleCommentCondition(caller)} AND ${hasTextCondition(sought)}`
  const select = unionOf([
    sql`SELECT ${comments.bugId} FROM comments_trigram_fts f
      CROSS JOIN comments ON ${comments.id} = f.rowid WHERE f.comments_trigram_fts MATCH ${query} AND ${hasText}`,
    sql`SELECT ${comments.bugId} FROM comments
      WHERE ${comments.id} > ${NEWEST_INDEXED_COMMENT} AND ${hasText}`,
  ])
  return { select }
}

function soughtTexts(operator: Operator, values: readonly string[]): Sought | undefined {
  switch (operator) {
    case 'equals':
    case 'anyexact':
    case 'substring':
    case 'casesubstring':
      return anyOfTexts(values)
    case 'anywords':
    case 'anywordssubstr':
      return anyOfTexts(wordsOf(values))
    case 'allwords':
    case 'allwordssubstr': {
      const words = wordsOf(values).toSorted((a, b) => lengthOf(b) - lengthOf(a))
      const indexed = words.filter((word) => trigramsOf(word).length > 0)
      return { texts: indexed.slice(0, MAX_REQUIRED), isEach: true }
    }
    default:
      return undefined
  }
}

function anyOfTexts(texts: readonly string[]): Sought | undefined {
  return texts.length > MAX_ALTERNATIVES ? undefined : { texts, isEach: false }
}

/** Runs of three characters in a text, over its whole length; none where the index may not find it. */
function trigramsOf(text: string): string[] {
  // a query ends at NUL
  if (text.includes('\0')) {
    return []
  }
  const characters = [...text.toLowerCase()]
  const all = characters
    .slice(2)
    .map((_, at) => characters.slice(at, at + 3).join(''))
    .filter((trigram) => KNOWN.test(trigram))
  const step = Math.max(1, all.length / MAX_TRIGRAMS)
  return [...new Set(all.filter((_, at) => Math.floor(at % step) === 0))].slice(0, MAX_TRIGRAMS + 1)
}

/** The index knows that the parts of a text occur, not that they stand together. */
function hasTextCondition({ texts, isEach }: Sought): SQL {
  const runs = JSON.stringify(texts.map(foldedRunOf))
  const has = sql`instr(lower(${comments.body}), r.value) > 0`
  return isEach
    ? sql`NOT EXISTS (SELECT 1 FROM json_each(${runs}) r WHERE NOT ${has})`
    : sql`EXISTS (SELECT 1 FROM json_each(${runs}) r WHERE ${has})`
}

/** The longest part of a text in which SQLite knows the case of letters; the empty text is in every comment. */
function foldedRunOf(text: string): string {
  const runs = ['']
  for (const character of text.toLowerCase()) {
    const isFolded = character <= '\x7f' || character.toUpperCase() === character
    runs.push(isFolded ? (runs.pop() ?? '') + character : '')
  }
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '')
}
