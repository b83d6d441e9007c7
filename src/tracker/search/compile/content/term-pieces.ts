import type { SQL } from 'drizzle-orm'
import { sql } from '../../../../platform/db/sql.ts'
import { plainPhrasePattern, plainWordPattern } from '../whole-word.ts'
import type { ContentTerm } from './content-terms.ts'

const PIECES = [
  ...['first', 'words', 'size', 'isPrefix', 'pattern', 'near'],
  ...['run', 'query', 'trigrams', 'isFolded'],
] as const

/** A term as pieces of SQL: bound, or the columns of `tableOfTerms`. */
export type ContentPieces = Readonly<Record<(typeof PIECES)[number], SQL>>

function eachPiece(of: (name: keyof ContentPieces) => SQL): ContentPieces {
  return Object.fromEntries(PIECES.map((name) => [name, of(name)])) as ContentPieces
}

/** Those of a row of `tableOfTerms`. */
export const PIECES_OF_ROW = eachPiece((name) => sql.raw(`t.${name}`))
const COLUMNS = sql.raw(PIECES.map((name) => `value ->> '${name}' AS ${name}`).join(', '))

/** SQLite takes the terms apart once for all texts. */
export function tableOfTerms(terms: readonly ContentTerm[]): SQL {
  const rows = sql`SELECT ${COLUMNS} FROM json_each(${JSON.stringify(terms.map(textsOf))})`
  return sql`(WITH terms AS MATERIALIZED (${rows}) SELECT * FROM terms) t`
}

function textsOf(term: ContentTerm): Readonly<Record<keyof ContentPieces, string | number | null>> {
  const { words, isPrefix, query, run, trigrams, isFolded } = term
  return {
    first: words[0] ?? '',
    words: JSON.stringify(words),
    size: words.length,
    run,
    query,
    trigrams,
    isPrefix: Number(isPrefix),
    isFolded: Number(isFolded),
    pattern: patternOfTerm(words, isPrefix),
    near: isPrefix ? null : plainPhrasePattern(words),
  }
}

/** Those of one term: two thirds of the time of a table with one row. */
export function piecesOfTerm(term: ContentTerm): ContentPieces {
  const texts = textsOf(term)
  return eachPiece((name) => {
    const value = texts[name]
    return typeof value === 'number' ? sql.raw(`${value}`) : sql`${value}`
  })
}

/** Whether a condition holds for some of the terms. */
export function someTerm(
  terms: readonly ContentTerm[],
  conditionOf: (pieces: ContentPieces) => SQL,
): SQL {
  const [only] = terms
  return only !== undefined && terms.length === 1
    ? sql`(${conditionOf(piecesOfTerm(only))})`
    : sql`EXISTS (SELECT 1 FROM ${tableOfTerms(terms)} WHERE ${conditionOf(PIECES_OF_ROW)})`
}

/** Null where no pattern tells the term: a phrase, a long word, or letters outside ASCII. */
export function patternOfTerm(
  [word = '', ...others]: readonly string[],
  isPrefix: boolean,
): string | null {
  const isPlain = others.length === 0 && /^[a-z0-9]+$/.test(word)
  return isPlain ? plainWordPattern(word, isPrefix) : null
}
