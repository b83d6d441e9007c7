import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../../platform/access/caller.ts'
import { visibleCommentCondition } from '../../../platform/access/visibility.ts'
import { REACH_LIMIT } from '../../../platform/db/read-limit.ts'
import { comments } from '../../../platform/db/schema/bugs.ts'
import { commentWords, isCutCondition } from '../../../platform/db/schema/comment-words.ts'
import { aliasColumns, countUpTo, limitTo, sql, unionOf } from '../../../platform/db/sql.ts'
import { lengthOf, longestOf } from '../../../platform/lib/text.ts'
import type { IdList } from '../condition.ts'
import { NEWEST_INDEXED_COMMENT } from '../index-upkeep.ts'
import type { RowOperator } from '../operators.ts'
import {
  countIndexed,
  FIRST_SIGN,
  MAX_ALTERNATIVES,
  MAX_PHRASE_WORDS,
  MAX_REQUIRED,
  phraseOf,
  type SoughtTexts,
  soughtTexts,
} from './text-index.ts'

/** Parts of one text that are looked up: each is a list in the index. */
const MAX_TRIGRAMS = 12
/** Parts of words that a comment has beside the one that leads to it. */
const MAX_FILTERS = 2
/** Words that may stand for such a part; it is not looked up where there are more. */
const MAX_FILTER_WORDS = 50
/** Characters of a text that are looked up as a phrase. */
const MAX_PHRASE = 200
/** Parts of a text of which the one with the fewest words leads to comments. */
const MAX_LEADS = 4
/** Words with the parts that lead, and words that are looked at to find these, of all texts together. */
const MAX_WORDS = 1000
const MAX_WORDS_SEEN = 5000
/** The same of each text, however many there are. */
const MIN_WORDS_SEEN = 200
/** Comments up to which those with a word are compared with the text; of more, those with the phrase are. */
const FEW_COMMENTS = 100
/** Comments that are compared. */
const MAX_COMPARED = 10_000
/** Words that are looked up however many comments have them. */
const FEW_WORDS = 4
/** Entries of the index that are passed for words, or collected for phrases that end with the start of a word. */
const MAX_COLLECTED = 300_000
/** Bytes of a word from which its start is looked up. */
const LONG_WORD = 1000
const LONG_WORD_START = 200

/**
 * Runs of letters and digits that the index of words has always known, and of which it and the comparison of texts
 * know the case alike.
 */
const LETTERS =
  /[a-z0-9\u00df-\u00f6\u00f8-\u0233\u03b1-\u03c9\u0430-\u0451\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fcb\uac00-\ud7a3]{3,}/g
/** The words behind the first one of a phrase, as many as are looked up. */
const NEXT_WORDS = new RegExp(`^(?:[^a-z0-9]*[a-z0-9]+){${MAX_PHRASE_WORDS - 1}}`)
const ASCII = /^\p{ASCII}*$/u
/** A part of a text that stands within one word of it, and what is known of the rest of the word. */
type WordPart = {
  readonly part: string
  readonly trigrams: string
  /** Where the part stands in the word; unknown where the index may have other letters than the text. */
  readonly place: 'start' | 'end' | 'whole' | 'inside' | 'unknown'
}

/** A part that leads to the comments with a text, and what these have besides. */
type Lead = WordPart & {
  readonly filters: readonly WordPart[]
  /** What follows the word, as the end of its phrase: a quotation mark and all that it takes. */
  readonly rest: string
  /** The start of a word with which the phrase ends, as a query; null for none. */
  readonly start: string | null
}

/** The leads of a text; `exact` is the only one where each comment with it has the text. */
type SoughtWords = { readonly exact: Lead } | { readonly leads: readonly Lead[] }

const w = aliasColumns(commentWords, 'w')

/**
 * Selects the bugs with a visible comment that has the texts which every match of an operator has; perhaps
 * others. Comments that the index does not have yet are read. Undefined when a text has no three letters or digits
 * side by side, or the operator asks for no text.
 */
