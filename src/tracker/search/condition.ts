import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { REACH_LIMIT } from '../../platform/db/read-limit.ts'
import { bugs, comments } from '../../platform/db/schema/bugs.ts'
import { allOf, anyOf, countUpTo, flatSelect, sql, unionOf } from '../../platform/db/sql.ts'

/**
 * A condition on the table `bugs`: its truth about one bug, the cost of testing it, and how an index finds
 * matching bugs. SQLite cannot know how many these are; `plan.ts` decides which form a statement takes.
 */
export type SearchCondition = {
  /** True, false or NULL for one row of `bugs`; looks at what belongs to this bug, and uses no index of `bugs`. */
  readonly test: SQL
  readonly cost: TestCost
  /** Absent where every bug of the tracker has to be tested. */
  readonly access?: Access
}

/** What the test of one bug costs. */
export type TestCost = {
  /**
   * The row of the bug, or else the number of rows of other tables that belong to it, these, all of its changes, or its
   * comments.
   */
  readonly looksAt: keyof typeof LOOKS
  /** Times of a look at what belongs to the bug: that of its row is a fraction. */
  readonly looks: number
  /** The criterion that asks for it. */
  readonly source: string
}

/** How bugs are found, and a guess of how few they are: one of `SELECTIVITY`. */
export type Access = IndexRange | IdList | Union

/** An index of `bugs` holds them behind a value of its column. */
type IndexRange = {
  readonly kind: 'range'
  readonly selectivity: number
  readonly column: SQLiteColumn
  readonly condition: SQL
  /** Whether the index holds them in this order. */
  readonly isInOrder: (order: OrderIndex) => boolean
}

/** An index of another table lists them, each perhaps several times. */
export type IdList = ListedBugs & {
  readonly kind: 'list'
  readonly selectivity: number
  /** What it costs grows with what it finds, unless it says that it does with the tracker. */
  readonly growth?: 'matches' | 'tracker'
  /** The IDs of none but them; absent where each has to be tested. */
  readonly matches?: SQL
  /** Where comments are compared to know whether they are among `matches`. */
  readonly compared?: ComparedComments
  /** The looks that each posting takes, where it is more than reading it. */
  readonly looksAtPosting?: number
  /** How the index gives them one by one in the order of their IDs, if it does. */
  readonly stream?: { readonly table: SQL; readonly condition: SQL; readonly id: SQL }
}

/** The same IDs under the name `bug`, whatever the select calls them. */
export function namedBugs(select: SQL): SQL {
  return sql`SELECT NULL AS bug WHERE 0 UNION ALL SELECT * FROM (${select})`
}

/** What an index finds for a condition. */
export type ListedBugs = {
  /** A select of the IDs of all bugs that meet the condition, and perhaps of others. */
  readonly select: SQL
  /** A faster select of most of these rows, or of a few more: when these are many, all are. */
  readonly postings?: SQL | undefined
  /** A condition that it takes too much to read them, so that `select` fails with `ReadLimit`. */
  readonly isTooLong?: SQL | undefined
  /** Some of them are found by a look at every bug: selects fail with `ReadLimit` where these are many. */
  readonly scan?: BugScan | undefined
}

/** The two parts of a list of which no index has all. */
export type BugScan = {
  /** Selects what an index has. */
  readonly indexed: SQL
  /** Selects the others whose IDs fulfil a condition. */
  readonly within: (isWithin: (id: SQL) => SQL) => SQL
  /** Comparisons with each bug. */
  readonly comparisons: number
}

/** The two parts of the matches of an index that does not tell of all comments whether they match. */
export type ComparedComments = {
  /** Selects the bugs of which it does. */
  readonly exact?: SQL | undefined
  /** Selects the others as `place`, from behind one of them. */
  readonly commentsBehind: (behind: number) => SQL
  readonly isMatch: SQL
  /** The looks of a comparison with one of them. */
  readonly looks: number
}

/** Each of them fulfils one of these conditions. */
type Union = { readonly kind: 'union'; readonly alternatives: readonly Alternative[] }

/** A condition that an index serves. */
export type FoundCondition = SearchCondition & { readonly access: Access }

/** A condition that no index serves but one of another table. */
export type ListedCondition = SearchCondition & { readonly access?: IdList }

