import type { SQL } from 'drizzle-orm'
import { visibleIds } from '../../../../platform/access/bug-set.ts'
import type { Caller } from '../../../../platform/access/caller.ts'
import { visibleCommentCondition } from '../../../../platform/access/visibility.ts'
import { bugs, comments } from '../../../../platform/db/schema/bugs.ts'
import { aliasColumns, allOf, anyOf, limitTo, sql, unionOf } from '../../../../platform/db/sql.ts'
import { fault } from '../../../../platform/faults/fault.ts'
import { lengthOf } from '../../../../platform/lib/text.ts'
import {
  allConditions,
  anyCondition,
  type BugScan,
  costOf,
  isFound,
  type ListedBugs,
  LOOKS_AT_COMMENT,
  listOf,
  notCondition,
  ROW,
  SELECTIVITY,
  type SearchCondition,
  selectAtOnce,
  UNKNOWN_CONDITION,
} from '../../condition.ts'
import type { CompileContext } from '../../context.ts'
import type { Expression, FieldCondition } from '../../expression.ts'
import { searchInvalid } from '../../faults.ts'
import {
  beginsAloneAt,
  endsAloneAt,
  hasOtherPlace,
  matchesWordPattern,
  phraseCondition,
  summaryWordsCondition,
  wordStartCondition,
} from '../whole-word.ts'
import { type ContentTerm, type ContentTerms, parseContent } from './content-terms.ts'
import {
  type ContentPieces,
  PIECES_OF_ROW,
  patternOfTerm,
  piecesOfTerm,
  someTerm,
  tableOfTerms,
} from './term-pieces.ts'

/** No word of a search counts for its order. */
export const LAST_CHANGE = 'last change'

const MAX_TERMS = 100
/** Characters of a start of words that are looked up in the index. */
const MIN_PREFIX = 3
/** Required terms that an index looks up; the others are tested on what these leave. */
const MAX_INDEXED = 3
/**
 * Terms of a whole search that count for the order: each is looked up once, and is a part of the
 * statement.
 */
const MAX_COUNTED = 10

/** Visible texts of each word, the newest, whose bugs may be ranked. */
const MAX_NEWEST = 150
/** Texts of the index that are looked at for these. */
const MAX_SOUGHT = 450

/** Comments up to which those with a word are listed for its count, instead of compared with it. */
const MAX_LISTED = 1000

/**
 * The condition of `content`: no excluded term occurs, and all required ones, or without these some
 * other one. Each may be in the summary or in any visible comment.
 */
export function compileContent(
  condition: FieldCondition,
  { caller }: CompileContext,
): SearchCondition {
  const { required, optional, excluded } = termsOf(condition)
  if (required.length + optional.length === 0) {
    return excluded.length === 0 ? UNKNOWN_CONDITION : { test: sql`0`, cost: ROW }
  }
  const { source } = condition
  const [indexed, others] = splitRequired(required)
  return allConditions([
    ...(required.length > 0
      ? indexed.map((term) => someTermCondition([term], caller, source))
      : [someTermCondition(optional, caller, source)]),
    ...(others.length === 0 ? [] : [everyTermCondition(others, caller, source)]),
    ...(excluded.length === 0 ? [] : [notCondition(someTermCondition(excluded, caller, source))]),
  ])
}

/** The condition that a word of `content`, which is looked for in summaries beside, is in a visible comment. */
export function compileCommentWords(
  condition: FieldCondition,
  { caller }: CompileContext,
): SearchCondition {
  const [term] = termsOf(condition).optional
  return term === undefined
    ? UNKNOWN_CONDITION
    : commentTermCondition(term, caller, condition.source)
}

/** How the bugs of a search for words are ranked. */
export type Relevance = {
  /** The higher the better: how many of the words that need not occur do, then the last change. */
  readonly score: SQL
  /** How many words count. */
  readonly counted: number
  /** The criterion of which each bug with one of the words is found, and a select of the bugs of each. */
  readonly words?: {
    readonly criterion: FieldCondition
    readonly selects: readonly SQL[]
    /** A table of the visible bugs of the newest texts with each word, if all words count. */
    readonly newest?: SQL
  }
}

