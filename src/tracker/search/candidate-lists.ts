import type { SQL } from 'drizzle-orm'
import {
  type BugSelect,
  type BugSet,
  bugsAmong,
  bugsWhere,
  type Page,
  tableOfIds,
  visibleIds,
} from '../../platform/access/bug-set.ts'
import type { Caller } from '../../platform/access/caller.ts'
import { REACH_LIMIT } from '../../platform/db/read-limit.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { allOf, countUpTo, directionOf, limitTo, sql } from '../../platform/db/sql.ts'
import { type ListedBugs, namedBugs, timeOf } from './condition.ts'

/** The ways to find a page of bugs, of which the statement itself takes one. */
export type Plan = {
  /** The bugs that are candidates for some condition, when these are few. */
  readonly few?: FewBugs
  /** All others. */
  readonly walk: Walk | SortedBugs
  readonly limits?: Limits
}

/** Bugs one by one in the order of the page, until it is full. */
export type Walk = {
  /**
   * The table that holds them where it is not `bugs`, their IDs there, the value of the order, and what its index
   * decides.
   */
  readonly from?: SQL
  /** Whether `bugs` is one of these tables already. */
  readonly holdsBugs?: boolean
  /** Makes the tables of the first bugs of a select, as many as a walk passes, that are visible. */
  readonly fromFirst?: (firstOf: (select: BugSelect) => SQL, most: number) => SQL
  readonly id: SQL
  readonly at: SQL
  readonly lead: SQL
  readonly order: readonly SQL[]
  /** What is tested of each of them, and the looks that this takes. */
  readonly condition: SQL
  readonly looks: number
}

/** All bugs that meet a condition, in an order that no index has. */
export type SortedBugs = BugSelect & {
  /** What an index finds for it; it is counted first. */
  readonly found: SQL
  /** The looks that the others take for each of these. */
  readonly looks: number
  /** Whether what the index finds takes long by itself. */
  readonly isLeadCostly?: boolean
  /** Rows of other lists that are read whole; they are counted before. */
  readonly lists?: SQL
}

/** Lists of candidates, of which the first that is short leads, and what else holds. */
export type FewBugs = {
  readonly condition: SQL
  /** How they are sorted; by ID where it is empty. */
  readonly order: readonly SQL[]
  readonly isDescending: boolean
  readonly candidates: readonly Candidates[]
  readonly looks: number
}

/** How much a statement may look at. What needs more fails with `ReadLimit`. */
export type Limits = {
  /** Bugs that a walk passes, and their looks. */
  readonly walk: { readonly bugs: number; readonly looks: number }
  /** The same for all matches of a condition. */
  readonly all: { readonly bugs: number; readonly looks: number }
  /** What a statement that fails is taken to have lasted at most; D1 does not report it. */
  readonly milliseconds: number
}

/** What takes no more than some hundredths of a second, so that it needs no turn. */
export const SHORT: Limits = {
  walk: { bugs: 10_000, looks: 500 },
  all: { bugs: 100_000, looks: 5000 },
  milliseconds: 50,
}

/** Bugs that are passed before all candidates of a list are taken, if each takes one look. */
const MAX_PASSED = 1000
/** The same for a long page, which needs so many. */
const MOST_PASSED = 2500
/** Times of a look that a bug may take whose test the list would spare. */
const SPARED = 5

/** What an index finds for a condition that holds in every plan. */
export type Candidates = ListedBugs & {
  readonly test: SQL
  /** Up to so many it is faster to sort them than to walk through the bugs in their order. */
  readonly most: number
  /** None of them needs the test. */
  readonly isExact?: boolean
  /** Those that need none apart from the others, where only some do. */
  readonly parts?: { readonly exact: SQL; readonly others: SQL } | undefined
  /** What of the test the row of a bug tells: where it holds, no other list is read. */
  readonly inRow?: SQL
}

/** A table of candidates, and one with their number. */
type NamedCandidates = Candidates & {
  readonly name: SQL
  readonly count: SQL
  readonly size: SQL
  readonly areFew: SQL
  readonly areMany: SQL
  readonly inRow: SQL
  /** Whether a bug is one of those that need no test. */
  readonly isSure: SQL
}

/** Lists of candidates as pieces of a statement that finds a page of bugs. */
type CandidateLists = {
  /** The tables of its WITH clause. */
  readonly tables: SQL
  /** A select of the IDs in the first list that is short; empty where none is. */
  readonly ids: SQL
  /** The conditions of all lists, for these bugs. */
  readonly tests: readonly SQL[]
  readonly areAllMany: SQL
}

