import type { SQL } from 'drizzle-orm'
import type { Viewer } from '../../../platform/access/caller.ts'
import { visibleCommentCondition } from '../../../platform/access/visibility.ts'
import type { Ctx } from '../../../platform/context.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { REACH_LENGTH, RowsTooLong } from '../../../platform/db/read-limit.ts'
import { MOST_OF_REQUEST, take } from '../../../platform/db/request-limits.ts'
import {
  bugCc,
  bugKeywords,
  bugs,
  comments,
  customValues,
  dependencies,
  regressions,
  seeAlso,
} from '../../../platform/db/schema/bugs.ts'
import { flags } from '../../../platform/db/schema/flags.ts'
import { aliasColumns, db, jsonList, sql } from '../../../platform/db/sql.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { storedValuesCondition } from '../custom-fields/present.ts'
import { bugsTooLong } from '../model/faults.ts'
import { type BugColumn, ifAnyCustom } from './columns.ts'

const c = aliasColumns(customValues, 'c')

type Bounds = {
  /** The most items of lists. */
  readonly items: number
  /** How many bytes of a text count as one. */
  readonly itemBytes: number
  /** Items of each bug that do not count: many bugs have them, and ten thousand such bugs are answered. */
  readonly free: number
}

/** What one statement reads, in some tenths of a second; texts are held in memory several times over. */
export const BOUNDS_OF_STATEMENT: Bounds = { items: 15_000, itemBytes: 100, free: 0 }
const BOUNDS_OF_REQUEST: Bounds = { items: MOST_OF_REQUEST.listItems, itemBytes: 1000, free: 20 }

const bug = sql`page.value`

type Counts = Readonly<Partial<Record<BugColumn, SQL>>>

/** How many items a bug has at most in what callers may fill with hundreds. */
const COUNTS: Counts = {
  cc: sql`(SELECT count(*) FROM bug_cc WHERE ${bugCc.bugId} = ${bug})`,
  keywords: sql`(SELECT count(*) FROM bug_keywords WHERE ${bugKeywords.bugId} = ${bug})`,
  flags: sql`(SELECT count(*) FROM flags WHERE ${flags.bugId} = ${bug})`,
  seeAlso: sql`(SELECT count(*) FROM see_also WHERE ${seeAlso.bugId} = ${bug})`,
  dependsOn: sql`(SELECT count(*) FROM dependencies WHERE ${dependencies.bugId} = ${bug})`,
  blocks: sql`(SELECT count(*) FROM dependencies WHERE ${dependencies.dependsOnId} = ${bug})`,
  regressedBy: sql`(SELECT count(*) FROM regressions WHERE ${regressions.bugId} = ${bug})`,
  regressions: sql`(SELECT count(*) FROM regressions WHERE ${regressions.regressedById} = ${bug})`,
  duplicates: sql`(SELECT count(*) FROM bugs WHERE ${bugs.dupeOfId} = ${bug})`,
}

const LISTS = [...Object.keys(COUNTS), 'custom']

/** The condition that `admitted` counted an item of a column; null for columns that are no lists. */
export function filledCondition(column: BugColumn): SQL | null {
  const bit = bitOf(column)
  return bit === null ? null : sql`admitted.filled & ${bit}`
}

function bitOf(column: string): SQL | null {
  const place = LISTS.indexOf(column)
  return place < 0 ? null : sql.raw(String(2 ** place))
}

/** The same, and of what callers may fill with long texts. */
function countsFor(viewer: Viewer, itemBytes: number): Counts {
  return {
    ...COUNTS,
    whiteboard: sql`page.whiteboard_bytes / ${itemBytes}`,
    url: sql`page.url_bytes / ${itemBytes}`,
    description: sql`coalesce((SELECT octet_length(${comments.body}) / ${itemBytes} FROM comments
      WHERE ${comments.bugId} = ${bug} AND ${comments.number} = 0 AND ${visibleCommentCondition(viewer)}), 0)`,
    custom: ifAnyCustom(
      sql`(SELECT count(*) + coalesce(sum(octet_length(${c.text})), 0) / ${itemBytes}
        FROM custom_values c WHERE ${storedValuesCondition(bug)})`,
      sql`0`,
    ),
  }
}

/**
 * Selects the `id` of the bugs that `rest` names, a `WHERE …`, in its order, which of their lists are `filled`,
 * and their `items` up to each. Fails with `RowsTooLong` at the first one with which they exceed the bounds in
 * these columns; null where none of these can be long. LIMIT beside a condition has each counted once.
 */
export function admittedOf(
  viewer: Viewer,
  columns: readonly BugColumn[],
  rest: SQL,
  { items: most, itemBytes, free }: Bounds,
): SQL | null {
  const countOf = countsFor(viewer, itemBytes)
  const counted = columns.flatMap((column) => {
    const count = countOf[column]
    return count === undefined ? [] : [{ name: sql.raw(`"${column}"`), count, bit: bitOf(column) }]
  })
  const counts = counted.map(({ name, count }) => sql`${count} AS ${name}`)
  const numbers = counted.map(({ name }) => name)
  const bits = counted.flatMap(({ name, bit }) => (bit ? sql`iif(${name} > 0, ${bit}, 0)` : []))
  return counted.length === 0
    ? null
    : sql`SELECT * FROM (
        SELECT id, filled, sum(number) OVER (ROWS UNBOUNDED PRECEDING) AS items
        FROM (SELECT id, max(0, ${sql.join(numbers, sql` + `)} - ${free}) AS number,
            ${sql.join([sql`0`, ...bits], sql` | `)} AS filled
          FROM (SELECT page.value AS id, ${sql.join(counts, sql`, `)}
            FROM (SELECT ${bugs.id} AS value, octet_length(${bugs.whiteboard}) AS whiteboard_bytes,
              octet_length(${bugs.url}) AS url_bytes FROM bugs ${rest}) AS page LIMIT -1) WHERE id > 0))
      WHERE items <= ${most} OR ${REACH_LENGTH}`
}

/** Counts the items of several bugs in these columns. Refuses them where one request would read too many. */
export async function admitLists(
  ctx: Ctx,
  ids: readonly number[],
  columns: readonly BugColumn[],
): Promise<void> {
  const most = BOUNDS_OF_REQUEST.items
  const named = sql`WHERE ${bugs.id} IN ${jsonList(ids)}`
  const admitted = admittedOf(ctx.caller, columns, named, BOUNDS_OF_REQUEST)
  if (admitted === null || ids.length < 2) {
    return
  }
  const tooLong = fault(bugsTooLong, { most: most.toLocaleString('en') })
  const items = sql<number>`coalesce(max(items), 0)`.as('all_items')
  const { total } = await readBatch(ctx, {
    total: db.select({ items }).from(sql`(${admitted})`),
  }).catch((error) => {
    throw error instanceof RowsTooLong ? tooLong : error
  })
  if (take(ctx, 'listItems', total[0]?.items ?? 0) > most) {
    throw tooLong
  }
}
