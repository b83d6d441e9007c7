import type { SQL } from 'drizzle-orm'
import {
  type BugSelect,
  type BugSet,
  bugsAmong,
  type Page,
  visibleIds,
} from '../../platform/access/bug-set.ts'
import type { Caller } from '../../platform/access/caller.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { allOf, limitTo, sql } from '../../platform/db/sql.ts'
import type { ListedBugs } from './condition.ts'

/** The ways to find a page of bugs, of which the statement itself takes one. */
export type Plan = {
  /** The bugs that are candidates for some condition, when these are few. */
  readonly few?: FewBugs
  /** All others, from the first one in the order of the page until it is full. */
  readonly walk: BugSelect
}

/** Lists of candidates, of which the first that is short leads, and what else holds. */
export type FewBugs = Omit<BugSelect, 'from'> & { readonly candidates: readonly Candidates[] }

type FoundByIndex = ListedBugs & { readonly test: SQL }

/** What an index finds for a condition that holds in every plan. */
export type Candidates = FoundByIndex & {
  /** Up to so many it is faster to sort them than to walk through the bugs in their order. */
  readonly most: number
  /**
   * The condition also holds where texts in the row of the bug match. Plans leave both tests to the list:
   * first the row, then, if there are few, what the list found.
   */
  readonly inRow?: FoundByIndex
}

/** A table of candidates, one with their number, and one with that of the postings. */
type Named = {
  readonly name: SQL
  readonly count: SQL
  readonly size: SQL
  readonly areFew: SQL
  readonly areMany: SQL
}

/** `others` are the matches outside of the row, where these are apart. */
type NamedCandidates = Candidates & Named & { readonly others: Named }

/** Lists of candidates as pieces of a statement that finds a page of bugs. */
type CandidateLists = {
  /** The tables of its WITH clause. */
  readonly tables: SQL
  /** A select of the IDs in the first list that is short; empty where none is. */
  readonly ids: SQL
  /** The conditions of all lists, for these bugs. */
  readonly tests: readonly SQL[]
  /** The conditions that a walk through other bugs leaves to the lists. */
  readonly walkTests: readonly SQL[]
  readonly areAllMany: SQL
}

/** One page of the visible bugs that a search finds. */
export function bugsOnPage(caller: Caller, { few, walk }: Plan, page: Page): BugSet {
  if (few === undefined) {
    return bugsAmong([visibleIds(caller, walk, page)])
  }
  const { tables, ids, tests, walkTests, areAllMany } = listCandidates(few.candidates)
  const among = allOf([sql`${bugs.id} IN (${ids})`, ...tests, few.condition])
  const walked = { ...walk, condition: allOf([...walkTests, walk.condition]) }
  // where all are many, there are no IDs
  return bugsAmong(
    [
      visibleIds(caller, { condition: among, order: few.order }, page),
      visibleIds(caller, walked, page, areAllMany),
    ],
    tables,
  )
}

/** Reads each list up to one more candidate than are few. The statement itself takes the first that has few. */
function listCandidates(candidates: readonly Candidates[]): CandidateLists {
  const lists = candidates.map(nameCandidates)
  // SQLite resolves a list anew for each place that names it or its count, so that these are few
  const ids = lists.map(({ name, areFew }, n) => {
    const leads = inTurn([...lists.slice(0, n).map(({ areMany }) => areMany), areFew])
    // a limit of 0 reads no row, and the array is made where the list leads
    return n === 0
      ? sql`SELECT * FROM (SELECT id FROM ${name} LIMIT iif(${leads}, -1, 0))`
      : sql`SELECT value FROM json_each(iif(${leads}, (SELECT json_group_array(id) FROM ${name}), '[]'))`
  })
  return {
    tables: sql.join(lists.flatMap(countedCandidates), sql`, `),
    ids: sql.join(ids, sql` UNION ALL `),
    tests: lists.length === 1 ? lists.map(testOfMember) : lists.map(testBesideOthers),
    walkTests: lists.flatMap((list) => (list.inRow ? [testInRowFirst(list, list.inRow)] : [])),
    areAllMany: inTurn(lists.map(({ areMany }) => areMany)),
  }
}

function nameCandidates(list: Candidates, n: number): NamedCandidates {
  const named = nameList(`candidates_${n}`, list)
  return {
    ...list,
    ...named,
    others: list.inRow === undefined ? named : nameList(`others_${n}`, list),
  }
}

function nameList(name: string, { most }: Candidates): Named {
  const count = sql.raw(`count_${name}`)
  return {
    name: sql.raw(name),
    count,
    size: sql.raw(`size_${name}`),
    areFew: sql`(SELECT n FROM ${count}) <= ${most}`,
    areMany: sql`(SELECT n FROM ${count}) > ${most}`,
  }
}

/** The test of a bug that a list found, which is the only one. */
function testOfMember(list: NamedCandidates): SQL {
  const { inRow } = list
  return inRow === undefined ? list.test : testInRowFirst(list, inRow)
}

/** The test of a bug that this list found, or another one. */
function testBesideOthers(list: NamedCandidates): SQL {
  const { inRow } = list
  return inRow === undefined
    ? sql`CASE ${whenFew(list)} ELSE ${list.test} END`
    : testInRowFirst(list, inRow)
}

function testInRowFirst(list: NamedCandidates, inRow: FoundByIndex): SQL {
  return sql`CASE WHEN ${inRow.test} THEN 1 ${whenFew(list)} ELSE ${list.test} END`
}

/** A short list is complete, so that it tells what does not match. */
function whenFew({ others: { name, areFew } }: NamedCandidates): SQL {
  return sql`WHEN ${areFew} AND +${bugs.id} NOT IN (SELECT id FROM ${name}) THEN 0`
}

/** The candidates of a list and their number, up to one more than are few: each is counted once for all places. */
function countedCandidates(list: NamedCandidates): SQL[] {
  const { others, select, postings, inRow, most } = list
  const found =
    postings === undefined
      ? [countedList(others, select, most)]
      : [
          sql`${others.size}(n) AS MATERIALIZED (
            SELECT count(*) FROM (SELECT 1 FROM (${postings}) ${limitTo(most + 1)}))`,
          countedList(others, select, most, sql`(SELECT n FROM ${others.size}) > ${most}`),
        ]
  if (inRow === undefined) {
    return found
  }
  const all = sql`SELECT id FROM ${others.name} UNION ALL SELECT * FROM (${inRow.select})`
  return [...found, countedList(list, all, most, others.areMany)]
}

/** A table of candidates and one of their number. No row is read where others tell that they are many. */
function countedList({ name, count }: Named, select: SQL, most: number, areMany?: SQL): SQL {
  return areMany === undefined
    ? sql`${name}(id) AS MATERIALIZED (SELECT * FROM (${select}) ${limitTo(most + 1)}),
      ${count}(n) AS MATERIALIZED (SELECT count(*) FROM ${name})`
    : sql`${name}(id) AS MATERIALIZED (SELECT * FROM (${select}) LIMIT iif(${areMany}, 0, ${most + 1})),
      ${count}(n) AS MATERIALIZED (SELECT iif(${areMany}, ${most + 1}, count(*)) FROM ${name})`
}

/** All hold, tested in turn: of an AND, SQLite would evaluate both sides. */
function inTurn(conditions: readonly SQL[]): SQL {
  return conditions.reduceRight((rest, condition) => sql`iif(${condition}, ${rest}, 0)`)
}