/**
 * The order of a search by relevance; that of the last change alone where no words count. Null for a search without
 * words.
 */
export function relevanceOf(
  expression: Expression,
  { caller }: CompileContext,
): Relevance | typeof LAST_CHANGE | null {
  const conditions = soughtContents(expression)
  if (conditions.length === 0) {
    return null
  }
  const parsed = conditions.map(termsOf)
  const terms = parsed
    .map(({ optional }) => optional)
    // one alone is in every hit
    .filter((optional) => optional.length > 1)
    .flatMap((optional) => optional.filter((term) => !isBroad(term)))
  const counted = eachOnce(terms).slice(0, MAX_COUNTED)
  if (counted.length === 0) {
    return LAST_CHANGE
  }
  const [only, ...others] = parsed
  const [criterion] = conditions
  const isFoundByWords =
    others.length === 0 && only?.required.length === 0 && only.excluded.length === 0
  const found = counted.map((term) => someTermCondition([term], caller, ROW.source))
  const isCountedWhole = counted.length === only?.optional.length
  const count = sql.join(
    counted.map((term) => sql`(${rankingTest(term, caller)})`),
    sql` + `,
  )
  return {
    score: sql`(${count}) * 100000000000 + ${bugs.changedAt}`,
    counted: counted.length,
    ...(isFoundByWords &&
      criterion && {
        words: {
          criterion,
          selects: found.filter(isFound).map(listOf).flatMap(withoutScan),
          ...(isCountedWhole &&
            counted.every(isIndexed) && { newest: newestWith(counted, caller) }),
        },
      }),
  }
}

/** Whether both indexes find the newest texts with the term before all others. */
function isIndexed(term: ContentTerm): boolean {
  return term.trigrams !== null && !isListedWhole(term) && !term.isPhrase
}

/** A table of bugs, of the number of words that each has in these texts, and of those of them that few texts have. */
function newestWith(terms: readonly ContentTerm[], caller: Caller): SQL {
  const page = { limit: MAX_NEWEST, offset: 0 }
  const inComments = {
    from: sql`(SELECT f.rowid AS place FROM comments_body_fts f WHERE f.body MATCH t.query
      ORDER BY f.rowid DESC ${limitTo(MAX_SOUGHT)}) CROSS JOIN comments ON ${comments.id} = place
      CROSS JOIN bugs ON ${bugs.id} = ${comments.bugId}`,
    condition: visibleCommentCondition(caller),
    order: [],
  }
  const inSummaries = {
    from: sql`(SELECT f.rowid AS place FROM bugs_summary_fts f WHERE f.summary_fold MATCH t.trigrams
      ORDER BY f.rowid DESC ${limitTo(MAX_SOUGHT)}) CROSS JOIN bugs ON ${bugs.id} = place`,
    condition: inSummary(PIECES_OF_ROW),
    order: [],
  }
  const lists = [inComments, inSummaries].map((list) => visibleIds(caller, list, page))
  // the limit keeps SQLite from making each list again wherever it is read
  return sql`(SELECT bug, sum(is_rare) AS rare_words, count(*) AS words FROM (
      SELECT DISTINCT word, l.value AS bug, json_array_length(list) < ${MAX_NEWEST} AS is_rare FROM (
        SELECT t.query AS word, (SELECT json_group_array(id) FROM (
          ${unionOf(lists.map(({ select }) => sql`SELECT id FROM (${select})`))})) AS list
        FROM ${tableOfTerms(terms)} LIMIT -1) CROSS JOIN json_each(list) l)
    GROUP BY bug)`
}

/** The test of some hundred bugs. Of a word with few comments, the index is faster than all comments of each bug. */
function rankingTest(term: ContentTerm, caller: Caller): SQL {
  return isListedWhole(term) ? listedTermCondition(term, caller).test : countedTest(term, caller)
}

