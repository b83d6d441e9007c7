import type { SQL } from 'drizzle-orm'
import { bugsWhere } from '../../platform/access/bug-set.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch, selectOf } from '../../platform/db/read-batch.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { allOf, limitTo, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { Turns } from '../../platform/lib/turns.ts'
import {
  growthOf,
  leadersOf,
  looksOf,
  type OrderIndex,
  SELECTIVITY,
  type SearchCondition,
  selectivityOf,
} from './condition.ts'
import { searchTooSlow } from './faults.ts'
import { planAll } from './plan.ts'

/** In which order to walk, by ID if it is not said, and how far. */
export type Walk = {
  /** A column that an index holds; bugs of one moment stand in the order of their IDs. */
  readonly by?: OrderIndex
  readonly isDescending?: boolean
  readonly idsDescend?: boolean
  /** The number of bugs after which no more are looked for; absent for all. */
  readonly most?: number
}

/** Most walks for a page end in the first range; the others are as large as a statement in time allows. */
const FIRST_RANGE = 500
const RANGE = 2000
/** Rows of a bug are fewer and shorter than its comments and changes. */
const RANGE_OF_ROWS = 10 * RANGE
/** Looks at the rows of each bug that a statement may take about all bugs. */
const MAX_LOOKS = 4

/**
 * Whether one statement would take too long for this search: no index leaves few bugs, and what each of these takes
 * to test grows with what people say and do about it, or with the number of criteria.
 */
export function needsWalk(members: readonly SearchCondition[]): boolean {
  const [leader] = leadersOf(members)
  return (
    walkedMembers(members).length > 0 &&
    (leader === undefined || selectivityOf(leader) >= SELECTIVITY.product)
  )
}

/** The members that a walk tests; what is left chooses the bugs that it looks at. */
function walkedMembers(members: readonly SearchCondition[]): SearchCondition[] {
  const ofRows = members.filter(
    (member) => member.cost.looksAt === 'rows' && growthOf(member) === 'tracker',
  )
  return looksOf(ofRows) > MAX_LOOKS
    ? members.filter((member) => isCostly(member) || ofRows.includes(member))
    : members.filter(isCostly)
}

/** Whether a condition reads comments, files or changes all over the tracker. */
export function isCostly(condition: SearchCondition): boolean {
  const { looksAt } = condition.cost
  return (looksAt === 'texts' || looksAt === 'changes') && growthOf(condition) === 'tracker'
}

/**
 * Finds the visible bugs that meet all conditions: a range of the bugs that meet the cheap conditions in each round
 * trip, so that other requests get their turn. Throws a fault, with the costly condition, when bugs would be looked
 * at more than SEARCH_SCAN_BUGS times. This is what bounds everything that grows with the tracker.
 */
export async function walkInRanges(
  ctx: Ctx,
  members: readonly SearchCondition[],
  { by = bugs.id, isDescending = false, idsDescend = isDescending, most = Infinity }: Walk,
): Promise<number[]> {
  const costly = walkedMembers(members)
  const looks = Math.max(1, looksOf(costly))
  const longest = costly.some(isCostly) ? RANGE : RANGE_OF_ROWS
  const cheap = planAll(members.filter((member) => !costly.includes(member)))
  const test = allOf(costly.map((member) => member.test))
  const isAhead = (descends: boolean) => sql.raw(descends ? '<' : '>')
  const direction = (descends: boolean) => sql.raw(descends ? 'DESC' : 'ASC')
  const found: number[] = []
  let left = ctx.settings.SEARCH_SCAN_BUGS
  let behind: Place | null = null
  for (let size = FIRST_RANGE; found.length < most; size = longest) {
    const limit = Math.floor(Math.min(Math.max(size, looks), left) / looks)
    if (limit === 0) {
      throw fault(searchTooSlow, { source: sourceOf(costly) })
    }
    const isBehind: SQL =
      behind === null
        ? sql`1`
        : sql`${by} ${isAhead(isDescending)}= ${behind.at} AND (+${by} ${isAhead(isDescending)} ${behind.at}
            OR ${bugs.id} ${isAhead(idsDescend)} ${behind.id})`
    const places = sql`SELECT ${bugs.id} AS place, ${by} AS at FROM bugs
      WHERE ${bugsWhere(ctx.caller, [cheap, isBehind]).condition}
      ORDER BY ${by} ${direction(isDescending)}, ${bugs.id} ${direction(idsDescend)} ${limitTo(limit)}`
    const range: Range = await runInScanTurn(() => readRange(ctx, places, test))
    found.push(...range.found)
    left -= range.count * looks
    behind = range.last
    if (range.count < limit) {
      break
    }
  }
  return found.slice(0, most)
}

function sourceOf([first]: readonly SearchCondition[]): string {
  return first === undefined || first.cost.looksAt === 'row' ? 'it' : first.cost.source
}

/** A bug, and where it stands in the order of a walk. */
type Place = { readonly at: number; readonly id: number }

type Range = { readonly count: number; readonly last: Place | null; readonly found: number[] }

/** One row, however many bugs it is about. */
async function readRange(ctx: Ctx, places: SQL, test: SQL): Promise<Range> {
  const { rows } = await readBatch(ctx, {
    rows: selectOf(
      {
        count: sql<number>`count(*)`,
        last: sql<string | null>`max(printf('%05d ', n) || json_object('at', at, 'id', place))`,
        found: sql<string>`json_group_array(place ORDER BY n) FILTER (WHERE ${test})`,
      },
      sql`FROM (SELECT place, at, row_number() OVER () AS n FROM (${places})) CROSS JOIN bugs ON ${bugs.id} = place`,
    ),
  })
  const { count = 0, last = null, found = '[]' } = rows[0] ?? {}
  const place = last === null ? null : (JSON.parse(last.slice(last.indexOf(' '))) as Place)
  return { count, last: place, found: JSON.parse(found) as number[] }
}

const turns = new Turns<null>(1)

/**
 * Runs a part of a search that reads many rows when no other search of this isolate does: the database takes
 * one statement after the other, so that a read of one bug waits for one of these parts, however many
 * searches run.
 */
export function runInScanTurn<Result>(scan: () => Promise<Result>): Promise<Result> {
  return turns.run(null, scan)
}
