import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { allOf, anyOf, directionOf, sql, unionOf } from '../../platform/db/sql.ts'
import type { Candidates, FewBugs, Plan, SortedBugs, Walk } from './candidate-lists.ts'
import {
  alternativesOf,
  bulkLooksOf,
  bulkOf,
  type FoundCondition,
  growthOf,
  isFound,
  isListedExactly,
  isListedInBulk,
  leadersOf,
  leadLooksOf,
  leadOf,
  listOf,
  looksOf,
  type OrderIndex,
  type RangeCondition,
  ROW,
  SELECTIVITY,
  type SearchCondition,
  selectivityOf,
  testAll,
} from './condition.ts'
import { orderOf, type SearchOrder, type WalkOrder } from './order.ts'
import { orderAmong, type ValueOrder, walkValues } from './value-order.ts'

/**
 * Selects of candidates that are tried, from the one that leaves the fewest bugs; each is part of the
 * text.
 */
const MAX_ATTEMPTS = 2

/** Matches up to which a page is sorted before a walk to it is tried. */
export const FEW = 2000
/** The same for what most bugs of a tracker may share and is tested fast: there a walk ends soon. */
export const FEW_OF_MANY = 150
/** The same where the walk reads the first bugs of several lists before it tests one. */
const FEW_OF_LISTS = 1000

/** The same for the newest bugs in an order that has them last: a walk to them passes all others first. */
const FEW_RECENT = 1000

/** Columns that an index of `bugs` holds behind others, so that both are looked up at once. */
const INDEXED_BEHIND: ReadonlyMap<SQLiteColumn, readonly SQLiteColumn[]> = new Map<
  SQLiteColumn,
  SQLiteColumn[]
>([
  [bugs.statusId, [bugs.assignedToId, bugs.componentId, bugs.productId]],
  [bugs.createdAt, [bugs.productId]],
  [bugs.changedAt, [bugs.productId]],
])

/** Lists that a statement about all matches reads whole; each is part of its text twice, and the rest is tested. */
const MAX_WHOLE_LISTS = 8

/** All bugs that a search finds: `members` all hold. */
export function planAll(members: readonly SearchCondition[]): SortedBugs {
  const leader = leaderOfAll(members)
  const pairs = pairsOf(leader, members)
  const leads = leader === undefined ? [] : [leader, ...pairs]
  const others = without(leads, members)
  // few bugs are tested one by one
  const isNamed = leader !== undefined && selectivityOf(leader) === SELECTIVITY.named
  const listed = isNamed ? [] : leadersOf(others).filter(isListedInBulk).slice(0, MAX_WHOLE_LISTS)
  const tested = without(listed, others)
  const leadLooks = leader === undefined || isNamed ? 0 : leadLooksOf(leader)
  return {
    condition: allOf([...leads.map(leadOf), ...listed.map(bulkOf), testAll(tested)]),
    order: [],
    found: leader === undefined ? sql`SELECT ${bugs.id} FROM bugs` : foundOf(leader, pairs),
    looks: leadLooks + bulkLooksOf(listed) + looksOf(tested),
    isLeadCostly: leadLooks > 0,
    ...(listed.length > 0 && { lists: unionOf(listed.map(countedOf)) }),
  }
}

/**
 * The condition that leaves the fewest bugs, but rather a list of recent changes than all bugs of a product: it is read
 * whole in either case.
 */
function leaderOfAll(members: readonly SearchCondition[]): FoundCondition | undefined {
  const leaders = leadersOf(members)
  const [first] = leaders
  const mayBeLong = first?.access.kind === 'range' && !isSelective(first)
  const list = leaders.find(({ access }) => access.kind === 'list' && access.matches !== undefined)
  return mayBeLong && list !== undefined && growthOf(list) === 'matches' ? list : first
}

/** The looks of the tests at each bug that an index finds, to see which of them match. */
export function looksBesideLeader(members: readonly SearchCondition[]): number {
  const leader = leaderOfAll(members)
  return looksOf(
    leader === undefined ? members : without([leader, ...pairsOf(leader, members)], members),
  )
}

/** What an index finds for the leader, in the fastest way to count it. */
function foundOf(leader: FoundCondition, pairs: readonly RangeCondition[]): SQL {
  return pairs.length === 0
    ? countedOf(leader)
    : sql`SELECT ${bugs.id} FROM bugs WHERE ${allOf([leader, ...pairs].map(leadOf))}`
}

/** What an index finds for a condition, in the fastest way to count it. */
export function countedOf(condition: FoundCondition): SQL {
  return unionOf(
    alternativesOf(condition).map((each) => {
      const { select, postings = select } = listOf(each)
      return postings
    }),
  )
}

/** A page that ends behind so many bugs; a short one is found in its order though bugs are passed in vain. */
type PageReach = { readonly end: number; readonly isShort: boolean }

/**
 * Bugs up to which a page is walked to by a walk that tests none, and by one that reads the first ones of many lists.
 */
const MAX_EXACT_WALK = 50_000
const MAX_MERGED_WALK = 5000