/** One page of the visible bugs that a search finds. */
export function bugsOnPage(
  caller: Caller,
  { few, walk, limits = SHORT }: Plan,
  page: Page,
): BugSet {
  if (!('lead' in walk)) {
    return bugsAmong([visibleIds(caller, walk, page, isAffordable(walk, limits))])
  }
  if (few === undefined) {
    return bugsAmong([visibleIds(caller, walkUpTo(caller, walk, limits, page), page)])
  }
  const { tables, ids, tests, areAllMany } = listCandidates(few.candidates)
  const end = page.offset + page.limit
  const time = Math.max(timeOf(few.looks), timeOf(walk.looks) / SPARED, 1)
  const passed = Math.ceil(Math.max(MAX_PASSED, Math.min(2 * end * time, MOST_PASSED)) / time)
  const walked = tableOfIds(
    sql`walked`,
    visibleIds(
      caller,
      {
        from: sql`(${placesOf(passing(caller, walk, passed))} ${limitTo(passed)}) CROSS JOIN bugs ON ${bugs.id} = place`,
        condition: walk.condition,
        order: [],
      },
      { limit: end, offset: 0 },
      areAllMany,
    ),
  )
  const most = mostOf(few.looks, limits.all)
  const isInVain = inTurn([areAllMany, sql`${walked.count} < ${end}`])
  const [first] = few.candidates
  // the limit stands inside, where it keeps SQLite from reading the list
  const whole = sql`whole(bug) AS MATERIALIZED (SELECT CASE WHEN n > ${most} THEN ${REACH_LIMIT} ELSE bug END
    FROM (SELECT bug, row_number() OVER () AS n FROM (${namedBugs(
      sql`SELECT * FROM (${first?.select}) LIMIT iif(${isInVain}, ${most + 1}, 0)`,
    )})))`
  // a list in FROM, because SQLite adds the depths of a condition and of what is nested in it; the limit keeps its
  // order
  const listed = sql`(SELECT DISTINCT bug FROM (SELECT NULL AS bug WHERE 0 UNION ALL ${ids}
    UNION ALL SELECT bug FROM whole) ${few.order.length === 0 ? sql`ORDER BY bug ${directionOf(few.isDescending)} LIMIT -1` : sql``}) CROSS JOIN bugs ON ${bugs.id} = bug`
  const among = {
    from: listed,
    condition: allOf([...tests, few.condition]),
    order: few.order,
  }
  // where all are many, there are no IDs unless the walk was in vain; else there is no walk
  return bugsAmong(
    [visibleIds(caller, among, page), walked.page(page, sql`${walked.count} >= ${end}`)],
    sql.join([tables, walked.definition, whole], sql`, `),
  )
}

const WHOLE: Page = { limit: Number.MAX_SAFE_INTEGER, offset: 0 }

/** The visible bugs that a search finds, to be counted. */
export function allBugs(caller: Caller, all: SortedBugs, limits: Limits = SHORT): BugSet {
  if (all.isLeadCostly) {
    // SQLite would read the list before it evaluates a guard beside it
    return bugsAmong([visibleIds(caller, all, WHOLE, isAffordable(all, limits))])
  }
  const guards = all.looks === 0 ? [] : [isAffordable(all, limits)]
  return bugsWhere(caller, [...guards, all.condition])
}

/** How many bugs may be looked at that often. */
function mostOf(looks: number, limit: Limits['all']): number {
  return Math.floor(Math.min(limit.bugs, limit.looks / Math.max(timeOf(looks), 0.001)))
}

/** Rows of lists that are read whole, for one of the bugs that may be looked at. */
const ROWS_OF_LISTS = 0.5

/** True, or the statement fails because an index finds too many. */
function isAffordable({ found, looks, lists }: SortedBugs, { all }: Limits): SQL {
  const areFew = hasAtMost(found, mostOf(looks, all))
  return lists === undefined
    ? areFew
    : inTurn([areFew, hasAtMost(lists, Math.floor(all.bugs * ROWS_OF_LISTS))])
}

function hasAtMost(select: SQL, most: number): SQL {
  return sql`CASE WHEN ${countUpTo(select, most)} > ${most} THEN ${REACH_LIMIT} ELSE 1 END`
}

/** Selects the ID of each bug of a walk as `place`, and the value of its order as `at`. */
export function placesOf({ from, id, at, lead, order }: Walk, behind = sql`1`): SQL {
  const ordered = order.length === 0 ? sql`` : sql`ORDER BY ${sql.join([...order], sql`, `)}`
  return sql`SELECT ${id} AS place, ${at} AS at FROM ${from ?? sql`bugs`} WHERE ${lead} AND ${behind} ${ordered}`
}

/** A walk that passes so many bugs. */
function passing(caller: Caller, walk: Walk, most: number): Walk {
  const firstOf = (first: BugSelect) => visibleIds(caller, first, { limit: most, offset: 0 }).select
  const from = walk.fromFirst?.(firstOf, most) ?? walk.from
  return { ...walk, ...(from && { from }) }
}

