import type { SQL } from 'drizzle-orm'
import { allOf, anyOf, limitTo, sql } from '../../../platform/db/sql.ts'
import { lengthOf } from '../../../platform/lib/text.ts'

/** D1 rejects GLOB patterns over 50 bytes. */
const MAX_PATTERN_BYTES = 50
/** Characters of a text with whole words that are looked up in an index: each of the words costs a list. */
export const INDEXED_IN_WORDS = 200
/** Places of a word in one text that are looked at, since each costs a walk through the text. */
const MAX_PLACES = 1000

/**
 * Code points from U+0080 that are no letters, digits or other numbers; all others count as letters. No token
 * of the full-text indexes contains one, so that these find every whole word.
 */
const SIGNS = JSON.stringify([
  [0x80, 0xa9],
  [0xab, 0xb1],
  [0xb4, 0xb4],
  [0xb6, 0xb8],
  [0xbb, 0xbb],
  [0xbf, 0xbf],
  [0xd7, 0xd7],
  [0xf7, 0xf7],
  [0x2000, 0x206f],
  [0x20a0, 0x20cf],
  [0x2190, 0x245f],
  [0x249c, 0x24e9],
  [0x2500, 0x2775],
  [0x2794, 0x2bff],
  [0x2e00, 0x2e2e],
  [0x2e30, 0x2e7f],
  [0x3000, 0x3004],
  [0x3008, 0x3020],
  [0x3030, 0x3030],
  [0x303d, 0x303f],
  [0xfe10, 0xfe1f],
  [0xfe30, 0xfe6f],
  [0x1f000, 0x1f0ff],
  [0x1f10d, 0x1faff],
])

/** A folded word, as the condition takes it. */
export type WholeWord = {
  readonly word: string
  readonly length: number
  /** Null for a word that is too long for one. */
  readonly pattern: string | null
  /** See `indexQueryOf`. */
  readonly query: string | null
}

/** The same as pieces of SQL. */
export type WholeWordPieces = Readonly<Record<keyof WholeWord, SQL>>

/** A sign of ASCII in a pattern. */
const SIGN = '[\u0001-/:-`{-\u007f]'

export function wholeWord(word: string): WholeWord {
  return {
    word,
    length: lengthOf(word),
    pattern: plainWordPattern(word, false),
    query: indexQueryOf(word),
  }
}

/**
 * The query for a folded word that the index of comments finds as a comparison does; null for others, because the index
 * takes the Kelvin sign for `k` and the long s for `s`, and is asked for the start of a long one.
 */
export function indexQueryOf(word: string): string | null {
  return word.length < INDEXED_IN_WORDS && /^[a-jl-rt-z0-9]+$/.test(word) ? `"${word}"` : null
}

/**
 * A pattern of texts that have a word with signs of ASCII beside it, or one with this start. No other text of ASCII has
 * the word.
 */
export function plainWordPattern(word: string, isStart: boolean): string | null {
  const pattern = `*${SIGN}${word.replace(/[*?[]/g, '[$&]')}${isStart ? '' : SIGN}*`
  return fits(pattern) ? pattern : null
}

/**
 * A pattern of texts in which words that end with these words of ASCII stand one behind the other, or those of them that
 * fit into it; no other text of ASCII has all of them side by side. A sign ahead of each word too would take thrice as
 * long: SQLite looks for a letter faster than for one of several signs.
 */
export function plainPhrasePattern(words: readonly string[]): string | null {
  if (words.length < 2 || !words.every((word) => /^[a-z0-9]+$/.test(word))) {
    return null
  }
  const pattern = words.reduce((all, word) => {
    const longer = `${all}*${word}${SIGN}`
    return longer.length < MAX_PATTERN_BYTES ? longer : all
  }, '')
  return pattern === '' ? null : `${pattern}*`
}

/** What is no letter or digit of ASCII in lower case. */
const APART = '[^a-z0-9]'

/**
 * Whether a text in lower case, or `text` with all letters that an index takes for ASCII, has a phrase; NULL where
 * patterns do not tell. The longest two words that are neighbours have one sign between them, two or, rarely, more.
 */