/** One that a single index serves. */
type Alternative = SearchCondition & { readonly access: IndexRange | IdList }

export type RangeCondition = SearchCondition & { readonly access: IndexRange }

/** Guesses of how few bugs a condition leaves; the lowest of a search leads it. */
export const SELECTIVITY = {
  /** The bug itself is named: ID, alias. */
  named: 0,
  /** A word in a text, a link, a flag of a person. */
  text: 1,
  person: 2,
  keyword: 3,
  /** A change from a value or to one. */
  change: 4,
  component: 5,
  part: 6,
  product: 7,
  time: 8,
  value: 9,
  /** Most bugs, or unknown how many. */
  many: 10,
} as const

/** The looks at a posting of a comment that is read to know who sees it, and with its text. */
export const LOOKS_AT_COMMENT = { itself: 0.17, text: 0.45 } as const

/** The time of a comparison, where that with all comments of a bug is 1, from the cheapest on. */
const LOOKS = { row: 0.05, count: 0.15, rows: 0.5, changes: 0.5, texts: 1 } as const

export const ROW: TestCost = { looksAt: 'row', looks: LOOKS.row, source: 'it' }

/** The cost of a criterion that compares so often, such as once for each of its words. */
export function costOf(looksAt: TestCost['looksAt'], source: string, times = 1): TestCost {
  return { looksAt, looks: times * LOOKS[looksAt], source }
}

const NOTHING = sql`SELECT NULL WHERE false`

/** NULL is neither true nor false: an invalid value finds nothing, not even when it is negated. */
export const UNKNOWN_CONDITION: FoundCondition = {
  test: sql`NULL`,
  cost: ROW,
  access: { kind: 'list', selectivity: SELECTIVITY.named, select: NOTHING, matches: NOTHING },
}

/** The condition that a bug is one of these. */
export function idsCondition(ids: readonly number[]): FoundCondition {
  const select = sql`SELECT value FROM json_each(${JSON.stringify(ids)})`
  return listedCondition(select, SELECTIVITY.named)
}

/** The condition that a bug is one of those that are selected. */
export function listedCondition(select: SQL, selectivity: number): FoundCondition {
  const test = sql`+${bugs.id} IN (${select})`
  return { test, cost: ROW, access: { kind: 'list', selectivity, select, matches: select } }
}

/** The condition where `isKnown` holds, and unknown elsewhere: what an index finds need not match. */
export function knownCondition(
  isKnown: SQL | undefined,
  condition: ListedCondition,
): ListedCondition {
  if (isKnown === undefined) {
    return condition
  }
  const { test, cost, access } = condition
  return {
    test: sql`CASE WHEN ${isKnown} THEN ${test} END`,
    cost,
    ...(access && { access: withoutMatches(access) }),
  }
}

function withoutMatches({ matches, compared, ...list }: IdList): IdList {
  return list
}

/** The condition that all members hold. It leads with the member that leaves the fewest bugs. */
export function allConditions(members: readonly SearchCondition[]): SearchCondition {
  const [only] = members
  if (only !== undefined && members.length === 1) {
    return only
  }
  const all: SearchCondition = {
    test: testAll(members),
    cost: costOfAll(members),
  }
  const [leader] = leadersOf(members)
  if (leader === undefined) {
    return all
  }
  const selectivity = selectivityOf(leader)
  return {
    ...all,
    access: { kind: 'list', selectivity, ...listOf(leader), growth: growthOf(leader) },
  }
}

/** The test that all of them hold. */
export function testAll(members: readonly SearchCondition[]): SQL {
  return allOf(cheapFirst(members).map(({ test }) => test))
}

/** SQLite tests them in their order, up to the first that decides. */
function cheapFirst(members: readonly SearchCondition[]): SearchCondition[] {
  return members.toSorted((a, b) => a.cost.looks - b.cost.looks)
}

/** The condition that some member holds; an index serves it when one serves every member. */
export function anyCondition(members: readonly SearchCondition[]): SearchCondition {
  const [only] = members
  if (only !== undefined && members.length === 1) {
    return only
  }
  const found = members.filter(isFound)
  return {
    test: anyOf(cheapFirst(members).map(({ test }) => test)),
    cost: costOfAll(members),
    ...(found.length === members.length && {
      access: { kind: 'union', alternatives: found.flatMap(alternativesOf) },
    }),
  }
}

