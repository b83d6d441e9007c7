import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { type BugSet, bugsById, bugsWhere } from '../access/reach.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { bugs } from '../db/schema/bugs.ts'
import { together } from '../db/together.ts'
import { fault } from '../faults.ts'
import { count, criteria, flag, selectionInput } from '../http/shapes.ts'
import { CRITERIA, compileCriteria } from './criteria.ts'
import { bugsOutput } from './get.ts'
import { type Order, readOrder } from './order.ts'
import { BugReading } from './reading.ts'
import { streamBugs } from './stream.ts'

const names = Object.entries(CRITERIA).flatMap(([name, { aliases }]) => [name, ...(aliases ?? [])])

export const searchInput = z
  .object({
    ...Object.fromEntries(names.map((name) => [name, criteria()])),
    limit: count(),
    offset: count(),
    order: criteria(),
    count_only: flag(),
    ...selectionInput,
  })
  .catchall(criteria())

export const searchOutput = z.union([z.strictObject({ bug_count: z.int() }), bugsOutput])

/** More hits than this are read and sent in chunks of so many. */
const CHUNK = 500

/** Parts of the advanced search: to ignore them would answer bugs that were not asked for. */
const ADVANCED =
  /^(quicksearch|savedsearch|content|keywords|cc|longdesc|short_desc|status_whiteboard|bug_file_loc|j_top|chfield\w*|[fovnj]\d+|(field|type|value)\d+-\d+-\d+|negate\d+|email\w*\d+|deadline(from|to)|\w+_type)$/

/**
 * GET /bug: the bugs that the caller sees and that meet all criteria. Up to 500 of them cost one trip;
 * more are streamed. Contract "Bugs", Search Bugs. Faults: 1000 without terms, 50 for an offset without a
 * limit, 52 for either not a number.
 */
export async function searchBugs(ctx: Ctx, input: z.output<typeof searchInput>) {
  refuseAdvanced(input)
  if (input.offset !== undefined && input.limit === undefined) {
    throw fault('offsetWithoutLimit')
  }
  const order = readOrder(input.order ?? [])
  const newestFirst = order.newestFirst && (input.limit ?? 0) > 0
  const condition = compileCriteria(input as Record<string, string[]>, {
    caller: ctx.caller,
    newestFirst,
  })
  if (condition === null) {
    throw fault('noSearchTerms')
  }
  const found = bugsWhere(ctx.caller, [condition])
  return input.count_only ? countBugs(ctx, found) : readBugs(ctx, input, found, order)
}

async function countBugs(ctx: Ctx, found: BugSet) {
  const { counted } = await together(ctx.door, {
    counted: db
      .select({ bugCount: sql<number>`count(*)`.as('bug_count') })
      .from(bugs)
      .where(found.condition),
  })
  return { bug_count: counted[0]?.bugCount ?? 0 }
}

async function readBugs(
  ctx: Ctx,
  input: z.output<typeof searchInput>,
  found: BugSet,
  order: Order,
) {
  const most = ctx.settings.SEARCH_LIMIT
  const limit = Math.min(input.limit || most, most)
  const offset = input.offset ?? 0
  const reading = new BugReading(ctx, input)
  const read = await together(ctx.door, {
    rows: reading.rows(found, { order: order.by, limit: Math.min(limit, CHUNK + 1), offset }),
    definitions: reading.definitions(),
  })
  if (read.rows.length <= CHUNK) {
    return { faults: [], bugs: reading.show(read.rows, read.definitions) }
  }
  const first = read.rows.slice(0, CHUNK)
  return streamBugs(reading.show(first, read.definitions), async function* rest() {
    const ids = await remainingIds(ctx, found, order, { limit, offset }, first)
    for (let start = 0; start < ids.length; start += CHUNK) {
      const chunk = ids.slice(start, start + CHUNK)
      const more = await together(ctx.door, { rows: reading.rows(bugsById(ctx.caller, chunk)) })
      const byId = new Map(more.rows.map((row) => [row.id, row]))
      yield reading.show(
        chunk.flatMap((id) => byId.get(id) ?? []),
        read.definitions,
      )
    }
  })
}

/** The hits behind the first chunk, in order; none twice, even when bugs have changed in between. */
async function remainingIds(
  ctx: Ctx,
  found: BugSet,
  order: Order,
  { limit, offset }: { limit: number; offset: number },
  sent: Record<string, unknown>[],
): Promise<number[]> {
  const { rows } = await together(ctx.door, {
    rows: db
      .select({ id: bugs.id })
      .from(bugs)
      .where(found.condition)
      .orderBy(...order.by)
      .limit(limit)
      .offset(offset),
  })
  const known = new Set(sent.map((row) => row.id))
  return rows.map((row) => row.id).filter((id) => !known.has(id))
}

function refuseAdvanced(input: object): void {
  const name = Object.keys(input).find((key) => ADVANCED.test(key))
  if (name !== undefined) {
    throw fault('parameterInvalid', {
      field: name,
      reason: 'belongs to the advanced search, which is not offered here',
    })
  }
}