/**
 * The test that lists the comments with a term where they are few, in one pass of the index. Of a phrase it is the only
 * one for many bugs: asked about one comment, the index passes all of them up to the next with the phrase.
 */
function countedTest(term: ContentTerm, caller: Caller): SQL {
  const pieces = piecesOfTerm(term)
  // a hidden comment counts, and belongs to no bug
  const found = sql`SELECT iif(${visibleCommentCondition(caller)}, ${comments.bugId}, 0) AS bug
    FROM comments_body_fts f CROSS JOIN comments ON ${comments.id} = f.rowid
    WHERE f.body MATCH ${pieces.query} ${limitTo(MAX_LISTED + 1)}`
  // of too many nobody knows whether a bug is among them
  const listed = sql`SELECT iif(count(*) > ${MAX_LISTED}, '[null]', json_group_array(bug)) FROM (${found})`
  return sql`${inSummary(pieces)} OR coalesce(+${bugs.id} IN (SELECT value FROM json_each((${listed}))),
    ${inComment([term], pieces, caller)})`
}

/** A word that no index of summaries has counts, but chooses no bugs. */
function withoutScan({ select, scan }: ListedBugs): SQL[] {
  return scan === undefined ? [select] : []
}

function termsOf({ values, source }: FieldCondition): ContentTerms {
  const terms = parseContent(values.join(' '))
  const count = terms.required.length + terms.optional.length + terms.excluded.length
  if (count > MAX_TERMS) {
    const reason = `has ${count} words, and may have at most ${MAX_TERMS}`
    throw fault(searchInvalid, { source, reason })
  }
  const { required, optional, excluded } = terms
  return {
    required: eachOnce(required),
    optional: eachOnce(optional),
    excluded: eachOnce(excluded),
  }
}

function eachOnce(terms: readonly ContentTerm[]): ContentTerm[] {
  return [...new Map(terms.map((term) => [term.query, term])).values()]
}

/** The terms with the longest words leave the fewest bugs, as a rule. */
function splitRequired(required: readonly ContentTerm[]): [ContentTerm[], ContentTerm[]] {
  const sorted = required.toSorted((a, b) => (b.trigrams?.length ?? 0) - (a.trigrams?.length ?? 0))
  return [sorted.slice(0, MAX_INDEXED), sorted.slice(MAX_INDEXED)]
}

/** The conditions on words that bugs are found by. */
function soughtContents(expression: Expression): FieldCondition[] {
  switch (expression.kind) {
    case 'condition':
      return expression.operator === 'matches' ? [expression] : []
    case 'all':
    case 'any':
      return expression.members.flatMap(soughtContents)
    default:
      return []
  }
}

const other = aliasColumns(bugs, 'other')

/** The condition that a visible comment has the term. */
function commentTermCondition(term: ContentTerm, caller: Caller, source: string): SearchCondition {
  const candidates = commentsWith([term], caller)
  return {
    test: inComment([term], piecesOfTerm(term), caller),
    cost: costOf('texts', source),
    access: {
      kind: 'list',
      selectivity: SELECTIVITY.text,
      select: candidates,
      matches: candidates,
      postings: postingsOf([term]),
      looksAtPosting: LOOKS_AT_COMMENT.itself,
    },
  }
}

