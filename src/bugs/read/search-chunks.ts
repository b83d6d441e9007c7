import {
  type BugSet,
  bugsById,
  bugsOnPage,
  type Page,
  type PagePlan,
} from '../../access/bug-set.ts'
import type { Ctx } from '../../context.ts'
import { db } from '../../db/client.ts'
import { readBatch } from '../../db/read-batch.ts'
import { bugs } from '../../db/schema/bugs.ts'
import type { Catalogue } from '../../search/catalogue.ts'
import type { SearchOrder } from '../../search/order.ts'
import type { BugReading } from './reader.ts'
import type { BugObject } from './shape.ts'

/** What a search finds, in which order, and the page of it that is asked for. */
export type Found = {
  readonly set: BugSet
  readonly order: SearchOrder
  readonly plans: readonly PagePlan[]
  readonly offset: number
  readonly limit: number
  /** The select of how many there are, for the header; absent where nobody asks. */
  readonly total?: readonly PagePlan[]
  /** The catalogue that the search was parsed with, if it needed one. */
  readonly catalogue?: Catalogue
}

export async function* nothing(): AsyncGenerator<BugObject[]> {}

/**
 * The bugs behind the first chunk, each chunk a round trip; none twice, even when bugs change in between.
 * The first of these round trips fixes which bugs are still to come.
 */
export async function* chunksBehind(
  ctx: Ctx,
  reading: BugReading,
  found: Found,
  sent: readonly Record<string, unknown>[],
): AsyncGenerator<BugObject[]> {
  const { ids, ...read } = await reading.read(() =>
    readBatch(ctx, {
      ids: db
        .select({ id: bugs.id })
        .from(bugs)
        .where(found.set.condition)
        .orderBy(...found.order.sorted)
        .limit(found.limit)
        .offset(found.offset),
      ...selectPage(ctx, reading, found, {
        offset: found.offset + reading.chunk,
        limit: Math.min(found.limit - reading.chunk, reading.chunk),
      }),
    }),
  )
  const known = new Set(sent.map((row) => row.id))
  const fresh = read.rows.filter((row) => !known.has(row.id))
  yield reading.present({ ...read, rows: fresh })
  for (const row of fresh) {
    known.add(row.id)
  }
  const unknown = ids.map(({ id }) => id).filter((id) => !known.has(id))
  const left = unknown.slice(0, found.limit - known.size)
  for (let start = 0; start < left.length; start += reading.chunk) {
    const chunk = left.slice(start, start + reading.chunk)
    const set = bugsById(ctx.caller, chunk)
    const more = await reading.read(() => readBatch(ctx, reading.selects(set)))
    const byId = new Map(more.rows.map((row) => [row.id, row]))
    yield reading.present({ ...more, rows: chunk.flatMap((id) => byId.get(id) ?? []) })
  }
}

/** The statements that read some of what was found. */
export function selectPage(ctx: Ctx, reading: BugReading, { plans, order }: Found, page: Page) {
  return reading.selects(bugsOnPage(ctx.caller, plans, page), order.sorted)
}