export function commentTextCandidates(
  operator: RowOperator,
  values: readonly string[],
  caller: Caller,
): Pick<IdList, 'select' | 'isTooLong'> | undefined {
  const all = soughtTexts(operator, values)
  if (all === null || (!all.isEach && all.texts.length > MAX_ALTERNATIVES)) {
    return undefined
  }
  const indexed = all.texts.filter((text) => wordPartsOf(text).length > 0)
  if (indexed.length === 0 || (!all.isEach && indexed.length < all.texts.length)) {
    return undefined
  }
  const sought = { ...all, texts: all.isEach ? indexed.slice(0, MAX_REQUIRED) : indexed }
  const isVisible = visibleCommentCondition(caller)
  const hasText = sql`${isVisible} AND ${hasTextCondition(sought)}`
  const words = soughtWordsOf(sought)
  const exact = words.flatMap((each) => ('exact' in each ? [each.exact] : []))
  const compared = words.flatMap((each) => ('leads' in each ? [each.leads] : []))
  return {
    select: unionOf([
      ...(exact.length === 0 ? [] : [selectByExactWords(exact, isVisible)]),
      ...(compared.length === 0 ? [] : [selectByWords(compared, hasText)]),
      selectByCutWords(hasText),
      selectByTrigrams(sought, hasText),
      sql`SELECT ${comments.bugId} FROM comments
        WHERE ${comments.id} > ${NEWEST_INDEXED_COMMENT} AND ${hasText}`,
    ]),
    ...(compared.length > 0 && { isTooLong: hasManyWords(compared) }),
  }
}

/** Each comment with one of the words is a match. */
function selectByExactWords(leads: readonly Lead[], isVisible: SQL): SQL {
  return sql`SELECT ${comments.bugId} FROM json_each(${JSON.stringify(leads)}) t
    CROSS JOIN comment_words_fts v CROSS JOIN comment_words w ON ${w.id} = v.rowid
    CROSS JOIN comments_body_fts f CROSS JOIN comments ON ${comments.id} = f.rowid
    WHERE v.comment_words_fts MATCH (t.value ->> 'trigrams') AND ${hasPart(sql`t.value`)}
      AND f.comments_body_fts MATCH ${queryOfWord()} AND ${isVisible}`
}

/**
 * Each comment with the phrase of a word, or with the word where few have it, is compared. Fails with `ReadLimit` where
 * these are too many, or it takes too much to find them.
 */
function selectByWords(texts: readonly (readonly Lead[])[], hasText: SQL): SQL {
  return sql`SELECT bug FROM (WITH ${chooseWords(texts)}, work AS MATERIALIZED (SELECT ${isTooMuchWork()} AS is_much),
      compared AS MATERIALIZED (SELECT f.rowid AS id FROM word t CROSS JOIN comments_body_fts f
        WHERE f.comments_body_fts MATCH t.query LIMIT (SELECT iif(is_much, 0, ${MAX_COMPARED} + 1) FROM work)),
      affordable AS MATERIALIZED (SELECT iif(is_much OR (SELECT count(*) FROM compared) > ${MAX_COMPARED},
        ${REACH_LIMIT}, 1) AS is_so FROM work)
    SELECT ${comments.bugId} AS bug FROM affordable CROSS JOIN compared
    CROSS JOIN comments ON ${comments.id} = compared.id AND is_so WHERE ${hasText})`
}

/** Whether too many words have a part of the texts. */
function hasManyWords(texts: readonly (readonly Lead[])[]): SQL {
  return sql`(WITH ${chooseLeads(texts)} SELECT ${HAS_MANY_WORDS})`
}

/** A table of the lead of each text. */
function chooseLeads(texts: readonly (readonly Lead[])[]): SQL {
  const most = Math.max(MIN_WORDS_SEEN, Math.floor(MAX_WORDS_SEEN / texts.length))
  return sql`lead AS MATERIALIZED (SELECT s.key AS text, p.value, min(${countWords(sql`p.value`, most)}) AS n
      FROM json_each(${JSON.stringify(texts)}) s CROSS JOIN json_each(s.value) p GROUP BY s.key)`
}

const HAS_MANY_WORDS = sql`(SELECT sum(n) FROM lead) > ${MAX_WORDS}`