/** The ways to find a page: in its order, or all matches, which are sorted. */
export function planPage(
  members: readonly SearchCondition[],
  order: SearchOrder,
  { end, isShort }: PageReach,
): Plan {
  const { orderIndex, values } = order
  const plan =
    orderIndex !== null
      ? planInOrder(members, order, orderIndex)
      : values && planByValue(members, order, values)
  const isExact = plan?.few === undefined && plan?.walk.looks === 0
  const most = plan?.walk.fromFirst === undefined ? MAX_EXACT_WALK : MAX_MERGED_WALK
  if (plan !== undefined && (isShort || (isExact && end <= most))) {
    return plan
  }
  const all = planAll(members)
  return { walk: { ...all, order: order.sorted, looks: all.looks + order.looks } }
}

/** The ways to find all bugs in parts: a walk, or the candidates of the most selective condition. */
export function planWalk(
  members: readonly SearchCondition[],
  order: WalkOrder,
  rarest: readonly FoundCondition[],
) {
  const { few, walk } = planInOrder(members, orderOf(order), order.by)
  const [first]: readonly FewMatches[] = few?.candidates ?? []
  const leader = first?.member
  const list = leader?.access.kind === 'list' ? listOf(leader) : first
  const compared =
    rarest.length === 0 && leader?.access.kind === 'list' ? leader.access.compared : undefined
  // the comparison has decided
  const tested = leader && compared ? without([leader], members) : members
  const select =
    rarest.length === 0
      ? // all of them are tested in their turns
        list?.select
      : sql.join(
          rarest.map((member) => sql`SELECT * FROM (${listOf(member).select})`),
          sql` INTERSECT `,
        )
  return {
    walk,
    ...(select && {
      list: {
        ...(rarest.length === 0 && list?.scan && { scan: list.scan }),
        select,
        ...(compared && { compared }),
        condition: testAll(tested),
        looks: looksOf(tested),
      },
    }),
  }
}

/** The members that an index of words finds, of which some may be far rarer than others. */
export function wordsAmong(members: readonly SearchCondition[]): FoundCondition[] {
  return (
    members
      .filter(isFound)
      .filter(
        (member) => growthOf(member) === 'matches' && alternativesOf(member).some(isSelective),
      )
      // one statement may not hold them
      .filter((member) => {
        const { scan, isTooLong } = listOf(member)
        return scan === undefined && isTooLong === undefined
      })
  )
}

/**
 * The ways to find a short page: an index that holds the matches in the order of the page; else the matches of the
 * most selective condition when they are few, and sorted; else a walk through all bugs in the order of the page, which
 * ends soon when matches are many; and where it does not, all matches of that condition.
 */
function planInOrder(
  members: readonly SearchCondition[],
  order: SearchOrder,
  orderIndex: OrderIndex,
): Plan & { readonly walk: Walk } {
  const few: FewMatches[] = []
  const isNewestLast = !order.isDescending
  const endWith = (walk: Walk) =>
    few.length === 0 ? { walk } : { few: planFew(few, members, order), walk }
  for (const leader of leadersOf(members)) {
    const { access } = leader
    const pairs = pairsOf(leader, members)
    const found = candidatesOf(leader, pairs, isNewestLast)
    if (access.kind === 'range' && access.isInOrder(orderIndex)) {
      const inOrder = pairs.filter(
        ({ access: pair }) =>
          pair.column === orderIndex || (pairs.length === 1 && pair.isInOrder(orderIndex)),
      )
      few.push(...(pairs.length > 0 && inOrder.length === 0 ? [found] : []))
      const leads = [leader, ...inOrder]
      const others = without(leads, members)
      const recent = few.length === 0 ? others.filter(isFound).find(isRecent) : undefined
      few.push(...(recent === undefined ? [] : [candidatesOf(recent, [], isNewestLast)]))
      return endWith(walkThrough(others, order, orderIndex, allOf(leads.map(leadOf))))
    }
    if (access.kind === 'list' && access.stream && orderIndex === bugs.id) {
      const { table, condition, id } = access.stream
      return endWith({
        ...walkThrough(members, order, orderIndex, condition),
        from: table,
        id,
        at: id,
        order: [sql`${id} ${directionOf(order.isDescending)}`],
      })
    }
    if (few.length < MAX_ATTEMPTS) {
      few.push(found)
    }
  }
  return endWith(walkThrough(members, order, orderIndex))
}

/** The same for an order by values, in which lists of few bugs are sorted too. */
function planByValue(
  members: readonly SearchCondition[],
  order: SearchOrder,
  values: ValueOrder,
): (Plan & { readonly walk: Walk }) | undefined {
  const among = orderAmong(values, members)
  if (among.by.length === 0) {
    const isDescending = among.idsDescend
    const byId = { by: bugs.id, isDescending, idsDescend: isDescending }
    return planInOrder(members, orderOf(byId), bugs.id)
  }
  const found = walkValues(among, members)
  if (found === undefined) {
    return undefined
  }
  const others = without(found.met, members)
  const walk = { ...found.walk, condition: testAll(others), looks: looksOf(others) }
  const few = leadersOf(members)
    .slice(0, MAX_ATTEMPTS)
    .filter((each, n) => n === 0 || isSelective(each))
    .map((each) => candidatesOf(each, pairsOf(each, members)))
    .map((each) => (walk.fromFirst ? { ...each, most: Math.max(each.most, FEW_OF_LISTS) } : each))
  return others.length === 0
    ? { walk }
    : { few: planFew(few.length === 0 ? [ALL_BUGS] : few, members, order), walk }
}