/** The negation; unknown stays unknown. No index finds what does not match. */
export function notCondition(condition: SearchCondition): SearchCondition {
  if (condition === UNKNOWN_CONDITION) {
    return condition
  }
  return { test: sql`NOT (${condition.test})`, cost: condition.cost }
}

/** The cost of the first member that none exceeds, with the looks of all. */
function costOfAll(members: readonly SearchCondition[]): TestCost {
  const rank = ({ looksAt }: TestCost) => Object.keys(LOOKS).indexOf(looksAt)
  const highest = members.reduce(
    (most: TestCost, { cost }) => (rank(cost) > rank(most) ? cost : most),
    members[0]?.cost ?? ROW,
  )
  return { ...highest, looks: looksOf(members) }
}

/** The time of so many looks at one bug: SQLite takes longer for each of many. */
export function timeOf(looks: number): number {
  return looks * (1 + looks / 20)
}

/** The looks of the tests of one bug. */
export function looksOf(members: readonly SearchCondition[]): number {
  return members.reduce((sum, { cost }) => sum + cost.looks, 0)
}

export function isFound(condition: SearchCondition): condition is FoundCondition {
  return condition.access !== undefined
}

/** The members that an index finds, from the one that leaves the fewest bugs. */
export function leadersOf(members: readonly SearchCondition[]): FoundCondition[] {
  return members.filter(isFound).toSorted((a, b) => selectivityOf(a) - selectivityOf(b))
}

export function selectivityOf(condition: SearchCondition): number {
  const guesses = isFound(condition)
    ? alternativesOf(condition).map(({ access }) => access.selectivity)
    : [SELECTIVITY.many]
  return Math.max(SELECTIVITY.named, ...guesses)
}

/** How the cost of finding the bugs grows: with the matches in an index, or with the tracker. */
export function growthOf(condition: FoundCondition): 'matches' | 'tracker' {
  return alternativesOf(condition).every((each) => each.access.kind === 'range' || isListed(each))
    ? 'matches'
    : 'tracker'
}

/** Whether none but matches are in its list, which is read in one go. */
export function isListedExactly({ access }: FoundCondition): boolean {
  return access.kind === 'range' || (access.kind === 'list' && access.matches === access.select)
}

/** Whether it is found by a list that does not grow with the tracker. */
function isListed(condition: Alternative): condition is Alternative & { readonly access: IdList } {
  const { access } = condition
  return access.kind === 'list' && access.growth !== 'tracker'
}

/** The conditions of which one has to hold: the condition itself unless it says so. */
export function alternativesOf({ access, ...condition }: FoundCondition): readonly Alternative[] {
  return access.kind === 'union' ? access.alternatives : [{ ...condition, access }]
}

/** Comparisons of one statement, beside what else it does. */
const MAX_SCANNED = 120_000

/** How many bugs one statement compares. */
export function sizeOfScan({ comparisons }: BugScan): number {
  return Math.floor(MAX_SCANNED / comparisons)
}

/** Selects both parts; fails with `ReadLimit` where the tracker has too many bugs for one statement. */
export function selectAtOnce(scan: BugScan): SQL {
  const most = sizeOfScan(scan)
  // most trackers have an ID for each number, and a few have others
  const areFew = sql`(SELECT max(${bugs.id}) FROM bugs) - (SELECT min(${bugs.id}) FROM bugs) < ${most}
    OR NOT EXISTS (SELECT 1 FROM bugs LIMIT 1 OFFSET ${most} + 0)`
  const last = sql`(SELECT CASE WHEN ${areFew} THEN ${Number.MAX_SAFE_INTEGER} ELSE ${REACH_LIMIT} END)`
  return unionOf([scan.indexed, scan.within((id) => sql`${id} <= ${last}`)])
}

/** Looks of comparisons with comments in one statement. */
const MAX_COMPARED = 20_000

/** How many comments one statement compares. */
export function sizeOfComparison({ looks }: ComparedComments): number {
  return Math.ceil(MAX_COMPARED / looks)
}

/** Selects both parts; fails with `ReadLimit` where too many comments are compared for one statement. */
export function compareAtOnce(compared: ComparedComments): SQL {
  const most = sizeOfComparison(compared)
  const areFew = sql`${countUpTo(compared.commentsBehind(0), most)} <= ${most}`
  const isAffordable = sql`CASE WHEN ${areFew} THEN 1 ELSE ${REACH_LIMIT} END`
  return selectCompared(compared, compared.commentsBehind(0), isAffordable)
}