/** The same, and a table of the words that have it. */
function chooseWords(texts: readonly (readonly Lead[])[]): SQL {
  const lead = sql`l.value`
  const own = queryOfWord()
  const ofWord = sql`SELECT 1 FROM comments_body_fts f WHERE f.comments_body_fts MATCH ${own}`
  const isFrequent = sql`(${lead} ->> 'rest') <> '"' AND ${countUpTo(ofWord, FEW_COMMENTS)} > ${FEW_COMMENTS}`
  return sql`${chooseLeads(texts)},
    chosen AS MATERIALIZED (SELECT lead.value, ${filterOf(sql`(lead.value -> 'filters')`)} AS filter
      FROM lead WHERE NOT ${HAS_MANY_WORDS}),
    word AS MATERIALIZED (SELECT own, iif(is_phrase, start, NULL) AS start,
        iif(is_phrase, phrase, own) || filter AS query FROM (
      SELECT ${own} AS own, ${queryOfWord(sql`(${lead} ->> 'rest')`)} AS phrase, l.filter,
        ${lead} ->> 'start' AS start, ${isFrequent} AS is_phrase
      FROM chosen l
      CROSS JOIN comment_words_fts v CROSS JOIN comment_words w ON ${w.id} = v.rowid
      WHERE v.comment_words_fts MATCH (${lead} ->> 'trigrams') AND ${hasPart(lead)}))`
}

/** How many words have a part; more than may be where that many are looked at. */
function countWords(part: SQL, most: number): SQL {
  return sql`(SELECT iif(count(*) > ${most}, ${MAX_WORDS} + 1, count(*) FILTER (WHERE ${hasPart(part)}))
    FROM (SELECT rowid AS id FROM comment_words_fts WHERE comment_words_fts MATCH (${part} ->> 'trigrams')
      ${limitTo(most + 1)}) v CROSS JOIN comment_words w ON ${w.id} = v.id)`
}

/** Whether it takes too much to look up the words, or the phrases of those that are frequent. */
function isTooMuchWork(): SQL {
  const most = sql`CAST(${MAX_COLLECTED} / (SELECT count(*) FROM word WHERE start IS NOT NULL) AS INTEGER)`
  const collectsMany = sql`(SELECT count(*) FROM (SELECT 1 FROM comments_body_fts f
    WHERE f.comments_body_fts MATCH s.start LIMIT ${most} + 1)) > ${most}`
  const passed = sql`SELECT 1 FROM word t CROSS JOIN comments_body_fts f
    WHERE start IS NULL AND f.comments_body_fts MATCH t.own`
  const passesMany = sql`${countUpTo(passed, MAX_COLLECTED)} > ${MAX_COLLECTED}`
  return sql`CASE WHEN ${HAS_MANY_WORDS} THEN 1
    WHEN (SELECT count(*) FROM word WHERE start IS NULL) > ${FEW_WORDS} AND ${passesMany} THEN 1
    ELSE EXISTS (SELECT 1 FROM (SELECT DISTINCT start FROM word WHERE start IS NOT NULL) s
      WHERE ${most} < ${MAX_COLLECTED} AND ${collectsMany}) END`
}

function selectByCutWords(hasText: SQL): SQL {
  return sql`SELECT ${comments.bugId} FROM comment_words w
    CROSS JOIN comments_body_fts f CROSS JOIN comments ON ${comments.id} = f.rowid
    WHERE ${isCutCondition(w.word)} AND f.comments_body_fts MATCH ${queryOfWord()} AND ${hasText}`
}

/** The older index, until the words of its comments are known. */
function selectByTrigrams({ texts, isEach }: SoughtTexts, hasText: SQL): SQL {
  const query = texts
    .map(
      (text) =>
        `(${wordPartsOf(text)
          .map(({ trigrams }) => trigrams)
          .join(' AND ')})`,
    )
    .join(isEach ? ' AND ' : ' OR ')
  return sql`SELECT ${comments.bugId} FROM comments_trigram_fts f
    CROSS JOIN comments ON ${comments.id} = f.rowid WHERE f.comments_trigram_fts MATCH ${query} AND ${hasText}`
}

/** The query of the index of words for what else a comment has: words with the other parts, where these are few. */
function filterOf(filters: SQL): SQL {
  const query = sql`CASE
    WHEN count(*) = 0 THEN ' AND "' || (p.value ->> 'part') || '"'
    WHEN count(*) <= ${MAX_FILTER_WORDS} THEN ' AND (' || group_concat(quoted, ' OR ') || ')'
    ELSE '' END`
  const words = sql`SELECT ${queryOfWord()} AS quoted
    FROM comment_words_fts v CROSS JOIN comment_words w ON ${w.id} = v.rowid
    WHERE v.comment_words_fts MATCH (p.value ->> 'trigrams') AND ${hasPart(sql`p.value`)}
    ${limitTo(MAX_FILTER_WORDS + 1)}`
  return sql`coalesce((SELECT group_concat((SELECT ${query} FROM (${words})), '') FROM json_each(${filters}) p), '')`
}

