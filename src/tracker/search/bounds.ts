import type { SQL } from 'drizzle-orm'
import { bugsWhere } from '../../platform/access/bug-set.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch, selectOf } from '../../platform/db/read-batch.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { allOf, limitTo, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { Turns } from '../../platform/lib/turns.ts'
import { leadersOf, SELECTIVITY, type SearchCondition, selectivityOf } from './condition.ts'
import { searchTooSlow } from './faults.ts'
import { planAll } from './plan.ts'

/** How far to walk. */
export type Walk = {
  readonly isDescending: boolean
  /** The number of bugs after which no more are looked for; absent for all. */
  readonly most?: number
}

/** Most walks for a page end in the first range; the others are as large as a statement in time allows. */
const FIRST_RANGE = 500
const RANGE = 2000

/**
 * Whether one statement would take too long for this search: a condition reads the comments or files of each
 * bug, and no index leaves few bugs.
 */
export function needsWalk(members: readonly SearchCondition[]): boolean {
  const [leader] = leadersOf(members)
  return (
    members.some(isCostly) && (leader === undefined || selectivityOf(leader) >= SELECTIVITY.product)
  )
}

function isCostly({ cost, access }: SearchCondition): boolean {
  return cost.looksAt === 'texts' && access === undefined
}

/**
 * Finds the visible bugs that meet all conditions, in the order of their IDs: a range of the bugs that meet the
 * cheap conditions in each round trip, so that other requests get their turn. Fault 1001 with the costly
 * condition when more than SEARCH_SCAN_BUGS bugs would be looked at. Reference: search.md, "Search bugs".
 */
export async function walkInRanges(
  ctx: Ctx,
  members: readonly SearchCondition[],
  { isDescending, most = Number.POSITIVE_INFINITY }: Walk,
): Promise<number[]> {
  const costly = members.filter(isCostly)
  const cheap = planAll(members.filter((member) => !costly.includes(member)))
  const test = allOf(costly.map((member) => member.test))
  const [behind, direction] = isDescending ? ['<', 'DESC'] : ['>', 'ASC']
  const found: number[] = []
  let left = ctx.settings.SEARCH_SCAN_BUGS
  let last: number | null = null
  for (let size = FIRST_RANGE; found.length < most; size = RANGE) {
    const limit = Math.min(size, left)
    if (limit === 0) {
      throw fault(searchTooSlow, { source: sourceOf(costly) })
    }
    const isBehind: SQL = last === null ? sql`1` : sql`${bugs.id} ${sql.raw(behind)} ${last}`
    const places = sql`SELECT ${bugs.id} AS place FROM bugs
      WHERE ${bugsWhere(ctx.caller, [cheap, isBehind]).condition}
      ORDER BY ${bugs.id} ${sql.raw(direction)} ${limitTo(limit)}`
    const range = await runInScanTurn(() => readRange(ctx, places, test))
    found.push(...range.found.toSorted((a, b) => (isDescending ? b - a : a - b)))
    left -= range.count
    last = isDescending ? range.first : range.last
    if (range.count < limit) {
      break
    }
  }
  return found.slice(0, most)
}

function sourceOf([first]: readonly SearchCondition[]): string {
  return first === undefined || first.cost.looksAt === 'row' ? 'it' : first.cost.source
}

type Range = { count: number; first: number | null; last: number | null; found: number[] }

/** One row, however many bugs it is about. */
async function readRange(ctx: Ctx, places: SQL, test: SQL): Promise<Range> {
  const { rows } = await readBatch(ctx, {
    rows: selectOf(
      {
        count: sql<number>`count(*)`,
        first: sql<number | null>`min(place)`,
        last: sql<number | null>`max(place)`,
        found: sql<string>`json_group_array(place) FILTER (WHERE ${test})`,
      },
      sql`FROM (${places}) CROSS JOIN bugs ON ${bugs.id} = place`,
    ),
  })
  const { count = 0, first = null, last = null, found = '[]' } = rows[0] ?? {}
  return { count, first, last, found: JSON.parse(found) as number[] }
}

const turns = new Turns<null>(0)

/**
 * Runs a part of a search that reads many rows when no other search of this isolate does: the database takes
 * one statement after the other, so that a read of one bug waits for one of these parts, however many
 * searches run.
 */
export function runInScanTurn<Result>(scan: () => Promise<Result>): Promise<Result> {
  return turns.run(null, scan)
}
