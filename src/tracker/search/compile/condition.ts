import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { allOf, anyOf, flatSelect, jsonList, sql } from '../../../platform/db/sql.ts'
import type { OrderIndex } from '../order-index.ts'

/**
 * A condition on the table `bugs` in several forms, because SQLite cannot know how many bugs it leaves. Which
 * forms a search uses decides `plan.ts`. All forms are NULL or empty for an unknown condition.
 */
export type SearchCondition = {
  /** True, false or NULL for one row of `bugs`; looks at what belongs to this bug, and uses no index of `bugs`. */
  readonly test: SQL
  /** The same for a statement that tests most bugs: sub-selects run once for all. `test` when absent. */
  readonly bulkTest?: SQL
  /** The same in a form that an index of `bugs` serves. */
  readonly lead?: SQL
  /**
   * A select of the IDs of the bugs that match, and perhaps of some others, each perhaps several times; from an
   * index, so that it costs in proportion to what it returns.
   */
  readonly candidates?: SQL
  /** A faster select of most rows of `candidates`, or of a few more: when these are many, all are. */
  readonly postings?: SQL
  /** `candidates` has no bug that does not match. */
  readonly isExact?: boolean
  /** The column of `bugs` that `lead` is about. */
  readonly column?: SQLiteColumn
  /** Whether the index of `lead` holds its bugs in this order. */
  readonly leadsInOrder?: (order: OrderIndex) => boolean
  /** The bugs one by one in the order of their IDs, if an index holds them so. */
  readonly stream?: IdStream
  /** How few bugs the condition leaves, as a rule; one of `SELECTIVITY`. */
  readonly selectivity: number
  /** `test` looks at a text in the row of the bug alone. */
  readonly isOwn?: boolean
  /** Conditions of which one has to hold, when that is what the condition says; none of them has any itself. */
  readonly alternatives?: readonly SearchCondition[]
  /** It is an alternative that looks into texts or other tables, so that a walk that tests it should be short. */
  readonly isSlow?: boolean
  /**
   * The source of a condition that reads comments or files of every bug that it is tested on, without an index:
   * `walk-in-ranges.ts` limits how many these are. Absent where no part is like that.
   */
  readonly costlySource?: string
}

/** Bugs as an index finds them: the tables to look in, joined to `bugs`, the condition, and the ID to order by. */
export type IdStream = { readonly from: SQL; readonly condition: SQL; readonly id: SQL }

/** What an index for texts finds: `candidates` of a condition, and perhaps the same as a stream. */
export type TextCandidates = {
  readonly select: SQL
  readonly postings?: SQL
  readonly stream?: IdStream
  readonly isExact?: boolean
}

/** Guesses of how few bugs a condition leaves; the lowest of a search leads it. */
export const SELECTIVITY = {
  /** The bug itself is named: ID, alias. */
  named: 0,
  /** A word in a text, a link, a flag of a person. */
  text: 1,
  person: 2,
  keyword: 3,
  component: 4,
  part: 5,
  product: 6,
  time: 7,
  value: 8,
  /** Most bugs, or unknown how many. */
  many: 9,
} as const

/** NULL is neither true nor false: an invalid value finds nothing, not even when it is negated. */
export const UNKNOWN_CONDITION: SearchCondition = {
  test: sql`NULL`,
  lead: sql`NULL`,
  candidates: sql`SELECT NULL WHERE false`,
  selectivity: SELECTIVITY.named,
}

/** The condition that a bug is one of these. */
export function idsCondition(ids: readonly number[]): SearchCondition {
  const list = jsonList(ids)
  const lead = sql`${bugs.id} IN ${list}`
  return {
    test: sql`+${bugs.id} IN ${list}`,
    lead,
    candidates: list,
    isExact: true,
    selectivity: SELECTIVITY.named,
  }
}

/** A condition that no index serves. */
export function testedCondition(test: SQL, bulkTest?: SQL): SearchCondition {
  return { test, selectivity: SELECTIVITY.many, ...(bulkTest && { bulkTest }) }
}

