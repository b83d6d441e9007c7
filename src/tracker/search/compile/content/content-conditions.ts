import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../../../platform/access/caller.ts'
import { visibleCommentCondition } from '../../../../platform/access/visibility.ts'
import { bugs } from '../../../../platform/db/schema/bugs.ts'
import { comments } from '../../../../platform/db/schema/comments.ts'
import { aliasColumns, sql } from '../../../../platform/db/sql.ts'
import {
  ROW,
  SELECTIVITY,
  type SearchCondition,
  type TestCost,
  testedCondition,
  unionOf,
} from '../../condition.ts'
import { matchesPattern, wholeWord } from '../whole-word.ts'
import { summaryWordsCondition } from './content-summary.ts'
import type { ContentTerm } from './content-terms.ts'

const other = aliasColumns(bugs, 'other')

/** The condition that a visible comment has the term. */
export function commentTermCondition(
  term: ContentTerm,
  caller: Caller,
  cost: TestCost,
): SearchCondition {
  const from = sql`json_each(${listOf([term])}) t`
  const candidates = commentsWith(from, caller)
  return {
    test: sql`EXISTS (SELECT 1 FROM ${from} WHERE ${inComment(caller)})`,
    bulk: sql`+${bugs.id} IN (${candidates})`,
    cost,
    access: {
      ...{ kind: 'list', selectivity: SELECTIVITY.text },
      ...{ select: candidates, matches: candidates, postings: postingsOf(from) },
    },
  }
}

/** The condition that the summary or a visible comment has some of the terms, each from the index of its text. */
export function someTermCondition(
  terms: readonly ContentTerm[],
  caller: Caller,
  cost: TestCost,
): SearchCondition {
  const from = sql`json_each(${listOf(terms)}) t`
  const inComments = commentsWith(from, caller)
  const isIndexed = terms.every(({ trigrams }) => trigrams !== null)
  const inSummaries = isIndexed
    ? sql`SELECT f.rowid FROM ${from} CROSS JOIN bugs_summary_fts f
        WHERE f.summary_fold MATCH (t.value ->> 'trigrams') AND ${summaryWordsCondition(sql`f.summary_fold`)}`
    : sql`SELECT ${other.id} FROM bugs other
        WHERE EXISTS (SELECT 1 FROM ${from} WHERE ${summaryWordsCondition(other.summaryFold)})`
  const candidates = unionOf([inComments, inSummaries])
  return {
    test: sql`EXISTS (SELECT 1 FROM ${from} WHERE ${termCondition(caller)})`,
    bulk: sql`(EXISTS (SELECT 1 FROM ${from} WHERE ${inSummary()}) OR +${bugs.id} IN (${inComments}))`,
    cost,
    access: {
      kind: 'list',
      // looking through all summaries still costs less than the comments of each bug
      selectivity: isIndexed ? SELECTIVITY.text : SELECTIVITY.value,
      ...{ select: candidates, matches: candidates, postings: postingsOf(from) },
    },
  }
}

/** The condition that each of the terms is in the summary or in a visible comment, for which no index serves. */
export function everyTermCondition(
  terms: readonly ContentTerm[],
  caller: Caller,
  cost: TestCost,
): SearchCondition {
  return testedCondition(
    sql`NOT EXISTS (SELECT 1 FROM json_each(${listOf(terms)}) t WHERE NOT ${termCondition(caller)})`,
    cost,
  )
}

/** How many of the terms are in the summary or in a visible comment, for a statement about many bugs. */
export function countTerms(terms: readonly ContentTerm[], caller: Caller): SQL {
  const found = terms.map((term) => someTermCondition([term], caller, ROW).bulk)
  return sql`(${sql.join(found, sql` + `)})`
}

/** One term of `t` in the texts of one bug. Most comments are told apart without asking the index. */
function termCondition(caller: Caller): SQL {
  return sql`(${inSummary()} OR ${inComment(caller)})`
}

function inComment(caller: Caller): SQL {
  return sql`EXISTS (SELECT 1 FROM comments
    WHERE ${comments.bugId} = ${bugs.id} AND ${visibleCommentCondition(caller)}
      AND instr(lower(${comments.body}), t.value ->> 'run') > 0 AND ${hasTerm()})`
}

/** A word of ASCII in a text of ASCII is compared in a fraction of the time that the index takes for one row. */
function hasTerm(): SQL {
  const isPlain = sql`t.value ->> 'pattern' IS NOT NULL
    AND octet_length(${comments.body}) = length(${comments.body})`
  const isIndexed = sql`EXISTS (SELECT 1 FROM comments_body_fts f
    WHERE f.rowid = ${comments.id} AND f.body MATCH (t.value ->> 'query'))`
  return sql`CASE WHEN ${isPlain}
    THEN ${matchesPattern(sql`lower(${comments.body})`, sql`(t.value ->> 'pattern')`)} ELSE ${isIndexed} END`
}

function commentsWith(from: SQL, caller: Caller): SQL {
  return sql`SELECT ${comments.bugId} FROM ${from}
    CROSS JOIN comments_body_fts f CROSS JOIN comments ON ${comments.id} = f.rowid
    WHERE f.body MATCH (t.value ->> 'query') AND ${visibleCommentCondition(caller)}`
}

/** The comments with some of the terms, seen or not. */
function postingsOf(from: SQL): SQL {
  return sql`SELECT 1 FROM ${from} CROSS JOIN comments_body_fts f WHERE f.body MATCH (t.value ->> 'query')`
}

function inSummary(): SQL {
  return summaryWordsCondition(sql`${bugs.summaryFold}`)
}

function patternOf([word = '', ...others]: readonly string[], isPrefix: boolean): string | null {
  const isPlain = others.length === 0 && !isPrefix && /^[a-z0-9]+$/.test(word)
  return isPlain ? wholeWord(word).pattern : null
}

function listOf(terms: readonly ContentTerm[]): string {
  return JSON.stringify(
    terms.map(({ words, isPrefix, query, run, trigrams }) => ({
      ...{ first: words[0] ?? '', words, size: words.length, isPrefix, query, run, trigrams },
      pattern: patternOf(words, isPrefix),
    })),
  )
}