/** The statement fails at the first place behind the limit. What is not tested ends with the page. */
function walkUpTo(caller: Caller, walk: Walk, limits: Limits, page: Page): BugSelect {
  if (walk.looks === 0) {
    const {
      from,
      holdsBugs = false,
      id,
      lead,
      order,
    } = passing(caller, walk, page.offset + page.limit)
    const joined = from && (holdsBugs ? from : sql`${from} CROSS JOIN bugs ON ${bugs.id} = ${id}`)
    return { ...(joined && { from: joined }), condition: lead, order }
  }
  const most = mostOf(walk.looks, limits.walk)
  return {
    from: sql`(SELECT place, row_number() OVER () AS n FROM (${placesOf(passing(caller, walk, most + 1))} ${limitTo(most + 1)}))
      CROSS JOIN bugs ON ${bugs.id} = CASE WHEN n > ${most} THEN ${REACH_LIMIT} ELSE place END`,
    condition: walk.condition,
    order: [],
  }
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
    tables: sql.join(lists.map(countedCandidates), sql`, `),
    ids: sql.join(ids, sql` UNION ALL `),
    tests: lists.length === 1 ? lists.map(testOfOnly) : lists.map(testBesideOthers),
    areAllMany: inTurn(lists.map(({ areMany }) => areMany)),
  }
}

function nameCandidates(list: Candidates, n: number): NamedCandidates {
  const name = sql.raw(`candidates_${n}`)
  const count = sql.raw(`count_candidates_${n}`)
  const areFew = sql`(SELECT n FROM ${count}) <= ${list.most}`
  return {
    ...{ inRow: sql`0`, ...list },
    name,
    count,
    size: sql.raw(`size_candidates_${n}`),
    areFew,
    areMany: sql`(SELECT n FROM ${count}) > ${list.most}`,
    isSure: list.parts
      ? sql`${areFew} AND +${bugs.id} IN (SELECT id FROM ${name} WHERE is_sure)`
      : sql`0`,
  }
}

/** The test of a bug that the only list found. */
function testOfOnly({ isExact, inRow, isSure, test }: NamedCandidates): SQL {
  return isExact ? sql`1` : sql`CASE WHEN ${inRow} OR ${isSure} THEN 1 ELSE ${test} END`
}

/**
 * The test of a bug that this list found, or another one. A short list is complete, so that it tells what does not
 * match, and which of those that it has do.
 */
function testBesideOthers({ name, areFew, isExact, inRow, isSure, test }: NamedCandidates): SQL {
  const isListed = sql`+${bugs.id} IN (SELECT id FROM ${name})`
  const decided = isExact
    ? sql`WHEN ${areFew} THEN ${isListed}`
    : sql`WHEN ${areFew} AND NOT ${isListed} THEN 0 WHEN ${isSure} THEN 1`
  return sql`CASE WHEN ${inRow} THEN 1 ${decided} ELSE ${test} END`
}

/**
 * The candidates of a list and their number, up to one more than are few: each is counted once for all places. None is
 * read where the postings are many, or it is too long.
 */
function countedCandidates(candidates: NamedCandidates): SQL {
  const { name, count, size, parts, postings, isTooLong = sql`0`, most } = candidates
  const select = parts
    ? sql`SELECT *, 1 FROM (${parts.exact}) UNION ALL SELECT *, 0 FROM (${parts.others})`
    : sql`SELECT *, 0 FROM (${candidates.select})`
  if (postings === undefined && candidates.isTooLong === undefined) {
    return sql`${name}(id, is_sure) AS MATERIALIZED (SELECT * FROM (${select}) ${limitTo(most + 1)}),
      ${count}(n) AS MATERIALIZED (SELECT count(*) FROM ${name})`
  }
  const areMany = sql`(SELECT n FROM ${size}) > ${most}`
  const counted = postings ? countUpTo(postings, most) : sql`0`
  return sql`${size}(n) AS MATERIALIZED (SELECT iif(${isTooLong}, ${most + 1}, ${counted})),
    ${name}(id, is_sure) AS MATERIALIZED (SELECT * FROM (${select}) LIMIT iif(${areMany}, 0, ${most + 1})),
    ${count}(n) AS MATERIALIZED (SELECT iif(${areMany}, ${most + 1}, count(*)) FROM ${name})`
}

/** All hold, tested in turn: of an AND, SQLite would evaluate both sides. */
function inTurn(conditions: readonly SQL[]): SQL {
  return conditions.reduceRight((rest, condition) => sql`iif(${condition}, ${rest}, 0)`)
}