/** A walk through the bugs for which `lead` holds, in the order of an index. */
function walkThrough(
  tested: readonly SearchCondition[],
  { by }: SearchOrder,
  orderIndex: OrderIndex,
  lead = sql`1`,
): Walk {
  return {
    id: sql`${bugs.id}`,
    at: sql`${orderIndex}`,
    lead,
    order: by,
    condition: testAll(tested),
    looks: looksOf(tested),
  }
}

/** The other members that an index holds behind the leader. */
function pairsOf(
  leader: FoundCondition | undefined,
  members: readonly SearchCondition[],
): RangeCondition[] {
  return leader === undefined || !isRange(leader)
    ? []
    : members
        .filter(isRange)
        .filter(
          (member) =>
            member !== leader &&
            (INDEXED_BEHIND.get(member.access.column) ?? []).includes(leader.access.column),
        )
}

/** Those that are none of the conditions. */
function without(
  conditions: readonly SearchCondition[],
  members: readonly SearchCondition[],
): SearchCondition[] {
  return members.filter((member) => !conditions.includes(member))
}

function isRange(condition: SearchCondition): condition is RangeCondition {
  return condition.access?.kind === 'range'
}

type FewMatches = Candidates & { readonly member?: FoundCondition }

const ALL_BUGS: FewMatches = {
  select: sql`SELECT ${bugs.id} FROM bugs`,
  test: sql`1`,
  most: FEW_OF_MANY,
  isExact: true,
}

function planFew(
  few: readonly FewMatches[],
  members: readonly SearchCondition[],
  order: SearchOrder,
): FewBugs {
  const others = members.filter((member) => few.every((each) => each.member !== member))
  return {
    candidates: few,
    condition: testAll(others),
    looks: looksOf(few.length === 1 && few[0]?.isExact ? others : members) + looksToSort(order),
    // a list of IDs is in their order already, so that what is behind the page is not tested
    order: order.isById ? [] : order.sorted,
    isDescending: order.isDescending,
  }
}

/** An order of an index needs none. */
function looksToSort({ orderIndex, looks }: SearchOrder): number {
  return orderIndex === null ? looks : 0
}

/** The matches of a condition, and of another one that the same index finds. */
function candidatesOf(
  member: FoundCondition,
  [pair]: readonly RangeCondition[],
  isNewestLast = false,
): FewMatches {
  const { test, access } = member
  const ofMany =
    isNewestLast && [member, pair].some((each) => each !== undefined && isRecent(each))
      ? FEW_RECENT
      : FEW_OF_MANY
  if (pair !== undefined) {
    const select = sql`SELECT ${bugs.id} FROM bugs WHERE ${leadOf(member)} AND ${leadOf(pair)}`
    return { member, select, test, most: ofMany, isExact: true }
  }
  if (access.kind === 'list' && access.matches !== undefined) {
    const { matches, postings } = access
    const most = isSelective(member) ? FEW : ofMany
    return { member, most, select: matches, postings, test, isExact: true }
  }
  const alternatives = alternativesOf(member)
  const most = alternatives.some(isSelective) ? FEW : ofMany
  const inRow = alternatives
    .filter(({ cost }) => cost.looksAt === 'row')
    .map(({ test: own }) => own)
  const exact = alternatives.filter(isListedExactly)
  const others = alternatives.filter((each) => !isListedExactly(each))
  return {
    member,
    most,
    ...listOf(member),
    test,
    isExact: others.length === 0,
    ...(exact.length > 0 &&
      others.length > 0 && { parts: { exact: selectOf(exact), others: selectOf(others) } }),
    inRow: anyOf(inRow),
  }
}

function selectOf(alternatives: readonly FoundCondition[]): SQL {
  return unionOf(alternatives.map((each) => listOf(each).select))
}

/** Whether the bugs may be the last ones in the order of a page, however many others an index holds in that order. */
function isRecent(condition: SearchCondition): boolean {
  return selectivityOf(condition) === SELECTIVITY.time
}

function isSelective(condition: SearchCondition): boolean {
  return selectivityOf(condition) < SELECTIVITY.component
}

/** The condition that a bug stands behind this one in an order by ID. */
export function afterCondition(
  after: number | undefined,
  { isDescending }: Pick<SearchOrder, 'isDescending'>,
): SearchCondition[] {
  if (after === undefined) {
    return []
  }
  const behind = (id: SQL) => (isDescending ? sql`${id} < ${after}` : sql`${id} > ${after}`)
  return [{ test: behind(sql`${bugs.id}`), cost: ROW }]
}