/** The condition that the summary or a visible comment has some of the terms, each from the index of its text. */
function someTermCondition(
  terms: readonly ContentTerm[],
  caller: Caller,
  source: string,
): SearchCondition {
  const [listed, others] = [terms.filter(isListedWhole), terms.filter((one) => !isListedWhole(one))]
  if (listed.length > 0) {
    const wholes = listed.map((term) => listedTermCondition(term, caller))
    return anyCondition([
      ...wholes,
      ...(others.length === 0 ? [] : [someTermCondition(others, caller, source)]),
    ])
  }
  const cost = costOf('texts', source, terms.length)
  const { phrases, words } = separatePhrases(terms)
  const test = anyOf([
    ...(words.length === 0
      ? []
      : [someTerm(words, (pieces) => termCondition(words, pieces, caller))]),
    ...phrases.map((term) => sql`(${countedTest(term, caller)})`),
  ])
  if (terms.some(isBroad)) {
    return { test, cost }
  }
  const inComments = commentsWith(terms, caller)
  const [indexed, short] = [
    terms.filter(({ trigrams }) => trigrams !== null),
    terms.filter(({ trigrams }) => trigrams === null),
  ]
  const byIndex = unionOf([
    inComments,
    ...(indexed.length === 0 ? [] : [summariesByIndex(indexed)]),
  ])
  const scan = short.length === 0 ? undefined : scanSummaries(byIndex, short)
  const candidates = scan === undefined ? byIndex : selectAtOnce(scan)
  return {
    test,
    cost,
    access: {
      kind: 'list',
      // looking through all summaries still costs less than the comments of each bug
      selectivity: scan === undefined ? SELECTIVITY.text : SELECTIVITY.value,
      select: candidates,
      matches: candidates,
      looksAtPosting: LOOKS_AT_COMMENT.itself,
      // the index takes as long to count those of a phrase as to list them
      ...(words.length > 0 && { postings: postingsOf(terms) }),
      ...(scan && { scan }),
    },
  }
}

function summariesByIndex(terms: readonly ContentTerm[]): SQL {
  return sql`SELECT f.rowid FROM ${tableOfTerms(terms)} CROSS JOIN bugs_summary_fts f
    WHERE f.summary_fold MATCH t.trigrams AND ${summaryWordsCondition(sql`f.summary_fold`, PIECES_OF_ROW)}`
}

/** Of terms without three characters in a row, which no index has. */
function scanSummaries(indexed: SQL, terms: readonly ContentTerm[]): BugScan {
  const has = someTerm(terms, (pieces) => summaryWordsCondition(sql`${other.summaryFold}`, pieces))
  return {
    indexed,
    comparisons: terms.length,
    within: (isWithin) =>
      sql`SELECT ${other.id} FROM bugs other WHERE ${isWithin(sql`${other.id}`)} AND ${has}`,
  }
}

/**
 * The start of words in letters of which SQLite does not know the case: only the index of comments finds them, once
 * for all comments, because it puts the lists of all words with this start together.
 */
function isListedWhole({ words, isPrefix }: ContentTerm): boolean {
  return isPrefix && patternOfTerm(words, isPrefix) === null
}

function listedTermCondition(term: ContentTerm, caller: Caller): SearchCondition {
  const listed = sql`+${bugs.id} IN (${commentsWith([term], caller)})`
  return { test: sql`(${inSummary(piecesOfTerm(term))} OR ${listed})`, cost: ROW }
}

function separatePhrases(terms: readonly ContentTerm[]) {
  return {
    phrases: terms.filter(({ isPhrase }) => isPhrase),
    words: terms.filter(({ isPhrase }) => !isPhrase),
  }
}

/** The start of too many words: the index would put all of their lists together before it finds a bug. */
function isBroad({ words, isPrefix }: ContentTerm): boolean {
  return isPrefix && lengthOf(words.at(-1) ?? '') < MIN_PREFIX
}

/** The condition that each of the terms is in the summary or in a visible comment, for which no index serves. */
function everyTermCondition(
  terms: readonly ContentTerm[],
  caller: Caller,
  source: string,
): SearchCondition {
  const [listed, others] = [terms.filter(isListedWhole), terms.filter((one) => !isListedWhole(one))]
  const { phrases, words } = separatePhrases(others)
  const test = allOf([
    ...(words.length === 0
      ? []
      : [
          sql`NOT ${someTerm(words, (pieces) => sql`NOT ${termCondition(words, pieces, caller)}`)}`,
        ]),
    ...phrases.map((term) => sql`(${countedTest(term, caller)})`),
  ])
  return allConditions([
    { test, cost: costOf('texts', source, others.length) },
    ...listed.map((term) => listedTermCondition(term, caller)),
  ])
}