/** The condition where `isKnown` holds, and unknown elsewhere. */
export function knownCondition(
  isKnown: SQL | undefined,
  condition: SearchCondition,
): SearchCondition {
  if (isKnown === undefined) {
    return condition
  }
  const { alternatives, ...rest } = condition
  const { test, bulkTest, lead } = rest
  return {
    ...rest,
    // the candidates stay, though none of them matches where it is unknown
    isExact: false,
    test: sql`CASE WHEN ${isKnown} THEN ${test} END`,
    ...(bulkTest && { bulkTest: sql`CASE WHEN ${isKnown} THEN ${bulkTest} END` }),
    ...(lead && { lead: sql`(${isKnown} AND ${lead})` }),
  }
}

/** The condition that all members hold. It leads with the member that leaves the fewest bugs. */
export function allConditions(members: readonly SearchCondition[]): SearchCondition {
  const [only] = members
  if (only !== undefined && members.length === 1) {
    return only
  }
  const leader = leaderOf(members)
  const all: SearchCondition = {
    test: allOf(members.map(({ test }) => test)),
    bulkTest: allOf(members.map(({ test, bulkTest }) => bulkTest ?? test)),
    selectivity: leader?.selectivity ?? SELECTIVITY.many,
    ...costOf(members),
  }
  return leader === undefined
    ? all
    : {
        ...all,
        ...(leader.candidates && { candidates: leader.candidates }),
        ...(leader.postings && { postings: leader.postings }),
        ...(leader.lead && {
          lead: allOf(
            members.map((member) =>
              member === leader ? (leader.lead ?? member.test) : member.test,
            ),
          ),
        }),
      }
}

/** The condition that some member holds; an index serves it when one serves every member. */
export function anyCondition(members: readonly SearchCondition[]): SearchCondition {
  const [only] = members
  if (only !== undefined && members.length === 1) {
    return only
  }
  const leads = members.flatMap(({ lead }) => lead ?? [])
  const candidates = members.flatMap((member) => member.candidates ?? [])
  const postings = members.flatMap((member) => member.postings ?? [])
  return {
    alternatives: members.flatMap((member) => member.alternatives ?? [member]),
    test: anyOf(members.map(({ test }) => test)),
    bulkTest: anyOf(members.map(({ test, bulkTest }) => bulkTest ?? test)),
    selectivity: Math.max(SELECTIVITY.named, ...members.map(({ selectivity }) => selectivity)),
    isSlow: members.some(
      ({ selectivity, isSlow }) => selectivity < SELECTIVITY.component || isSlow,
    ),
    ...costOf(members),
    ...(leads.length === members.length && { lead: anyOf(leads) }),
    ...(candidates.length === members.length && {
      candidates: unionOf(candidates),
      ...(postings.length > 0 && { postings: unionOf(postings) }),
      isExact: members.every(({ isExact }) => isExact === true),
    }),
  }
}

/** The negation. No index finds what does not match. */
export function notCondition(condition: SearchCondition): SearchCondition {
  const { test, bulkTest } = condition
  return {
    ...testedCondition(sql`NOT (${test})`, bulkTest && sql`NOT (${bulkTest})`),
    ...costOf([condition]),
  }
}

/** The first costly one of the members, which makes them costly together. */
function costOf(members: readonly SearchCondition[]): { costlySource?: string } {
  const [costlySource] = members.flatMap((member) => member.costlySource ?? [])
  return costlySource === undefined ? {} : { costlySource }
}

/** The members that an index finds, from the one that leaves the fewest bugs. */
export function leadersOf(members: readonly SearchCondition[]): SearchCondition[] {
  return members
    .filter(({ lead, candidates }) => lead !== undefined || candidates !== undefined)
    .toSorted((a, b) => a.selectivity - b.selectivity)
}

function leaderOf(members: readonly SearchCondition[]): SearchCondition | undefined {
  return leadersOf(members)[0]
}

/** D1 takes at most five selects in one union, so that many become a tree. */
const MAX_UNION = 5

/** The rows of all selects, each of one column; no union itself, so that it may be part of another. */
export function unionOf(selects: readonly SQL[]): SQL {
  if (selects.length === 0) {
    return sql`SELECT NULL WHERE false`
  }
  const [only, ...others] = selects
  if (only !== undefined && others.length === 0) {
    return only
  }
  if (selects.length <= MAX_UNION) {
    return flatSelect(sql.join([...selects], sql` UNION ALL `))
  }
  const size = Math.ceil(selects.length / MAX_UNION)
  const parts = Array.from({ length: Math.ceil(selects.length / size) }, (_, n) =>
    selects.slice(n * size, (n + 1) * size),
  )
  return unionOf(parts.map(unionOf))
}