export function phraseCondition(
  { words, isFolded }: { readonly words: readonly string[]; readonly isFolded: boolean },
  { low, text, isPlain }: Readonly<Record<'low' | 'text' | 'isPlain', SQL>>,
): SQL {
  const pairs = words.slice(1).map((word, n) => [words[n] ?? '', word] as const)
  const [pair] = pairs.toSorted(([a, b], [c, d]) => c.length + d.length - a.length - b.length)
  if (pair === undefined || !words.every((word) => /^[a-z0-9]+$/.test(word))) {
    return sql`NULL`
  }
  const [word, next] = pair
  const far = APART.repeat(3)
  const close = [`*${word}${APART}${next}*`, `*${word}${APART}${APART}${next}*`]
  const distant = [`*${word}${far}*${next}*`, `*${word}*${far}${next}*`]
  if (![...close, ...distant].every(fits)) {
    return sql`NULL`
  }
  const isNearIn = (where: SQL) => {
    const matches = (pattern: string) => sql`${where} GLOB ${pattern}`
    return anyOf([...close.map(matches), allOf(distant.map(matches))])
  }
  const has = (sign: string) => {
    const pattern = `*${['', ...words, ''].join(sign)}*`
    return fits(pattern) ? sql`WHEN ${matchesWordPattern(low, sql`${pattern}`)} THEN 1` : sql``
  }
  const elsewhere = isFolded ? sql`WHEN NOT ${isNearIn(text)} THEN 0 ${has(SIGN)}` : has(SIGN)
  return sql`CASE WHEN ${isPlain} THEN CASE WHEN NOT ${isNearIn(low)} THEN 0 ${has(APART)} END
    ${elsewhere} END`
}

function fits(pattern: string): boolean {
  return new TextEncoder().encode(pattern).length <= MAX_PATTERN_BYTES
}

/** The word as parameters of its own. */
export function bindWord({ word, length, pattern, query }: WholeWord): WholeWordPieces {
  return {
    word: sql`${word}`,
    length: sql`${length}`,
    pattern: sql`${pattern}`,
    query: sql`${query}`,
  }
}

/** The word of a row of `jsonRows`. */
export const WORD_OF_ROW: WholeWordPieces = {
  word: sql`(r.value ->> 'word')`,
  length: sql`(r.value ->> 'length')`,
  pattern: sql`(r.value ->> 'pattern')`,
  query: sql`(r.value ->> 'query')`,
}

/**
 * The condition that the word occurs in a folded text where no letter or digit stands beside it. Texts with letters
 * outside ASCII are looked up in their index, where that knows the word, or else looked at character by character.
 */
export function wholeWordCondition(
  folded: SQL,
  { word, length, pattern, query }: WholeWordPieces,
  isIndexed?: (query: SQL) => SQL,
): SQL {
  const at = sql`instr(${folded}, ${word})`
  const indexed = isIndexed ? sql`WHEN ${query} IS NOT NULL THEN ${isIndexed(query)}` : sql``
  // most texts do not have it at all, which takes a fraction of the time; of an AND, SQLite would evaluate both sides
  return sql`CASE WHEN ${at} = 0 THEN 0 WHEN ${standsAloneAt(folded, at, length)} THEN 1
    WHEN ${pattern} IS NOT NULL AND ${matchesWordPattern(folded, pattern)} THEN 1
    WHEN ${pattern} IS NOT NULL AND length(${folded}) = octet_length(${folded}) THEN 0
    ${indexed} ELSE ${exactCondition(folded, word, length)} END`
}

/** The condition that signs of ASCII are on both sides of a word where it occurs first, in one walk through the text. */
function standsAloneAt(folded: SQL, at: SQL, length: SQL): SQL {
  return sql`(SELECT substr(piece, 1, 1) GLOB ${SIGN} AND substr(piece, -1) GLOB ${SIGN}
    FROM (SELECT substr(' ' || ${folded} || ' ', ${at}, ${length} + 2) AS piece LIMIT 1))`
}

/** The same for a text and a word of ASCII alone, by the pattern of `wholeWord`. */
export function matchesWordPattern(folded: SQL, pattern: SQL): SQL {
  return sql`(' ' || ${folded} || ' ') GLOB ${pattern}`
}

/**
 * The condition that a sign of ASCII is ahead of a word where it occurs first, which tells most texts in a fraction of
 * the time of a pattern that begins with a sign.
 */
export function beginsAloneAt(folded: SQL, at: SQL): SQL {
  return sql`(${at} = 1 OR substr(${folded}, ${at} - 1, 1) GLOB ${SIGN})`
}

/** The same for the sign behind it. */
export function endsAloneAt(folded: SQL, at: SQL, word: SQL): SQL {
  const behind = sql`substr(${folded}, ${at} + length(${word}), 1)`
  return sql`(${behind} = '' OR ${behind} GLOB ${SIGN})`
}

/**
 * The condition that a text of ASCII has the word behind the place where it occurs first, but not alone; 0 where it does
 * not occur. A pattern that begins with a letter takes a tenth of the time.
 */
