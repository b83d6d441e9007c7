import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { dependencies, regressions } from '../../../../platform/db/schema/bugs.ts'
import { columnName, db, limitTo, sql } from '../../../../platform/db/sql.ts'
import { realId } from '../statements.ts'

export type Link = readonly [from: number, to: number]

/** A table of links, read from `bug_id` to this column. */
type LinkTable = {
  readonly table: typeof dependencies | typeof regressions
  readonly column: SQLiteColumn
}

/** The most links around the bugs of one request that a decision looks through. */
export const MAX_WALKED_LINKS = 20_000

/** The most steps that a search for loops takes inside a commit. */
export const MAX_WALK_STEPS = 200_000

/** Reads the links that lead on from the bugs in `starts`, a select of IDs, however far they go. */
export function selectLinksFrom({ table, column }: LinkTable, starts: SQL) {
  const [from, to] = [columnName(table.bugId), columnName(column)]
  return db
    .select({ from: sql<number>`g.from_id`.as('from_id'), to: sql<number>`g.to_id`.as('to_id') })
    .from(
      sql`(WITH RECURSIVE walk(id) AS (${starts} UNION
          SELECT l.${to} FROM walk JOIN ${table} l ON l.${from} = walk.id ${limitTo(2 * MAX_WALKED_LINKS)})
        SELECT l.${from} AS from_id, l.${to} AS to_id FROM walk JOIN ${table} l ON l.${from} = walk.id
        ${limitTo(MAX_WALKED_LINKS + 1)}) AS g`,
    )
}

/** A condition that holds when links lead from one of these bugs back to itself. */
export function loopCondition({ table, column }: LinkTable, origins: readonly number[]): SQL {
  const [from, to] = [columnName(table.bugId), columnName(column)]
  return sql`EXISTS (WITH RECURSIVE walk(origin, id) AS (
      SELECT l.${from}, l.${to} FROM json_each(${JSON.stringify(origins)}) o
        JOIN ${table} l ON l.${from} = ${realId(sql`o.value`)}
      UNION
      SELECT walk.origin, l.${to} FROM walk JOIN ${table} l ON l.${from} = walk.id
      ${limitTo(2 * MAX_WALK_STEPS)})
    SELECT 1 FROM walk WHERE walk.origin = walk.id)`
}

/**
 * The first new link that closes a loop once some links are gone and others there; undefined when none
 * does. Pure.
 */
export function findClosingLink(
  standing: readonly Link[],
  gone: readonly Link[],
  added: readonly Link[],
): Link | undefined {
  const away = new Set(gone.map(String))
  const links = [...standing.filter((link) => !away.has(String(link))), ...added]
  const forth = inCircles(links)
  const back = inCircles(forth.map(([from, to]): Link => [to, from]))
  const circling = new Set(back.map(([from, to]) => String([to, from])))
  return added.find((link) => circling.has(String(link)))
}

/** The links that lead into a loop, or are part of one: those whose end has no way on are taken off. */
function inCircles(links: readonly Link[]): Link[] {
  const ways = new Map<number, number>()
  const before = new Map<number, number[]>()
  for (const [from, to] of links) {
    ways.set(from, (ways.get(from) ?? 0) + 1)
    const those = before.get(to)
    if (those === undefined) {
      before.set(to, [from])
    } else {
      those.push(from)
    }
  }
  const ends = [...before.keys()].filter((bug) => !ways.has(bug))
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
    for (const bug of before.get(end) ?? []) {
      const left = (ways.get(bug) ?? 0) - 1
      ways.set(bug, left)
      if (left === 0) {
        ends.push(bug)
      }
    }
  }
  return links.filter(([, to]) => (ways.get(to) ?? 0) > 0)
}
