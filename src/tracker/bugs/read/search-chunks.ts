import { bugsById, type Page } from '../../../platform/access/bug-set.ts'
import type { Ctx } from '../../../platform/context.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { db } from '../../../platform/db/sql.ts'
import { limitChunk } from '../../../platform/lib/chunk-limit.ts'
import { bugsOnPage, type Plan } from '../../search/candidate-lists.ts'
import type { SearchConfiguration } from '../../search/configuration.ts'
import type { Misunderstood } from '../../search/misunderstood.ts'
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
  /** What the search names that means nothing, and what else where it finds nothing. */
  readonly misunderstood: readonly Misunderstood[]
  readonly findUnknownNames: () => Promise<Misunderstood[]>
  /** Absent where they are not counted for the header. */
  readonly total?: Total
  /** The configuration that the search was parsed with, if it needed one. */
  readonly configuration?: SearchConfiguration
}

export async function* nothing(): AsyncGenerator<readonly string[]> {}

/** Some bugs, the JSON of each, and their IDs. */
type Chunk = {
  readonly shown: BugObject[]
  readonly texts: readonly string[]
  readonly ids: readonly number[]
}

/**
 * Presents as many bugs as an answer may hold while its client reads nothing, and at least one where there is one:
 * the more answers hold some, the less each of them.
 */
export function writeChunk(reading: BugReading, read: ReadBugs): Chunk {
  const shown: BugObject[] = []
  const texts: string[] = []
  let left = limitChunk().bytes
  for (const bug of reading.presentEach(read)) {
    const text = JSON.stringify(bug)
    shown.push(bug)
    texts.push(text)
    left -= text.length
    if (left <= 0) {
      break
    }
  }
  return { shown, texts, ids: read.rows.slice(0, texts.length).map(({ id }) => id) }
}

/**
 * The bugs behind those that are sent, in chunks of `writeChunk`, each a round trip; none twice, even when bugs
 * change in between. The first of these round trips fixes which bugs are still to come. Only the texts of a chunk
 * are in memory while it is sent.
 */
export async function* chunksBehind(
  ctx: Ctx,
  reading: BugReading,
  found: Found,
  sent: readonly number[],
): AsyncGenerator<readonly string[]> {
  const second = await readSecondChunk(ctx, reading, found, sent)
  yield second.texts
  yield* chunksOf(ctx, reading, second.left)
}

/** The bugs with these IDs that the caller sees by then, in chunks of `writeChunk`, each a round trip. */
export async function* chunksOf(
  ctx: Ctx,
  reading: BugReading,
  ids: readonly number[],
): AsyncGenerator<readonly string[]> {
  for (let left = ids; left.length > 0; ) {
    const { texts, count } = await readChunk(ctx, reading, left.slice(0, reading.chunk))
    yield texts
    left = left.slice(count)
  }
}

/** The second chunk, and the IDs of all bugs behind it. */
async function readSecondChunk(
  ctx: Ctx,
  reading: BugReading,
  found: Found,
  sent: readonly number[],
): Promise<{ texts: readonly string[]; left: number[] }> {
  const { ids, ...read } = await reading.readMany(() =>
    readBatch(ctx, {
      ids: db
        .select({ id: bugs.id })
        .from(bugs)
        .where(bugsOnPage(ctx.caller, found.plan, found).condition)
        .orderBy(...found.order.sorted),
      ...selectPage(ctx, reading, found, {
        offset: found.offset + sent.length,
        limit: Math.min(found.limit - sent.length, reading.chunk),
      }),
    }),
  )
  const before = new Set(sent)
  const fresh = read.rows.filter(({ id }) => !before.has(id))
  const chunk = writeChunk(reading, { ...read, rows: fresh })
  const known = new Set([...sent, ...chunk.ids])
  const left = ids.map(({ id }) => id).filter((id) => !known.has(id))
  return { texts: chunk.texts, left: left.slice(0, found.limit - known.size) }
}

/** The next chunk, and how many IDs it covers: some bugs may have become hidden. */
async function readChunk(
  ctx: Ctx,
  reading: BugReading,
  ids: readonly number[],
): Promise<{ texts: readonly string[]; count: number }> {
  const set = bugsById(ctx.caller, ids)
  const read = await reading.readMany(() => readBatch(ctx, reading.selects(set)))
  const byId = new Map(read.rows.map((row) => [row.id, row]))
  const rows = ids.flatMap((id) => byId.get(id) ?? [])
  const chunk = writeChunk(reading, { ...read, rows })
  const next = rows[chunk.texts.length]
  return { texts: chunk.texts, count: next === undefined ? ids.length : ids.indexOf(next.id) }
}

/** Statements that read a part of the bugs found. */
export function selectPage(ctx: Ctx, reading: BugReading, { plan, order }: Found, page: Page) {
  return reading.selects(bugsOnPage(ctx.caller, plan, page), order.sorted)
}
