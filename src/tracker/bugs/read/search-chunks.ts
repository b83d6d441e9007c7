import { bugsById, type Page } from '../../../platform/access/bug-set.ts'
import type { Ctx } from '../../../platform/context.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { sortedBy, sql } from '../../../platform/db/sql.ts'
import { bugsOnPage, type Plan } from '../../search/candidate-lists.ts'
import type { SearchConfiguration } from '../../search/configuration.ts'
import { idsIn, selectIdList } from '../../search/id-list.ts'
import type { Misunderstood, NameCheck } from '../../search/misunderstood.ts'
import type { SearchOrder } from '../../search/order.ts'
import type { Total } from './count-total.ts'
import type { BugReading, ReadBugs } from './reader.ts'
import type { BugObject } from './shape.ts'

/** What a search finds, in which order, and the page of it that is asked for. */
export type Found = {
  readonly order: SearchOrder
  readonly plan: Plan
  readonly offset: number
  readonly limit: number
  /** What the search names that means nothing, and how names are found that do not exist. */
  readonly misunderstood: readonly Misunderstood[]
  readonly names: NameCheck
  /** Absent where they are not counted for the header. */
  readonly total?: Total
  /** The configuration that the search was parsed with, if it needed one. */
  readonly configuration?: SearchConfiguration
}

/** Some bugs, the JSON of each, and how many of those asked for they cover: some may have become hidden. */
export type Chunk = {
  readonly shown: BugObject[]
  readonly texts: string[]
  readonly covered: number
}

/**
 * Presents as many bugs as an answer may hold while its client reads nothing, and at least one where there is one:
 * the more answers hold some, the less each of them.
 */
export function writeChunk(reading: BugReading, read: ReadBugs): Chunk {
  const shown: BugObject[] = []
  const texts: string[] = []
  const most = reading.load.mostBytes
  let bytes = 0
  for (const bug of reading.presentEach(read)) {
    const text = JSON.stringify(bug)
    shown.push(bug)
    texts.push(text)
    bytes += text.length
    if (bytes >= most) {
      break
    }
  }
  reading.load.noteLength(bytes / texts.length)
  return { shown, texts, covered: texts.length }
}

/**
 * The bugs behind those that are sent, in chunks of `writeChunk`; none twice, even when bugs change in between. One
 * round trip fixes which bugs are still to come.
 */
export async function* chunksBehind(
  ctx: Ctx,
  reading: BugReading,
  found: Found,
  sent: readonly number[],
): AsyncGenerator<string[]> {
  yield* chunksOf(ctx, reading, await readIdsBehind(ctx, reading, found, sent))
}

async function readIdsBehind(
  ctx: Ctx,
  reading: BugReading,
  found: Found,
  sent: readonly number[],
): Promise<number[]> {
  const { ids } = await reading.load.inTurn(found.limit, () =>
    readBatch(ctx, { ids: selectIds(ctx, found, found) }),
  )
  const before = new Set(sent)
  return idsIn(ids)
    .filter((id) => !before.has(id))
    .slice(0, found.limit - sent.length)
}

/**
 * The bugs with these IDs that the caller sees by then, in chunks of `writeChunk`, each a round trip. Only the texts
 * of a chunk are in memory while it is sent.
 */
export async function* chunksOf(
  ctx: Ctx,
  reading: BugReading,
  ids: readonly number[],
): AsyncGenerator<string[]> {
  for (let done = 0; done < ids.length; ) {
    const { texts, covered } = await readChunk(ctx, reading, ids, done)
    yield texts
    done += covered
  }
}

/**
 * The next chunk of the bugs with these IDs, behind those that are done: fewer where they are long. Throws a fault where
 * all that are left are too long for one request.
 */
export async function readChunk(
  ctx: Ctx,
  reading: BugReading,
  ids: readonly number[],
  done = 0,
): Promise<Chunk> {
  for (;;) {
    const first = ids.slice(done, done + reading.load.nextChunk)
    const chunk = await reading.load.inTurn(ids.length, () =>
      reading.load.orTooLong(first.length, () => readBugsById(ctx, reading, first)),
    )
    if (chunk !== null) {
      return chunk
    }
    await reading.admitLists(ids.slice(done))
  }
}

async function readBugsById(
  ctx: Ctx,
  reading: BugReading,
  first: readonly number[],
): Promise<Chunk> {
  const set = bugsById(ctx.caller, first)
  const read = await reading.load.readMany(() => readBatch(ctx, reading.selects(set, first.length)))
  const byId = new Map(read.rows.map((row) => [row.id, row]))
  const rows = first.flatMap((id) => byId.get(id) ?? [])
  const chunk = writeChunk(reading, { ...read, rows })
  const next = rows[chunk.texts.length]
  return { ...chunk, covered: next === undefined ? first.length : first.indexOf(next.id) }
}

/** Statements that read a part of the bugs found. */
export function selectFoundPage(ctx: Ctx, reading: BugReading, { plan, order }: Found, page: Page) {
  return reading.selects(bugsOnPage(ctx.caller, plan, page), page.limit, order.sorted)
}

/** Selects only their IDs, for `idsIn`. */
export function selectIds({ caller }: Ctx, { plan, order }: Found, page: Page) {
  const { condition, select } = bugsOnPage(caller, plan, page)
  const sorted = sql`SELECT ${bugs.id} FROM bugs WHERE ${condition} ${sortedBy(order.sorted)}`
  // the select of a page has its order; sorted again, all its bugs would be read twice
  return selectIdList(select ?? sorted)
}
