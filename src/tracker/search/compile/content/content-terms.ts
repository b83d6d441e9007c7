import { fold, lengthOf, longestOf } from '../../../../platform/lib/text.ts'
import { countIndexed, countRuns, neighboursIn, phraseOf } from '../text-index.ts'

/** One word or phrase of a search for words, in the forms in which it is looked up. */
export type ContentTerm = {
  /** The words of a summary, folded; the last may go on when `isPrefix`. */
  readonly words: readonly string[]
  readonly isPrefix: boolean
  /** Whether the index of comments may look it up as several words. */
  readonly isPhrase: boolean
  /** The query of the index of comments, which folds by itself. */
  readonly query: string
  /** Whether the folded words are the given ones in lower case, so that no comment has the term in another form. */
  readonly isFolded: boolean
  /**
   * Letters that every comment with the term has in this order, in either case; empty for none that ASCII
   * tells.
   */
  readonly run: string
  /** The query of the index of summaries; null when no word has three characters. */
  readonly trigrams: string | null
}

export type ContentTerms = {
  readonly required: readonly ContentTerm[]
  readonly optional: readonly ContentTerm[]
  readonly excluded: readonly ContentTerm[]
}

/** What the index of comments takes for the characters of a word: combining accents do not begin one. */
const WORD = /[\p{L}\p{N}\p{Co}](?:[\p{L}\p{N}\p{Co}]|[\u0300-\u0331])*/gu
const TERM = /([+-]?)(?:"([^"]*)"?|([^\s"]+))/g
/** Without the letters of which the index takes others for the capitals: the Kelvin sign and the long s. */
const RUN = /[a-jl-rt-z0-9]+/g
/** The part of a word that a query of the index of summaries holds. */
const INDEXED_CHARACTERS = 60
const LOOKED_UP_WORDS = 3

/**
 * Parses the value of `content`: words, of which some may be required or excluded, may go on, or
 * stand in a phrase. Punctuation separates words.
 */
export function parseContent(value: string): ContentTerms {
  const terms = { '+': [] as ContentTerm[], '': [] as ContentTerm[], '-': [] as ContentTerm[] }
  for (const [, sign = '', phrase, bare = ''] of value.matchAll(TERM)) {
    const words = (phrase ?? bare).match(WORD) ?? []
    const list = terms[sign as '+' | '' | '-']
    if (phrase === undefined) {
      const last = bare.endsWith('*') ? words.length - 1 : -1
      for (const [n, word] of words.entries()) {
        list.push(makeTerm([word], n === last))
      }
    } else if (words.length > 0) {
      list.push(makeTerm(words, false))
    }
  }
  return { required: terms['+'], optional: terms[''], excluded: terms['-'] }
}

/** The number of phrases in the value of `content`, and of words that the index may take for one. */
export function countPhrases(value: string): number {
  return [...value.matchAll(TERM)].reduce((sum, [, , phrase, bare = '']) => {
    const texts = phrase === undefined ? (bare.match(WORD) ?? []) : [phrase]
    return sum + texts.filter((text) => countIndexed(text) > 1).length
  }, 0)
}

/** The same value, whose phrases have at most so many words: the longest that stand side by side. */
export function shortenPhrases(value: string, most: number): string {
  return value.replace(TERM, (whole, sign: string, phrase: string | undefined, bare: string) =>
    phrase === undefined
      ? sign + bare.replace(WORD, (word) => neighboursIn(word, most))
      : countIndexed(phrase) > most
        ? `${sign}"${neighboursIn(phrase, most)}"`
        : whole,
  )
}

function makeTerm(given: readonly string[], isPrefix: boolean): ContentTerm {
  const words = given.flatMap((word) => fold(word).match(WORD) ?? [])
  return {
    words,
    isPrefix,
    isPhrase: words.length > 1 || countRuns(given.join(' ')) > 1,
    query: queryOf(given, words, isPrefix),
    isFolded: given.join(' ').toLowerCase() === words.join(' '),
    run: longestOf(given.flatMap(runsOf)),
    trigrams: trigramsOf(words),
  }
}

/** As it is given, and in the form that people mean by it: comments are stored as they were written. */
function queryOf(given: readonly string[], folded: readonly string[], isPrefix: boolean): string {
  const forms = new Set([given.join(' ').toLowerCase(), folded.join(' ')])
  return [...forms].map((form) => phraseOf(form) + (isPrefix ? ' *' : '')).join(' OR ')
}

/** A word that folding changes beyond its case may stand in a comment in either form. */
function runsOf(word: string): string[] {
  const lower = word.toLowerCase()
  return fold(word) === lower ? (lower.match(RUN) ?? []) : []
}

function trigramsOf(words: readonly string[]): string | null {
  const long = [...new Set(words)]
    .filter((word) => lengthOf(word) >= 3)
    .toSorted((a, b) => lengthOf(b) - lengthOf(a))
    .slice(0, LOOKED_UP_WORDS)
  return long.length === 0
    ? null
    : long.map((word) => phraseOf([...word].slice(0, INDEXED_CHARACTERS).join(''))).join(' AND ')
}
