import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { type BugSet, bugsById, bugsOnPage, bugsWhere, type Page } from '../../access/bug-set.ts'
import type { Ctx } from '../../context.ts'
import { db } from '../../db/client.ts'
import { readBatch } from '../../db/read-batch.ts'
import { bugs } from '../../db/schema/bugs.ts'
import { sql } from '../../db/sql.ts'
import { fault } from '../../faults.ts'
import { boolean, count, criteria, selectionInput } from '../../http/shapes.ts'
import { resolveSavedSearch } from '../../saved-searches/run.ts'
import type { IdStream } from '../../search/conditions.ts'
import { parseOrder } from '../../search/order.ts'
import { compileSearch, SEARCH_PARAMETERS } from '../../search/parameters.ts'
import { assertSupportedSearch } from '../../search/unsupported.ts'
import { bugsOutput } from './get.ts'
import { BugReading } from './reader.ts'
import type { BugObject } from './shape.ts'
import { streamBugs } from './stream.ts'

const names = Object.entries(SEARCH_PARAMETERS).flatMap(([name, { aliases }]) => [
  name,
  ...(aliases ?? []),
])

export const searchInput = z
  .object({
    ...Object.fromEntries(names.map((name) => [name, criteria()])),
    limit: count(),
    offset: count(),
    order: criteria(),
    count_only: boolean(),
    ...selectionInput,
  })
  .catchall(criteria())

export const searchOutput = z.union([z.strictObject({ bug_count: z.int() }), bugsOutput])

type Input = z.output<typeof searchInput>
type Parameters = Readonly<Record<string, string[] | undefined>>

/** The bugs that a search finds, their order, and the page of them. */
type Found = {
  readonly set: BugSet
  readonly order: readonly SQL[]
  /** Where pages of it are looked for. */
  readonly source: { readonly set: BugSet } & Pick<Page, 'from' | 'order'>
  readonly offset: number
  readonly limit: number
}

/** Up to here a page is walked to in its order; behind it, all matches are found and sorted. */
const LONGEST_WALK = 1000

/**
 * GET /bug: the bugs that the caller sees and that match all parameters. Up to 500 of them cost one round
 * trip, after another one for the saved search that the parameters name; more are streamed, a round trip for
 * each 500. Reference: search.md, "Search bugs". Faults: 1000 without parameters, 50 for an offset without a
 * limit, 52 for either not a number, 51 for a saved search that the caller does not see.
 */
export async function searchBugs(ctx: Ctx, input: Input) {
  const parameters = await resolveSavedSearch(ctx, criteriaOf(input))
  assertSupportedSearch(parameters, ctx.caller)
  const order = parseOrder(parameters.order ?? [], {
    caller: ctx.caller,
    ids: [...(parameters.id ?? []), ...(parameters.bug_id ?? [])],
  })
  const orderIndex = isShort(input) ? order.orderIndex : null
  const compiled = compileSearch(parameters, { caller: ctx.caller, now: ctx.now, orderIndex })
  if (compiled === null) {
    throw fault('noSearchTerms')
  }
  const set = bugsWhere(ctx.caller, [compiled.condition])
  if (input.count_only) {
    return countBugs(ctx, set)
  }
  if (input.offset !== undefined && input.limit === undefined) {
    throw fault('offsetWithoutLimit')
  }
  const most = ctx.settings.SEARCH_LIMIT
  const limit = Math.min(input.limit || most, most)
  const by = orderIndex === null ? order.sorted : order.by
  const stream = orderIndex === 'id' ? compiled.stream : null
  return readBugs(ctx, input, {
    set,
    order: by,
    source: stream === null ? { set, order: by } : sourceOf(ctx, stream, order.direction),
    limit,
    offset: input.offset ?? 0,
  })
}

/** The criteria and the order: whatever came through `criteria()`. */
function criteriaOf({
  limit,
  offset,
  count_only,
  include_fields,
  exclude_fields,
  ...criteria
}: Input): Parameters {
  return criteria as Parameters
}

/** What a full-text index finds comes in the order of IDs, and no further than the page needs. */
function sourceOf({ caller }: Ctx, { from, condition, id }: IdStream, direction: SQL) {
  return { set: bugsWhere(caller, [condition]), from, order: [sql`${id} ${direction}`] }
}

function isShort({ limit = 0, offset = 0, count_only }: Input): boolean {
  return !count_only && limit > 0 && limit + offset <= LONGEST_WALK
}

async function countBugs(ctx: Ctx, set: BugSet) {
  const { counted } = await readBatch(ctx, {
    counted: db
      .select({ bugCount: sql<number>`count(*)`.as('bug_count') })
      .from(bugs)
      .where(set.condition),
  })
  return { bug_count: counted[0]?.bugCount ?? 0 }
}

async function readBugs(ctx: Ctx, input: Input, found: Found) {
  const reading = new BugReading(ctx, input)
  const read = await readBatch(ctx, page(reading, found, 0, reading.chunk + 1))
  const first = read.rows.slice(0, reading.chunk)
  const bugs = reading.present({ ...read, rows: first })
  const isAll = read.rows.length <= reading.chunk
  if (isAll && reading.commentGaps.isEmpty) {
    return { faults: [], bugs }
  }
  const rest = () => (isAll ? nothing() : chunksBehind(ctx, reading, found, first))
  return streamBugs(bugs, rest, reading.commentGaps)
}

async function* nothing(): AsyncGenerator<BugObject[]> {}

/**
 * The bugs behind the first chunk, each chunk a round trip; none twice, even when bugs change in between.
 * The first of these round trips fixes which bugs are still to come.
 */
async function* chunksBehind(
  ctx: Ctx,
  reading: BugReading,
  found: Found,
  sent: readonly Record<string, unknown>[],
): AsyncGenerator<BugObject[]> {
  const { ids, ...read } = await readBatch(ctx, {
    ids: db
      .select({ id: bugs.id })
      .from(bugs)
      .where(found.set.condition)
      .orderBy(...found.order)
      .limit(found.limit)
      .offset(found.offset),
    ...page(reading, found, reading.chunk, reading.chunk),
  })
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
    const more = await readBatch(ctx, reading.selects(bugsById(ctx.caller, chunk)))
    const byId = new Map(more.rows.map((row) => [row.id, row]))
    yield reading.present({ ...more, rows: chunk.flatMap((id) => byId.get(id) ?? []) })
  }
}

/** The statements that read some of what was found, counted from `skip`. */
function page(
  reading: BugReading,
  { source: { set, ...where }, order, offset, limit }: Found,
  skip: number,
  most: number,
) {
  const cut = { ...where, offset: offset + skip, limit: Math.min(limit - skip, most) }
  return reading.selects(bugsOnPage(set, cut), order)
}
