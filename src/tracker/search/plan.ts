import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { PagePlan } from '../../platform/access/bug-set.ts'
import type { Candidates, FoundByIndex } from '../../platform/access/candidate-lists.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { allOf, anyOf, sql } from '../../platform/db/sql.ts'
import {
  leadersOf,
  SELECTIVITY,
  type SearchCondition,
  testedCondition,
  unionOf,
} from './compile/condition.ts'
import type { SearchOrder } from './order.ts'
import type { OrderIndex } from './order-index.ts'

/** Selects of candidates that are tried, from the one that leaves the fewest bugs; each is part of the text. */
const MAX_ATTEMPTS = 2

/** Matches up to which a page is sorted rather than walked to. */
const FEW = 2000
/** The same for what most bugs of a tracker may share and is tested fast: there a walk ends soon. */
const FEW_OF_MANY = 350
/** The same for two criteria of one index, of which one leaves less to walk through, such as a product. */
const FEW_OF_PAIR = 250

/** Columns that an index of `bugs` holds behind others, so that both are looked up at once. */
const INDEXED_BEHIND: ReadonlyMap<SQLiteColumn | undefined, readonly SQLiteColumn[]> = new Map<
  SQLiteColumn,
  SQLiteColumn[]
>([
  [bugs.statusId, [bugs.assignedToId, bugs.componentId, bugs.productId]],
  [bugs.createdAt, [bugs.productId]],
  [bugs.changedAt, [bugs.productId]],
])

/** The condition of all bugs that a search finds: `members` all hold. */
export function planAll(members: readonly SearchCondition[]): SQL {
  const [leader] = leadersOf(members).filter(({ lead }) => lead !== undefined)
  return allOf(members.map((member) => formBeside(member, leader)))
}

/** The form of a member in a statement that looks at all matches of the leader. */
function formBeside(member: SearchCondition, leader: SearchCondition | undefined): SQL {
  if (member.lead !== undefined && (member === leader || isIndexedBehind(member, leader))) {
    return member.lead
  }
  return member.bulkTest ?? member.test
}

/**
 * The ways to find a short page, of which the statement itself takes the first that fits: an index that holds
 * the matches in the order of the page; else the matches of the most selective condition when they are few, and
 * sorted; else a walk through all bugs in the order of the page, which ends soon because matches are many.
 */
export function planPage(
  members: readonly SearchCondition[],
  order: SearchOrder,
  orderIndex: OrderIndex | null,
): PagePlan[] {
  if (orderIndex === null) {
    return [{ condition: planAll(members), order: order.sorted }]
  }
  const few: FewMatches[] = []
  // the others are tested by their lists in every plan
  const tested = () =>
    members.filter((member) => few.every((list) => list.member !== member || !list.inRow))
  const endWith = (last: PagePlan): PagePlan[] =>
    few.length === 0 ? [last] : [planFew(few, members, order), last]
  for (const leader of leadersOf(members)) {
    const pairs = members.filter((member) => isIndexedBehind(member, leader))
    const [pair] = pairs
    const found = candidatesOf(leader, pair)
    if (leader.leadsInOrder?.(orderIndex)) {
      const isPairInOrder =
        pair === undefined ||
        pair.column === orderIndex ||
        (pairs.length === 1 && pair.leadsInOrder?.(orderIndex) === true)
      few.push(...(isPairInOrder || found === undefined ? [] : [found]))
      const leaders = isPairInOrder ? [leader, ...pairs] : [leader]
      return endWith({ condition: conditionLedBy(tested(), leaders), order: order.by })
    }
    if (leader.stream !== undefined && orderIndex === bugs.id) {
      const { from, condition, id } = leader.stream
      const direction = sql.raw(order.isDescending ? 'DESC' : 'ASC')
      return endWith({
        from,
        condition: sql`${condition} AND ${conditionLedBy(tested(), [])}`,
        order: [sql`${id} ${direction}`],
      })
    }
    if (found !== undefined && few.length < MAX_ATTEMPTS) {
      few.push(found)
    }
  }
  return endWith({ condition: conditionLedBy(tested(), []), order: order.by })
}

type FewMatches = Candidates & { readonly member: SearchCondition }

function planFew(
  few: readonly FewMatches[],
  members: readonly SearchCondition[],
  order: SearchOrder,
): PagePlan {
  const others = members.filter((member) => few.every((each) => each.member !== member))
  return {
    candidates: few,
    condition: allOf(others.map(({ test }) => test)),
    // a list of IDs is in their order already, so that what is behind the page is not tested
    order: order.isById ? order.by : order.sorted,
  }
}

/** The matches of a condition, and of another one that the same index finds. */
function candidatesOf(
  member: SearchCondition,
  pair: SearchCondition | undefined,
): FewMatches | undefined {
  const { lead, candidates, postings, test, isExact = false } = member
  if (lead !== undefined && pair?.lead !== undefined) {
    const select = sql`SELECT ${bugs.id} FROM bugs WHERE ${lead} AND ${pair.lead}`
    return { member, select, test, isExact: true, most: FEW_OF_PAIR }
  }
  const isSelective = member.selectivity < SELECTIVITY.component || member.isSlow === true
  const most = isSelective ? FEW : FEW_OF_MANY
  if (candidates === undefined) {
    return undefined
  }
  const apart = member.isSlow ? separateAlternatives(member) : undefined
  return {
    ...{ member, most },
    ...(apart ?? { select: candidates, test, isExact, ...(postings && { postings }) }),
  }
}

/** Alternatives that the row of a bug tells apart from the others, which cost more. */
function separateAlternatives({
  alternatives = [],
}: SearchCondition): Omit<Candidates, 'most'> | undefined {
  const inRow = alternatives.filter(({ isOwn }) => isOwn)
  const others = alternatives.filter(({ isOwn }) => !isOwn)
  return inRow.length === 0 || others.length === 0
    ? undefined
    : { ...candidatesOfAny(others), inRow: candidatesOfAny(inRow) }
}

function candidatesOfAny(conditions: readonly SearchCondition[]): FoundByIndex {
  const postings = conditions.flatMap((condition) => condition.postings ?? [])
  return {
    select: unionOf(conditions.flatMap(({ candidates }) => candidates ?? [])),
    test: anyOf(conditions.map(({ test }) => test)),
    isExact: conditions.every(({ isExact }) => isExact === true),
    ...(postings.length > 0 && { postings: unionOf(postings) }),
  }
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
  return [testedCondition(behind(sql`${bugs.id}`))]
}

function conditionLedBy(
  members: readonly SearchCondition[],
  leaders: readonly SearchCondition[],
): SQL {
  return allOf(
    members.map((member) =>
      leaders.includes(member) ? (member.lead ?? member.test) : member.test,
    ),
  )
}

function isIndexedBehind(member: SearchCondition, leader: SearchCondition | undefined): boolean {
  return (
    member !== leader &&
    member.lead !== undefined &&
    leader?.column !== undefined &&
    (INDEXED_BEHIND.get(member.column) ?? []).includes(leader.column)
  )
}