/** Selects the bugs of these of the comments that match, and those that need no comparison. */
export function selectCompared(
  { exact, isMatch }: ComparedComments,
  places: SQL,
  isAffordable = sql`1`,
): SQL {
  const matching = sql`SELECT ${comments.bugId} FROM (${places}) CROSS JOIN comments ON ${comments.id} = place
    WHERE ${isAffordable} AND ${isMatch}`
  return unionOf(exact === undefined ? [matching] : [exact, matching])
}

/** The condition in a form that an index of `bugs` serves; it need not be NULL where the condition is. */
export function leadOf(condition: FoundCondition): SQL {
  return anyOf(
    alternativesOf(condition).map(({ access, test }) =>
      access.kind === 'range' ? access.condition : isAmong(sql`${bugs.id}`, access, test),
    ),
  )
}

/** The same for a statement that tests most bugs: what an index lists is listed once for all. */
export function bulkOf(condition: FoundCondition): SQL {
  return anyOf(
    alternativesOf(condition).map((each) =>
      // a plus keeps SQLite from looking up each of them
      isListed(each) ? isAmong(sql`+${bugs.id}`, each.access, each.test) : each.test,
    ),
  )
}

/** Whether such a statement reads what an index lists, or some of it. */
export function isListedInBulk(condition: FoundCondition): boolean {
  return alternativesOf(condition).some(isListed)
}

/** The looks of such a statement at one bug: a list that is exact has decided. */
export function bulkLooksOf(members: readonly FoundCondition[]): number {
  return members
    .flatMap(alternativesOf)
    .map((each) => (isListed(each) && each.access.matches ? LOOKS.row : each.cost.looks))
    .reduce((sum, looks) => sum + looks, 0)
}

/**
 * The looks at each bug that an index finds for a condition, before it is known to match; 0 where there is nothing to
 * be known and each takes next to no time. What one of several indexes finds is looked at for that one alone.
 */
export function leadLooksOf(condition: FoundCondition): number {
  return Math.max(0, ...alternativesOf(condition).map(looksToFind))
}

function looksToFind({ access, cost }: Alternative): number {
  if (access.kind === 'range') {
    return 0
  }
  if (access.matches === undefined) {
    return cost.looks
  }
  if (access.compared !== undefined && access.compared.exact === undefined) {
    return access.compared.looks
  }
  const least = access.scan || access.selectivity === SELECTIVITY.text ? LOOKS.row : 0
  return access.looksAtPosting ?? least
}

function isAmong(id: SQL, { matches, select }: IdList, test: SQL): SQL {
  return matches === undefined
    ? sql`(${id} IN (${flatSelect(select)}) AND ${test})`
    : sql`(${id} IN (${flatSelect(matches)}))`
}

/** What indexes find for a condition. */
export function listOf(condition: FoundCondition): ListedBugs {
  const lists = alternativesOf(condition).map(
    ({ access }): ListedBugs =>
      access.kind === 'list'
        ? access
        : { select: sql`SELECT ${bugs.id} FROM bugs WHERE ${access.condition}` },
  )
  const postings = lists.flatMap((list) => list.postings ?? [])
  const areTooLong = lists.flatMap(({ isTooLong }) => isTooLong ?? [])
  const scans = lists.flatMap(({ scan }) => scan ?? [])
  return {
    select: unionOf(lists.map(({ select }) => select)),
    ...(postings.length > 0 && { postings: unionOf(postings) }),
    ...(areTooLong.length > 0 && { isTooLong: anyOf(areTooLong) }),
    ...(scans.length > 0 && {
      scan: {
        indexed: unionOf(lists.map(({ select, scan }) => scan?.indexed ?? select)),
        within: (isWithin) => unionOf(scans.map(({ within }) => within(isWithin))),
        comparisons: scans.reduce((sum, { comparisons }) => sum + comparisons, 0),
      },
    }),
  }
}

/**
 * The columns of `bugs` whose index gives bugs in the order of a search, so that its first page reads few
 * rows.
 */
export type OrderIndex = (typeof bugs)['id' | 'createdAt' | 'changedAt']
