import type { SQL, SQLWrapper } from 'drizzle-orm'
import type { Caller } from '../access/caller.ts'
import { visibleCommentCondition } from '../access/visibility.ts'
import { bugs } from '../db/schema/bugs.ts'
import { comments } from '../db/schema/comments.ts'
import { fields, fieldValues } from '../db/schema/fields.ts'
import { users } from '../db/schema/users.ts'
import { aliasColumns, jsonList, jsonRows, limitTo, sql } from '../db/sql.ts'
import { lengthOf } from '../lib/text.ts'
import type { OrderIndex } from './order-index.ts'

const v = aliasColumns(fieldValues, 'v')
const bRow = aliasColumns(bugs, 'b')

/**
 * A condition on bugs in two forms. SQLite cannot know how many bugs a value leaves, so a search chooses
 * the condition that an index answers (`sql(true)`) and tests the others on its bugs (`sql(false)`).
 */
export type SearchCondition = {
  /** How few bugs the condition leaves, as a rule; the lowest of a search leads. `unindexed` never does. */
  readonly rank: number
  readonly sql: (isLeading: boolean) => SQL
  /** The same from an index that finds bugs one by one in the order of their IDs, if there is one. */
  readonly stream?: IdStream
}

/** Bugs as they are found: the tables to look in, the condition that leads, and the ID to order by. */
export type IdStream = { readonly from: SQL; readonly condition: SQL; readonly id: SQL }

export const INDEX_RANK = {
  named: 0,
  text: 1,
  person: 2,
  component: 3,
  part: 4,
  product: 5,
  triage: 6,
  time: 7,
  value: 8,
  unindexed: 9,
} as const

/** NULL is neither true nor false: an invalid value finds nothing, not even when negated. */
export const NO_MATCH: SearchCondition = { rank: INDEX_RANK.unindexed, sql: () => sql`NULL` }

/** The part of a text that a query of the full-text indexes holds; the rest is compared with the column. */
const INDEXED_CHARACTERS = 60
const FIRST_WORDS = /^(?:[^\p{L}\p{N}\p{Co}]*[\p{L}\p{N}\p{Co}]+){1,32}/u

/** The most bugs of a time limit that are counted before the search walks through the newest. */
const COUNTED = 200

/** A column of `bugs`; behind a unary plus SQLite uses no index for it. */
export function bugColumn(name: string, isLeading: boolean): SQL {
  return sql.raw(isLeading ? `bugs.${name}` : `+bugs.${name}`)
}

/** A condition that no index serves. */
export function unindexedCondition(condition: SQL): SearchCondition {
  return { rank: INDEX_RANK.unindexed, sql: () => condition }
}

/**
 * `name = …` or `name IN …`, over the IDs that `found`, a select that ends in a WHERE clause, has for
 * the folded names. Equality lets one index serve the search and the order.
 */
export function referenceCondition(
  name: string,
  isLeading: boolean,
  found: { select: SQL; nameColumn: SQLWrapper; isUnique: boolean },
  folded: readonly string[],
): SQL {
  const by = found.nameColumn
  const [only = '', ...others] = folded
  return others.length === 0 && found.isUnique
    ? sql`${bugColumn(name, isLeading)} = (${found.select} AND ${by} = ${only})`
    : sql`${bugColumn(name, isLeading)} IN (${found.select} AND ${by} IN ${jsonList(folded)})`
}

/** A select field. Its values are few and each is on many bugs, so in an order it is rarely the one to lead. */
export function valueCondition(
  name: string,
  field: string,
  folded: readonly string[],
  orderIndex: OrderIndex | null,
): SearchCondition {
  const select = sql`SELECT ${v.id} FROM field_values v
    WHERE ${v.fieldId} = (SELECT ${fields.id} FROM fields WHERE ${fields.name} = ${sql.raw(`'${field}'`)})`
  const found = { select, nameColumn: v.nameFold, isUnique: true }
  return {
    rank: valueRank(folded.length, orderIndex),
    sql: (isLeading) => referenceCondition(name, isLeading, found, folded),
  }
}

/** One value's bugs stand in the index by ID; several values', and any by time, would have to be sorted. */
export function valueRank(values: number, orderIndex: OrderIndex | null): number {
  return orderIndex === null || (orderIndex === 'id' && values === 1)
    ? INDEX_RANK.value
    : INDEX_RANK.unindexed
}

/** A moment that a time of the bug must not lie before. */
export function sinceCondition(
  name: 'created_at' | 'changed_at',
  seconds: number,
  orderIndex: OrderIndex | null,
): SearchCondition {
  const later = (isLeading: boolean) => sql`${bugColumn(name, isLeading)} >= ${seconds}`
  switch (orderIndex) {
    case 'id':
      return {
        rank: INDEX_RANK.time,
        sql: (isLeading) =>
          isLeading
            ? sql`(${later(false)} AND ${bugs.id} >= ${oldestSince(name, seconds)})`
            : later(false),
      }
    case null:
    case name:
      return { rank: INDEX_RANK.time, sql: later }
    default:
      return unindexedCondition(later(false))
  }
}

/** Where a walk through the IDs may end: at the oldest match when they are few, else at no one. */
function oldestSince(name: string, seconds: number): SQL {
  return sql`(SELECT CASE WHEN count(*) > ${COUNTED} THEN 0 ELSE coalesce(min(id), 9e15) END FROM (
    SELECT ${bRow.id} FROM bugs b WHERE b.${sql.raw(name)} >= ${seconds} ${limitTo(COUNTED + 1)}))`
}

