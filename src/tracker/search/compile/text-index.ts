import type { SQL } from 'drizzle-orm'
import { comments } from '../../../platform/db/schema/bugs.ts'
import { sql } from '../../../platform/db/sql.ts'
import { fold, lengthOf, longestOf } from '../../../platform/lib/text.ts'
import { compareAtOnce, type IdList, LOOKS_AT_COMMENT, SELECTIVITY } from '../condition.ts'
import { kindOfOperator, type RowOperator } from '../operators.ts'
import type { SoughtRow } from './row-values.ts'
import { wordsOf } from './value-test.ts'
import { INDEXED_IN_WORDS, indexQueryOf } from './whole-word.ts'

/** The part of a text that a query of the index holds: every three characters of it cost a list. */
const INDEXED_CHARACTERS = 60
/** Words of a text that are looked up as a phrase: the index passes what it has of each, though none follows another. */
export const MAX_PHRASE_WORDS = 3
/** Texts that every match has: the longest of them leave few comments. */
export const MAX_REQUIRED = 3
/** Texts of which every match has one: each costs a list. */
export const MAX_ALTERNATIVES = 50
/** Letters and digits that the index has always known: a text without any may have no words for it. */
const KNOWN_LETTERS =
  /[a-z0-9\u00df-\u00f6\u00f8-\u0233\u03b1-\u03c9\u0430-\u0451\u05d0-\u05ea\u0621-\u064a\u0905-\u0939\u0e01-\u0e30\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fcb\uac00-\ud7a3]/
const MAX_RUNS = 3
const WORDS = /[\p{L}\p{N}]+/gu
const KNOWN_RUNS = new RegExp(`${KNOWN_LETTERS.source}+`, 'gi')
const BETWEEN_SIGNS = /[a-z0-9\u0080-\u{10ffff}]+/giu
/** What stands between words for the index as for everybody. */
export const FIRST_SIGN = /[^a-z0-9\u0080-\u{10ffff}]/u
const LAST_SIGN = /[^a-z0-9\u0080-\u{10ffff}](?=[a-z0-9\u0080-\u{10ffff}]*$)/u

/** Texts that a match has: all of them, or at least one; each from its first word to its last, or parts of words. */
export type SoughtTexts = {
  readonly texts: readonly string[]
  readonly isEach: boolean
  readonly areWords: boolean
}

/** The texts that every match of an operator has; null where it asks for none. */
export function soughtTexts(operator: RowOperator, values: readonly string[]): SoughtTexts | null {
  switch (operator) {
    case 'equals':
    case 'anyexact':
      return { texts: values, isEach: false, areWords: true }
    case 'substring':
    case 'casesubstring':
      return { texts: values, isEach: false, areWords: false }
    case 'anywords':
    case 'anywordssubstr':
      return { texts: wordsOf(values), isEach: false, areWords: operator === 'anywords' }
    case 'allwords':
    case 'allwordssubstr': {
      const words = wordsOf(values).toSorted((a, b) => lengthOf(b) - lengthOf(a))
      return { texts: words, isEach: true, areWords: operator === 'allwords' }
    }
    default:
      return null
  }
}

/** A column of `bugs` whose parts of three characters are indexed. */
export type IndexedText = 'summary_fold' | 'whiteboard_fold' | 'alias_fold' | 'url_fold'

/**
 * Returns a function that finds the bugs whose text contains what an operator asks for, by the index of three
 * characters; undefined when that is shorter, or the operator asks for no text.
 */
