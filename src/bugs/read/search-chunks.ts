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
import { writeBugs } from './stream.ts'

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

export async function* nothing(): AsyncGenerator<string> {}

/**
 * The bugs behind the first chunk as texts of `writeBugs`, each chunk a round trip; none twice, even when bugs
 * change in between. The first of these round trips fixes which bugs are still to come. Only the text of a chunk
 * is in memory while it is sent.
 */
export async function* chunksBehind(
  ctx: Ctx,
  reading: BugReading,
  found: Found,
  sent: readonly number[],
): AsyncGenerator<string> {
  const { text, left } = await readSecondChunk(ctx, reading, found, sent)
  yield text
  for (let start = 0; start < left.length; start += reading.chunk) {
    yield await readChunk(ctx, reading, left.slice(start, start + reading.chunk))
  }
}

/** The second chunk, and the IDs of all bugs behind it. */
async function readSecondChunk(
  ctx: Ctx,
  reading: BugReading,
  found: Found,
  sent: readonly number[],
): Promise<{ text: string; left: number[] }> {
  const { ids, ...read } = await reading.readMany(() =>
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
  const before = new Set(sent)
  const fresh = read.rows.filter(({ id }) => !before.has(id))
  const known = new Set([...sent, ...fresh.map(({ id }) => id)])
  const left = ids.map(({ id }) => id).filter((id) => !known.has(id))
  return {
    text: writeBugs(reading.present({ ...read, rows: fresh })),
    left: left.slice(0, found.limit - known.size),
  }
}

async function readChunk(ctx: Ctx, reading: BugReading, ids: readonly number[]): Promise<string> {
  const set = bugsById(ctx.caller, ids)
  const read = await reading.readMany(() => readBatch(ctx, reading.selects(set)))
  const byId = new Map(read.rows.map((row) => [row.id, row]))
  const rows = ids.flatMap((id) => byId.get(id) ?? [])
  return writeBugs(reading.present({ ...read, rows }))
}

/** The statements that read some of what was found. */
export function selectPage(ctx: Ctx, reading: BugReading, { plans, order }: Found, page: Page) {
  return reading.selects(bugsOnPage(ctx.caller, plans, page), order.sorted)
}
