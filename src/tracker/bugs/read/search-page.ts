import type { Ctx } from '../../../platform/context.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { PagedAnswer } from '../../../platform/http/response/paged-answer.ts'
import { isCurrent, signatureSelect } from '../../search/configuration.ts'
import { idsIn } from '../../search/id-list.ts'
import { readTotal, selectTotal } from './count-total.ts'
import { presentFault } from './get.ts'
import type { BugReading } from './reader.ts'
import {
  type Chunk,
  chunksBehind,
  chunksOf,
  type Found,
  readChunk,
  selectFoundPage,
  selectIds,
  writeChunk,
} from './search-chunks.ts'
import { describePage, type GivenPage, type Seen } from './search-headers.ts'
import type { BugObject } from './shape.ts'
import { BugStream } from './stream.ts'

/** What the first round trip reads of a page. */
type Start = {
  readonly found: Found
  /** The IDs of its bugs, as far as they are known, and of the one behind them. */
  readonly ids: readonly number[]
  /** All of its bugs or, of many or large ones, the first ones; none of these where they are read by their IDs. */
  readonly bugs?: BugObject[]
  readonly chunk?: Chunk
  readonly ends: Seen['ends']
  readonly counted: readonly { readonly count: number | null }[] | undefined
  readonly signature: readonly { readonly signature: string }[] | undefined
  /** What `names` of the search has selected. */
  readonly unknown: UnknownNames
}

type UnknownNames = Parameters<Found['names']['explain']>[0]

/**
 * Reads what one round trip tells of a page of a search, and another one where its bugs are too long for one. It holds a
 * turn of searches: it never waits for `readLarge`.
 */
export async function startPage(
  ctx: Ctx,
  given: GivenPage,
  reading: BugReading,
  found: Found,
): Promise<Start> {
  const { load } = reading
  const isByIds = load.waits || (load.isPartial && found.limit > load.chunk)
  const first = isByIds
    ? null
    : await load.orTooLong(found.limit, () => readFirst(ctx, given, reading, found))
  return first ?? readIds(ctx, found)
}

/** Answers with the page that begins so. Null when the configuration has changed since it was cached. */
export async function answerPage(
  ctx: Ctx,
  given: GivenPage,
  reading: BugReading,
  { found, ids, bugs, chunk, ends, counted, signature, unknown }: Start,
) {
  const { configuration, limit } = found
  if (configuration !== undefined && !isCurrent(configuration, signature ?? [])) {
    return null
  }
  const isEmpty = ids.length === 0 && found.offset === 0 && given.after === undefined
  const explain = (shown: BugObject[]) => explainSearch(found, { isEmpty, unknown, shown })
  const known = ids.slice(0, bugs || chunk ? Math.min(limit, reading.load.chunk) : limit)
  const isLast = ids.length === known.length
  const isAll = isLast || known.length === limit
  const page = describePage(given, found, {
    counted: readTotal(ctx, counted),
    found: ids.length,
    isLast,
    ends,
  })
  if (known.length === 0) {
    return new PagedAnswer({ faults: await explain([]), bugs: [] }, page)
  }
  if (bugs) {
    return new PagedAnswer({ faults: await explain(bugs), bugs }, page)
  }
  reading.load.admit(known.length)
  // the stream holds texts and IDs alone, so that an unread response holds little memory
  const { shown, texts, covered } = chunk ?? (await readChunk(ctx, reading, known))
  await reading.admitLength(known)
  const faults = await explain(shown)
  const left = known.slice(covered)
  if (isAll && left.length === 0 && reading.gaps.isEmpty) {
    return new PagedAnswer({ faults, bugs: shown }, page)
  }
  const sent = isAll ? [] : known.slice(0, covered)
  const rest = () =>
    isAll ? chunksOf(ctx, reading, left) : chunksBehind(ctx, reading, found, sent)
  return new PagedAnswer(new BugStream(reading, texts, rest, faults), page)
}

/** What of a search means nothing, and the names in it that do not exist: of one that finds no bug, all of them. */
export async function explainSearch(
  { misunderstood, names }: Pick<Found, 'misunderstood' | 'names'>,
  {
    isEmpty,
    unknown,
    shown,
  }: { isEmpty: boolean; unknown: UnknownNames; shown: readonly BugObject[] },
) {
  const unknownNames = isEmpty ? await names.findAll() : names.explain(unknown, shown)
  return [...misunderstood, ...unknownNames].map(({ source, fault }) => presentFault(source, fault))
}

/** Reads the first bugs of a page, and presents them before others have their turn: rows are as large. */
async function readFirst(
  ctx: Ctx,
  given: GivenPage,
  reading: BugReading,
  found: Found,
): Promise<Start> {
  const { limit, offset } = found
  const most = Math.min(limit, reading.load.chunk)
  const { ends, counted, signature, unknown, ...read } = await reading.load.readMany(() =>
    readBatch(ctx, {
      // one more than are shown tells whether there are more
      ...selectFoundPage(ctx, reading, found, { offset, limit: most + 1 }),
      ends:
        given.limit !== undefined && limit > reading.load.chunk
          ? selectIds(ctx, found, { offset: offset + limit - 1, limit: 2 })
          : undefined,
      ...selectBeside(ctx, found),
    }),
  )
  const ids = read.rows.map(({ id }) => id)
  const first = { ...read, rows: read.rows.slice(0, most) }
  const isAll = ids.length <= most || most === limit
  return {
    found,
    ids,
    ends: ends === undefined ? ids.slice(limit - 1) : idsIn(ends),
    counted,
    signature,
    unknown,
    ...(isAll && !reading.load.isLarge
      ? { bugs: reading.present(first) }
      : { chunk: writeChunk(reading, first) }),
  }
}

/** Finds all bugs of a page, so that statements which read much of them need not find them again, each by itself. */
async function readIds(ctx: Ctx, found: Found): Promise<Start> {
  const { limit, offset } = found
  const { list, counted, signature, unknown } = await readBatch(ctx, {
    list: selectIds(ctx, found, { offset, limit: limit + 1 }),
    ...selectBeside(ctx, found),
  })
  const ids = idsIn(list)
  return { found, ids, ends: ids.slice(limit - 1), counted, signature, unknown }
}

function selectBeside(ctx: Ctx, { total, configuration, names }: Found) {
  return {
    counted: total && selectTotal(ctx, total),
    signature: configuration && signatureSelect(),
    unknown: names.select,
  }
}