export function textCandidatesOf(
  text: IndexedText,
): (operator: RowOperator, values: readonly string[]) => IdList | undefined {
  const table = sql.raw(text === 'summary_fold' ? 'bugs_summary_fts' : 'bugs_texts_fts')
  return (operator, values) => {
    const [first, ...others] = indexedTexts(operator, values)
    if (first === undefined) {
      return undefined
    }
    const queries = [first, ...others].map((each) => `${text} : ${phraseOf(startOf(each))}`)
    const id = sql`f.rowid`
    const access = { kind: 'list', selectivity: SELECTIVITY.text } as const
    if (queries.length > 1) {
      const select = sql`SELECT ${id} FROM json_each(${JSON.stringify(queries)}) r
        CROSS JOIN ${table} f WHERE f.${table} MATCH r.value`
      return { ...access, select }
    }
    const stream = { table: sql`${table} f`, condition: sql`f.${table} MATCH ${queries[0]}`, id }
    const select = sql`SELECT ${id} FROM ${stream.table} WHERE ${stream.condition}`
    return { ...access, select, stream }
  }
}

/** The texts of which a match has one, if an index of three characters finds them all. */
function indexedTexts(operator: RowOperator, values: readonly string[]): string[] {
  const sought = soughtTexts(operator, values)
  const texts = (sought?.texts ?? []).slice(0, sought?.isEach ? 1 : undefined).map(fold)
  return texts.some((each) => lengthOf(each) < 3 || each.includes('\0')) ? [] : texts
}

/** The part of an address that a query holds: links to one site differ at their ends. */
const INDEXED_OF_LINK = 12

/** The query by which the index of links finds what an operator asks for; undefined when it asks for no text. */
export function linkQueryOf(operator: RowOperator, values: readonly string[]): string | undefined {
  const texts = indexedTexts(operator, values)
  return texts.length === 0 || texts.length > MAX_ALTERNATIVES
    ? undefined
    : texts.map((text) => `(${partsOf(text).map(phraseOf).join(' AND ')})`).join(' OR ')
}

function partsOf(text: string): string[] {
  const end = [...text].slice(-INDEXED_OF_LINK)
  return end.slice(2).map((_, at) => end.slice(at, at + 3).join(''))
}

function startOf(text: string, length = INDEXED_CHARACTERS): string {
  return [...text].slice(0, length).join('')
}

