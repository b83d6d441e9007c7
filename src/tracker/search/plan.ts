import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { allOf, anyOf, sql } from '../../platform/db/sql.ts'
import type { Candidates, FewBugs, Plan } from './candidate-lists.ts'
import {
  alternativesOf,
  bulkOf,
  type FoundCondition,
  leadersOf,
  leadOf,
  listOf,
  listOfAny,
  type OrderIndex,
  type RangeCondition,
  ROW,
  SELECTIVITY,
  type SearchCondition,
  selectivityOf,
  testedCondition,
} from './condition.ts'
import type { SearchOrder } from './order.ts'

/**
 * Selects of candidates that are tried, from the one that leaves the fewest bugs; each is part of the
 * text.
 */
const MAX_ATTEMPTS = 2

/** Matches up to which a page is sorted rather than walked to. */
const FEW = 2000
/** The same for what most bugs of a tracker may share and is tested fast: there a walk ends soon. */
const FEW_OF_MANY = 350
/** The same for two criteria of one index, of which one leaves less to walk through, such as a product. */
const FEW_OF_PAIR = 250

/** Columns that an index of `bugs` holds behind others, so that both are looked up at once. */
const INDEXED_BEHIND: ReadonlyMap<SQLiteColumn, readonly SQLiteColumn[]> = new Map<
  SQLiteColumn,
  SQLiteColumn[]
>([
  [bugs.statusId, [bugs.assignedToId, bugs.componentId, bugs.productId]],
  [bugs.createdAt, [bugs.productId]],
  [bugs.changedAt, [bugs.productId]],
])

/** The condition of all bugs that a search finds: `members` all hold. */
export function planAll(members: readonly SearchCondition[]): SQL {
  const [leader] = leadersOf(members)
  const leads = leadsOf(leader, pairsOf(leader, members))
  return allOf(members.map((member) => leads.get(member) ?? bulkOf(member)))
}

/**
 * The ways to find a short page: an index that holds the matches in the order of the page; else the matches of the
 * most selective condition when they are few, and sorted; else a walk through all bugs in the order of the page, which
 * ends soon because matches are many.
 */
export function planPage(
  members: readonly SearchCondition[],
  order: SearchOrder,
  orderIndex: OrderIndex | null,
): Plan {
  if (orderIndex === null) {
    return { walk: { condition: planAll(members), order: order.sorted } }
  }
  const few: FewMatches[] = []
  // the others are tested by their lists in every plan
  const tested = () =>
    members.filter((member) => few.every((list) => list.member !== member || !list.inRow))
  const endWith = (walk: Plan['walk']): Plan =>
    few.length === 0 ? { walk } : { few: planFew(few, members, order), walk }
  for (const leader of leadersOf(members)) {
    const { access } = leader
    const pairs = pairsOf(leader, members)
    const found = candidatesOf(leader, pairs)
    if (access.kind === 'range' && access.isInOrder(orderIndex)) {
      const inOrder = pairs.filter(
        ({ access: pair }) =>
          pair.column === orderIndex || (pairs.length === 1 && pair.isInOrder(orderIndex)),
      )
      few.push(...(pairs.length > 0 && inOrder.length === 0 ? [found] : []))
      const leads = leadsOf(leader, inOrder)
      const condition = allOf(tested().map((member) => leads.get(member) ?? member.test))
      return endWith({ condition, order: order.by })
    }
    if (access.kind === 'stream' && orderIndex === bugs.id) {
      const direction = sql.raw(order.isDescending ? 'DESC' : 'ASC')
      return endWith({
        from: sql`${access.table} CROSS JOIN bugs ON ${bugs.id} = ${access.id}`,
        condition: sql`${access.condition} AND ${testAll(tested())}`,
        order: [sql`${access.id} ${direction}`],
      })
    }
    if (few.length < MAX_ATTEMPTS) {
      few.push(found)
    }
  }
  return endWith({ condition: testAll(tested()), order: order.by })
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

/** The conditions that an index can find bugs by, each with the SQL of its lead. */
function leadsOf(
  leader: FoundCondition | undefined,
  pairs: readonly RangeCondition[],
): ReadonlyMap<SearchCondition, SQL> {
  const leaders = leader === undefined ? [] : [leader, ...pairs]
  return new Map(leaders.map((each) => [each, leadOf(each)]))
}

function isRange(condition: SearchCondition): condition is RangeCondition {
  return condition.access?.kind === 'range'
}

type FewMatches = Candidates & { readonly member: SearchCondition }

function planFew(
  few: readonly FewMatches[],
  members: readonly SearchCondition[],
  order: SearchOrder,
): FewBugs {
  return {
    candidates: few,
    condition: testAll(members.filter((member) => few.every((each) => each.member !== member))),
    // a list of IDs is in their order already, so that what is behind the page is not tested
    order: order.isById ? order.by : order.sorted,
  }
}

function testAll(members: readonly SearchCondition[]): SQL {
  return allOf(members.map(({ test }) => test))
}

/** The matches of a condition, and of another one that the same index finds. */
function candidatesOf(member: FoundCondition, [pair]: readonly RangeCondition[]): FewMatches {
  const { test } = member
  if (pair !== undefined) {
    const select = sql`SELECT ${bugs.id} FROM bugs WHERE ${leadOf(member)} AND ${leadOf(pair)}`
    return { member, select, test, most: FEW_OF_PAIR }
  }
  const alternatives = alternativesOf(member)
  const isSlow = alternatives.length > 1 && alternatives.some(isSelective)
  const most = isSlow || isSelective(member) ? FEW : FEW_OF_MANY
  const inRow = alternatives.filter(({ cost }) => cost.looksAt === 'row')
  const others = alternatives.filter(({ cost }) => cost.looksAt !== 'row')
  return isSlow && inRow.length > 0 && others.length > 0
    ? { member, most, ...listWithTest(others), inRow: listWithTest(inRow) }
    : { member, most, ...listOf(member), test }
}

function isSelective(condition: SearchCondition): boolean {
  return selectivityOf(condition) < SELECTIVITY.component
}

function listWithTest(conditions: readonly FoundCondition[]) {
  return { ...listOfAny(conditions), test: anyOf(conditions.map(({ test }) => test)) }
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
  return [testedCondition(behind(sql`${bugs.id}`), ROW)]
}