export function hasOtherPlace(
  folded: SQL,
  at: SQL,
  { first, isPrefix, pattern }: Pick<TermPieces, 'first' | 'isPrefix' | 'pattern'>,
): SQL {
  const isBeforeSign = sql`(substr(${folded}, ${at} + 1) || ' ') GLOB ('*' || ${first} || ${SIGN} || '*')`
  return sql`CASE WHEN ${at} = 0 THEN 0 WHEN NOT (${isPrefix} OR ${isBeforeSign}) THEN 0
    ELSE (substr(${folded}, ${at}) || ' ') GLOB ${pattern} END`
}

function exactCondition(folded: SQL, word: SQL, length: SQL): SQL {
  return sql`EXISTS (WITH RECURSIVE ${placesOf(word, folded)}
    SELECT 1 FROM (SELECT at, unicode(substr(' ' || ${folded}, at, 1)) AS ahead,
        unicode(substr(${folded} || ' ', at + ${length}, 1)) AS behind FROM place)
      WHERE at > 0 AND ${isSign('ahead')} AND ${isSign('behind')})`
}

/** The condition that a word of a text begins so: nothing but a sign is ahead of it. */
export function wordStartCondition(folded: SQL, start: SQL): SQL {
  return sql`EXISTS (WITH RECURSIVE ${placesOf(start, folded)}
    SELECT 1 FROM (SELECT at, unicode(substr(' ' || ${folded}, at, 1)) AS ahead FROM place)
      WHERE at > 0 AND ${isSign('ahead')})`
}

/** The table of the places of a word in a text; 0 where there is none. */
function placesOf(word: SQL, folded: SQL): SQL {
  return sql`place(at) AS (
      SELECT instr(${folded}, ${word})
      UNION ALL
      SELECT at + instr(substr(${folded}, at + 1), ${word}) FROM place
        WHERE at > 0 AND instr(substr(${folded}, at + 1), ${word}) > 0
      ${limitTo(MAX_PLACES)})`
}

/** The condition that a code point is no letter, digit or other number. */
function isSign(column: string): SQL {
  const code = sql.raw(column)
  // most characters are of ASCII, and none of these is looked for in the list
  return sql`CASE WHEN ${code} < 128 THEN char(${code}) NOT GLOB '[a-z0-9]' ELSE EXISTS (
    SELECT 1 FROM json_each(${SIGNS}) s WHERE ${code} BETWEEN s.value ->> 0 AND s.value ->> 1) END`
}

/** One term of words as pieces of SQL. */
export type TermPieces = {
  readonly first: SQL
  /** A JSON array. */
  readonly words: SQL
  readonly size: SQL
  readonly isPrefix: SQL
  /** NULL where one of ASCII alone does not tell. */
  readonly pattern: SQL
  /** A pattern of all texts of ASCII that may have the words, or NULL. */
  readonly near: SQL
}

/**
 * The condition that the words of a term stand side by side in a folded text, with nothing but signs
 * between them. A walk begins at the character ahead of each place of the first word: it passes signs one by
 * one, and takes a word behind a sign. One word of ASCII in a text of ASCII is compared in a fifth of the time.
 */
export function summaryWordsCondition(folded: SQL, term: TermPieces): SQL {
  const { first, words, size, isPrefix, pattern, near } = term
  const isPlain = sql`octet_length(${folded}) = length(${folded})`
  return sql`(CASE WHEN instr(${folded}, ${first}) = 0 THEN 0
    WHEN ${pattern} IS NOT NULL AND ${isPlain} THEN ${matchesWordPattern(folded, pattern)}
    WHEN ${near} IS NOT NULL AND ${isPlain} AND NOT ${matchesWordPattern(folded, near)} THEN 0 ELSE EXISTS (
    WITH RECURSIVE ${placesOf(first, folded)},
    walk(n, rest, code, is_behind_sign) AS (
      SELECT 0, substr(' ' || ${folded} || ' ', at), unicode(substr(' ' || ${folded}, at, 1)), 0 FROM place
      UNION ALL
      SELECT n, substr(rest, 2), unicode(substr(rest, 2, 1)), 1 FROM walk WHERE ${isSign('code')}
      UNION ALL
      SELECT n + 1, substr(rest, length(w.value) + 1), unicode(substr(rest, length(w.value) + 1, 1)), 0
        FROM walk CROSS JOIN json_each(${words}) w
        WHERE is_behind_sign = 1 AND w.key = n AND substr(rest, 1, length(w.value)) = w.value)
    SELECT 1 FROM walk WHERE n = ${size} AND (is_behind_sign OR ${isPrefix})) END)`
}