/** One of the terms in the texts of one bug. Most comments are told apart without asking the index. */
function termCondition(terms: readonly ContentTerm[], pieces: ContentPieces, caller: Caller): SQL {
  return sql`(${inSummary(pieces)} OR ${inComment(terms, pieces, caller)})`
}

function inSummary(pieces: ContentPieces): SQL {
  return summaryWordsCondition(sql`${bugs.summaryFold}`, pieces)
}

function inComment(terms: readonly ContentTerm[], pieces: ContentPieces, caller: Caller): SQL {
  // the limit keeps SQLite from writing the texts in lower case again wherever they are compared
  return sql`EXISTS (SELECT 1 FROM (
    SELECT ${comments.id}, ${comments.body}, lower(${comments.body}) AS low,
      instr(lower(${comments.body}), ${pieces.first}) AS at
    FROM comments WHERE ${comments.bugId} = ${bugs.id} AND ${visibleCommentCondition(caller)}
      AND instr(lower(${comments.body}), ${pieces.run}) > 0 LIMIT -1) c WHERE ${hasTerm(terms, pieces)})`
}

/** A word of ASCII in a text of ASCII is compared in a fraction of the time that the index takes for one row. */
function hasTerm(
  terms: readonly ContentTerm[],
  { pattern, query, first, isPrefix, isFolded }: ContentPieces,
): SQL {
  const [only, ...others] = terms
  const isPlain = sql`octet_length(c.body) = length(c.body)`
  const isIndexed = sql`EXISTS (SELECT 1 FROM comments_body_fts f WHERE f.rowid = c.id AND f.body MATCH ${query})`
  // the index takes the Kelvin sign and the long s for letters of ASCII
  const text = sql`lower(replace(replace(c.body, '\u212a', 'k'), '\u017f', 's'))`
  if (only?.isPhrase && !only.isPrefix && others.length === 0) {
    // asked about one comment, the index passes all of them up to the next with the phrase
    return sql`coalesce(${phraseCondition(only, { low: sql`c.low`, text, isPlain })}, ${isIndexed})`
  }
  // the index would put the lists of all words with this start together for every comment
  const startsSo = terms.some((term) => term.isPrefix)
    ? sql`WHEN ${isPrefix} THEN ${wordStartCondition(text, first)}`
    : sql``
  const at = sql`c.at`
  return sql`CASE WHEN ${pattern} IS NULL THEN CASE ${startsSo} WHEN 1 THEN ${isIndexed} END
    WHEN c.at > 0 AND ${beginsAloneAt(sql`c.low`, at)} AND (${isPrefix} OR ${endsAloneAt(sql`c.low`, at, first)}) THEN 1
    WHEN ${isPlain} THEN ${hasOtherPlace(sql`c.low`, at, { first, isPrefix, pattern })}
    WHEN ${isFolded} AND instr(${text}, ${first}) = 0 THEN 0 WHEN ${matchesWordPattern(sql`c.low`, pattern)} THEN 1
    ${startsSo} ELSE ${isIndexed} END`
}

function commentsWith(terms: readonly ContentTerm[], caller: Caller): SQL {
  return sql`SELECT ${comments.bugId} FROM ${tableOfTerms(terms)}
    CROSS JOIN comments_body_fts f CROSS JOIN comments ON ${comments.id} = f.rowid
    WHERE f.body MATCH t.query AND ${visibleCommentCondition(caller)}`
}

/** The comments with some of the terms, seen or not. */
function postingsOf(terms: readonly ContentTerm[]): SQL {
  return sql`SELECT 1 FROM ${tableOfTerms(terms)} CROSS JOIN comments_body_fts f WHERE f.body MATCH t.query`
}