/** A text as a full-text query that means just this text. */
export function phraseOf(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

/** A word of a comment that the index and everybody else know alike, where the comment is of ASCII. */
const PLAIN_WORD = /^[a-z0-9]+$/

/**
 * Finds the bugs with a `visible` comment that has the words which every match of an operator has; perhaps others, and
 * none but matches where it is known which comments make one. The postings are of all comments. Undefined when the
 * operator asks for no whole words.
 */
export function commentCandidates(
  operator: RowOperator,
  values: readonly string[],
  visible: SQL,
  row?: SoughtRow,
): Omit<IdList, 'kind' | 'selectivity'> | undefined {
  const sought = soughtTexts(operator, values)
  const query = wordQueryOf(sought)
  if (query === undefined || sought === null) {
    return undefined
  }
  const found = {
    select: selectComments(query, visible),
    postings: sql`SELECT 1 FROM comments_body_fts f WHERE f.body MATCH ${query}`,
  }
  if (row === undefined) {
    return found
  }
  const asksForWords =
    row.isAlone &&
    (operator === 'anywords' || (operator === 'allwords' && sought.texts.length <= MAX_REQUIRED))
  const plain = asksForWords ? sought.texts.filter(isPlainWord) : []
  if (plain.length === sought.texts.length) {
    return { ...found, ...matchesOfWords(query, plain, visible, row, found.select) }
  }
  // of several words of which one is enough, a comparison is for those of which the index does not know all
  const isSplit = operator === 'anywords' && plain.length > 0
  const [exact, others] = [
    plain,
    sought.texts.filter((text) => !(isSplit && isPlainWord(text))),
  ].map((texts) => wordQueryOf({ ...sought, texts }))
  const compared = {
    exact: isSplit && exact ? matchesOfWords(exact, plain, visible, row).matches : undefined,
    commentsBehind: (behind: number) =>
      sql`SELECT f.rowid AS place FROM comments_body_fts f WHERE f.body MATCH ${others} AND f.rowid > ${behind}`,
    isMatch: row.condition,
    looks: row.comparisons * (kindOfOperator(operator) === 'words' ? 1 : LOOKS_AT_COMMENT.text),
  }
  return { ...found, matches: compareAtOnce(compared), compared }
}

function isPlainWord(text: string): boolean {
  return PLAIN_WORD.test(text.toLowerCase()) && text.length < INDEXED_IN_WORDS
}

function selectComments(query: string, condition: SQL): SQL {
  return sql`SELECT ${comments.bugId} FROM comments_body_fts f
    CROSS JOIN comments ON ${comments.id} = f.rowid WHERE f.body MATCH ${query} AND ${condition}`
}

/** What a query of plain words finds; texts outside ASCII are compared where the index takes others for a letter. */
function matchesOfWords(
  query: string,
  words: readonly string[],
  visible: SQL,
  row: SoughtRow,
  select = selectComments(query, visible),
) {
  if (words.every((word) => indexQueryOf(word.toLowerCase()) !== null)) {
    // the same object says that the list is exact
    return { matches: select, looksAtPosting: LOOKS_AT_COMMENT.itself }
  }
  const isPlain = sql`octet_length(${comments.body}) = length(${comments.body})`
  return {
    matches: selectComments(query, sql`${visible} AND (${isPlain} OR ${row.condition})`),
    looksAtPosting: LOOKS_AT_COMMENT.text,
  }
}

function wordQueryOf(sought: SoughtTexts | null): string | undefined {
  const whole = sought?.texts.map(sought.areWords ? wholeWordsOf : innerWordsOf) ?? []
  const phrases = whole.map((text) => neighboursIn(text, whole.length > 1 ? 1 : MAX_PHRASE_WORDS))
  return sought?.isEach ? allPhrases(phrases) : anyPhrase(phrases)
}

/** A text of whole words, or the start of a long one. */
function wholeWordsOf(text: string): string {
  const lower = text.toLowerCase()
  const start = startOf(lower, INDEXED_IN_WORDS)
  return start === lower ? lower : endWithWord(start)
}

/** What stands between the first sign of a text and its last: words on both ends may go on outside. */
function innerWordsOf(text: string): string {
  const start = startOf(text.toLowerCase(), INDEXED_IN_WORDS)
  const first = FIRST_SIGN.exec(start)?.index
  return first === undefined ? '' : endWithWord(start.slice(first))
}

function endWithWord(text: string): string {
  return text.slice(0, LAST_SIGN.exec(text)?.index ?? 0)
}

/** Runs of letters that the index knows: it takes a word for several where others stand between them. */
export function countRuns(text: string): number {
  return text.match(KNOWN_RUNS)?.length ?? 0
}

/** How many words the index takes a text for; a word with a few letters that it may not know counts as one. */
export function countIndexed(text: string): number {
  return (text.match(WORDS) ?? []).reduce((sum, word) => {
    const runs = countRuns(word)
    return sum + (runs > MAX_RUNS ? runs : 1)
  }, 0)
}

/** The part of a text with so many words side by side that has the most characters: long words are rare. */
export function neighboursIn(text: string, most: number): string {
  if (countIndexed(text) <= most) {
    return text
  }
  const words = [...text.matchAll(BETWEEN_SIGNS)].map(({ 0: word, index }) => {
    return { index, end: index + word.length, size: Math.max(countIndexed(word), 1) }
  })
  let longest = ''
  for (let first = 0, last = 0, size = 0; last < words.length; last += 1) {
    size += words[last]?.size ?? 0
    for (; size > most; first += 1) {
      size -= words[first]?.size ?? 0
    }
    const part = text.slice(words[first]?.index, words[last]?.end)
    longest = first <= last && part.length > longest.length ? part : longest
  }
  return longest || longestOf(text.match(KNOWN_RUNS) ?? [])
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