/** The condition that a word `w` has a part where the text has it. */
function hasPart(part: SQL): SQL {
  const text = sql`(${part} ->> 'part')`
  return sql`CASE ${part} ->> 'place'
    WHEN 'whole' THEN ${w.word} = ${text}
    WHEN 'start' THEN substr(${w.word}, 1, length(${text})) = ${text}
    WHEN 'end' THEN substr(${w.word}, -length(${text})) = ${text}
    WHEN 'inside' THEN instr(${w.word}, ${text}) > 0
    ELSE 1 END`
}

function queryOfWord(rest = sql`'"'`): SQL {
  return sql`iif(octet_length(${w.word}) < ${LONG_WORD}, '"' || ${w.word} || ${rest},
    '"' || substr(${w.word}, 1, ${LONG_WORD_START}) || '" *')`
}

function soughtWordsOf({ texts, isEach }: SoughtTexts): SoughtWords[] {
  return isEach
    ? [soughtOf(texts.flatMap(wordPartsOf), texts.join(' '))]
    : texts.map((text) => soughtOf(wordPartsOf(text), text))
}

function soughtOf(parts: readonly WordPart[], text: string): SoughtWords {
  const longest = parts.toSorted((a, b) => lengthOf(b.part) - lengthOf(a.part))
  const [first] = parts
  const phrase = first && phraseFromStart(first, text)
  const leads = new Set([...(phrase ? [first] : []), ...longest].slice(0, MAX_LEADS))
  const [only] = leads
  const described = [...leads].map((lead) => ({
    ...lead,
    filters: longest.filter((part) => part !== lead).slice(0, MAX_FILTERS),
    ...(phrase && lead === first ? phrase : { rest: '"', start: null }),
  }))
  const [exact] = described
  return exact && only?.place === 'inside' && only.part === text.toLowerCase()
    ? { exact }
    : { leads: described }
}

/** A text that begins with the end of a word is a phrase of each such word; null for another one. */
function phraseFromStart(lead: WordPart, text: string): Pick<Lead, 'rest' | 'start'> | null {
  const start = text.toLowerCase().slice(0, MAX_PHRASE)
  if (lead.place !== 'end' || !start.startsWith(lead.part) || !ASCII.test(start)) {
    return null
  }
  const behind = start.slice(lead.part.length)
  // the start of a word that has a few letters begins too many words
  const [last] = (start.length === text.length && /[a-z0-9]{3,}$/.exec(behind)) || []
  const words = last === undefined ? behind.replace(/[a-z0-9]*$/, '') : behind
  const isLong = countIndexed(words) >= MAX_PHRASE_WORDS
  const near = isLong ? (NEXT_WORDS.exec(words)?.[0] ?? '') : words
  const rest = `${near.replaceAll('"', '""')}"`
  if (near.length < words.length) {
    return { rest, start: null }
  }
  return last === undefined ? { rest, start: null } : { rest: `${rest} *`, start: `"${last}" *` }
}

/** The parts of a text that stand in one word; none where a query would end at NUL. */
function wordPartsOf(text: string): WordPart[] {
  const lower = text.toLowerCase()
  return text.includes('\0')
    ? []
    : [...lower.matchAll(LETTERS)].map(({ 0: part, index }) => ({
        part,
        trigrams: trigramsOf(part).map(phraseOf).join(' AND '),
        place: placeOf(part, lower.slice(0, index).at(-1), lower.at(index + part.length)),
      }))
}

function placeOf(
  part: string,
  ahead: string | undefined,
  behind: string | undefined,
): WordPart['place'] {
  const [isStart, isEnd] = [ahead, behind].map(
    (sign) => sign !== undefined && FIRST_SIGN.test(sign),
  )
  if (!ASCII.test(part)) {
    return 'unknown'
  }
  return isStart ? (isEnd ? 'whole' : 'start') : isEnd ? 'end' : 'inside'
}

/** Runs of three characters in a part of a text, over its whole length. */
function trigramsOf(part: string): string[] {
  const characters = [...part]
  const all = characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(''))
  const step = Math.max(1, all.length / MAX_TRIGRAMS)
  return [...new Set(all.filter((_, at) => Math.floor(at % step) === 0))].slice(0, MAX_TRIGRAMS + 1)
}

/** The index knows that the parts of a text occur, not that they stand together. */
function hasTextCondition({ texts, isEach }: SoughtTexts): SQL {
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
  return longestOf(runs)
}