/** A select of the people with these logins, or a comparison with one of them. Folded logins. */
export function personCondition(
  person: SQL,
  logins: readonly string[],
  self: number | undefined,
): SQL {
  const [only, ...others] = logins
  if (only === undefined) {
    return self === undefined ? sql`NULL` : sql`${person} = ${self}`
  }
  if (others.length === 0 && self === undefined) {
    return sql`${person} = (SELECT ${users.id} FROM users WHERE ${users.loginFold} = ${only})`
  }
  return sql`${person} IN (SELECT ${users.id} FROM users
    WHERE ${users.loginFold} IN ${jsonList(logins)} OR ${users.id} = ${self ?? 0})`
}

/** A one-line text that contains any of the folded texts. */
export function containsAny(name: string, folded: readonly string[]): SQL {
  return sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(folded)}) s
    WHERE instr(${sql.raw(`bugs.${name}`)}, s.value) > 0)`
}

/** A one-line text that contains all of the folded texts. */
export function containsAll(name: string, folded: readonly string[]): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(folded)}) s
    WHERE instr(${sql.raw(`bugs.${name}`)}, s.value) = 0)`
}

/** A summary with all of the folded words: the longest is looked up, the others are tested. */
export function summaryWordsCondition(folded: readonly string[]): SearchCondition {
  const [longest = ''] = folded.toSorted((a, b) => lengthOf(b) - lengthOf(a))
  const found = summaryCondition([longest])
  const others = containsAll('summary_fold', folded)
  return {
    rank: found.rank,
    sql: (isLeading) => sql`(${found.sql(isLeading)} AND ${others})`,
    ...(found.stream && {
      stream: { ...found.stream, condition: sql`${found.stream.condition} AND ${others}` },
    }),
  }
}

/** Three characters or more are found by the trigram index, fewer by looking at each summary. */
export function summaryCondition(folded: readonly string[]): SearchCondition {
  if (folded.some((text) => lengthOf(text) < 3 || text.includes('\0'))) {
    return unindexedCondition(containsAny('summary_fold', folded))
  }
  const [text = '', ...others] = folded
  return {
    rank: INDEX_RANK.text,
    sql: (isLeading) => sql`${bugColumn('id', isLeading)} IN (SELECT f.rowid FROM
      ${jsonRows(folded.map((text) => ({ phrase: phrase(startOf(text)), text })))}
      JOIN bugs_summary_fts f
      WHERE f.summary_fold MATCH (r.value ->> 'phrase')
        AND instr(f.summary_fold, r.value ->> 'text') > 0)`,
    ...(others.length === 0 && { stream: summaryStream(text) }),
  }
}

function summaryStream(folded: string): IdStream {
  return {
    from: sql`bugs_summary_fts f CROSS JOIN bugs ON ${bugs.id} = f.rowid`,
    condition: sql`f.summary_fold MATCH ${phrase(startOf(folded))}
      AND instr(${bugs.summaryFold}, ${folded}) > 0`,
    id: sql`f.rowid`,
  }
}

/** The query holds the first characters only: every three of them cost the index a list. */
function startOf(folded: string): string {
  return [...folded].slice(0, INDEXED_CHARACTERS).join('')
}

/**
 * The whole description is one of the texts. The word index finds the candidates and, alone in SQLite,
 * knows the case of letters outside ASCII; everything else is compared where it stands.
 */
export function descriptionCondition(values: readonly string[], caller: Caller): SearchCondition {
  // a comment never holds NUL, and a full-text query ends at one
  const possible = values.filter((value) => !value.includes('\0'))
  const hasWord = (value: string) => /[\p{L}\p{N}\p{Co}]/u.test(value)
  const indexed = possible.filter(hasWord).map(comparable)
  const others = possible.filter((value) => !hasWord(value)).map(comparable)
  const same = sql`${comments.number} = 0 AND ${visibleCommentCondition(caller)}
    AND length(${comments.body}) = (r.value ->> 'length') AND NOT EXISTS (
      SELECT 1 FROM json_each(r.value, '$.runs') run
      WHERE lower(substr(${comments.body}, run.value ->> 'at', run.value ->> 'length')) <> run.value ->> 'text')`
  const found = (
    isLeading: boolean,
  ) => sql`${bugColumn('id', isLeading)} IN (SELECT ${comments.bugId}
    FROM ${jsonRows(indexed)} JOIN comments_body_fts f JOIN comments ON ${comments.id} = f.rowid
    WHERE f.body MATCH (r.value ->> 'phrase') AND ${same})`
  if (others.length === 0) {
    return { rank: INDEX_RANK.text, sql: found }
  }
  return unindexedCondition(sql`(${found(false)} OR EXISTS (SELECT 1 FROM ${jsonRows(others)}
    JOIN comments ON ${comments.bugId} = ${bugs.id} WHERE ${same}))`)
}

/** The query holds the first words only; behind them, letters outside ASCII match by their case. */
function comparable(text: string) {
  const [indexed = ''] = FIRST_WORDS.exec(text) ?? []
  return {
    phrase: phrase(indexed),
    length: lengthOf(text),
    runs: plainRuns(text, lengthOf(indexed)),
  }
}

/** The stretches between the letters whose case only the word index knows; places count from 1. */
function plainRuns(text: string, indexed: number): { at: number; length: number; text: string }[] {
  const runs: { at: number; length: number; text: string }[] = []
  let at = 0
  let open = false
  for (const character of text) {
    at += 1
    const isPlain =
      character <= '\x7f' || at > indexed || character.toLowerCase() === character.toUpperCase()
    const last = runs.at(-1)
    if (isPlain && open && last !== undefined) {
      last.text += character <= '\x7f' ? character.toLowerCase() : character
      last.length += 1
    } else if (isPlain) {
      runs.push({ at, length: 1, text: character <= '\x7f' ? character.toLowerCase() : character })
    }
    open = isPlain
  }
  return runs
}

/** A text as a full-text query that means just this text. */
function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
