import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { type BugSet, bugsWhere, countBugsOf } from '../../../platform/access/bug-set.ts'
import type { Ctx } from '../../../platform/context.ts'
import { db } from '../../../platform/db/client.ts'
import { busy } from '../../../platform/db/faults.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { Fault, fault } from '../../../platform/faults/fault.ts'
import { offsetWithoutLimit, parameterInvalid } from '../../../platform/faults/parameters.ts'
import { operation } from '../../../platform/http/operations/operation.ts'
import { anyone } from '../../../platform/http/operations/requires.ts'
import {
  boolean,
  count,
  selectionInput,
  textList,
} from '../../../platform/http/operations/shapes.ts'
import { PagedAnswer } from '../../../platform/http/response/paged-answer.ts'
import { omitUndefined } from '../../../platform/lib/omit-undefined.ts'
import { resolveSavedSearch } from '../../saved-searches/run.ts'
import { needsWalk, type Walk, walkInRanges } from '../../search/bounds.ts'
import { bugsOnPage } from '../../search/candidate-lists.ts'
import { compileExpression } from '../../search/compile/compile.ts'
import { relevanceOrder } from '../../search/compile/content/content.ts'
import { findPatternMatches } from '../../search/compile/pattern-matches.ts'
import { idsCondition, type SearchCondition } from '../../search/condition.ts'
import {
  EMPTY_CONFIGURATION,
  isCurrent,
  loadConfiguration,
  type SearchConfiguration,
  signatureSelect,
} from '../../search/configuration.ts'
import type { CompileContext, SearchParameters } from '../../search/context.ts'
import { allOfExpressions, type PositiveExpression } from '../../search/expression.ts'
import { parseOrder, type SearchOrder } from '../../search/order.ts'
import { needsConfiguration } from '../../search/parameters/parse.ts'
import { parseSearch } from '../../search/parse.ts'
import { afterCondition, planAll, planPage } from '../../search/plan.ts'
import { searchParameterNames } from '../../search/search-fields.ts'
import { assertFitsStatement, canRepeat, measureSearch } from '../../search/size.ts'
import { searchBugFaults } from '../model/faults.ts'
import { countsUnasked, readTotal, selectTotal } from './count-total.ts'
import { bugsOutput } from './get.ts'
import { BugReading } from './reader.ts'
import { chunksBehind, type Found, nothing, selectPage, writeChunk } from './search-chunks.ts'
import { describePage } from './search-headers.ts'
import { streamBugs } from './stream.ts'

/** Criteria are members of its catch-all: naming all of them costs each search a tenth of a millisecond. */
const searchInput = z
  .object({
    quicksearch: textList(),
    limit: count(),
    offset: count(),
    after: count(),
    order: textList(),
    count_only: boolean(),
    count_total: boolean(),
    ...selectionInput,
  })
  .catchall(textList())

type Input = z.output<typeof searchInput>

/** Up to here a page is walked to in its order; behind it, all matches are found and sorted. */
const LONGEST_WALK = 1000
/** The configuration may change between two attempts, but not as often as this. */
const MAX_ATTEMPTS = 4

/**
 * The bugs that the caller sees and that match all parameters. Up to 500 of them cost one round trip,
 * after another one for the saved search that the parameters name; more are streamed, a round trip for
 * each 500.
 */
export const searchBugs = operation(
  {
    method: 'GET',
    path: '/bug',
    summary: 'Search bugs',
    reference: 'search.md#search-bugs',
    input: searchInput,
    catchallNames: searchParameterNames(),
    output: z.union([z.strictObject({ bug_count: z.int() }), bugsOutput]),
    faults: searchBugFaults,
    requires: anyone,
    scope: 'read',
    pages: 'counted',
  },
  async (ctx, input) => {
    if (input.offset !== undefined && input.limit === undefined && !input.count_only) {
      throw fault(offsetWithoutLimit)
    }
    const parameters = await resolveSavedSearch(ctx, searchParametersOf(input))
    if (
      !needsConfiguration(parameters) &&
      !(parameters.order ?? []).some((order) => /cf_/i.test(order))
    ) {
      return (await answerSearch(ctx, input, parameters, EMPTY_CONFIGURATION)) ?? failUnsettled()
    }
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const configuration = await loadConfiguration(ctx)
      const answer = await answerSearch(ctx, input, parameters, configuration).catch((error) =>
        ignoreIfStale(ctx, configuration, error),
      )
      if (answer !== null) {
        return answer
      }
    }
    return failUnsettled()
  },
)

/** What the cached configuration does not know may exist by now: a fault counts only while it is current. */
async function ignoreIfStale(
  ctx: Ctx,
  configuration: SearchConfiguration,
  error: unknown,
): Promise<null> {
  if (error instanceof Fault) {
    const { signature } = await readBatch(ctx, { signature: signatureSelect() })
    if (!isCurrent(configuration, signature)) {
      return null
    }
  }
  throw error
}

/** Everything but what the answer looks like: what to search for, and the order. */
function searchParametersOf(input: Input): SearchParameters {
  const { limit, offset, after, count_only, count_total, include_fields, exclude_fields, ...rest } =
    input
  return rest as SearchParameters
}

function failUnsettled(): never {
  throw fault(busy)
}

/** Null when the configuration has changed since it was cached. */
async function answerSearch(
  ctx: Ctx,
  input: Input,
  parameters: SearchParameters,
  configuration: SearchConfiguration,
) {
  const { caller, now, settings, baseUrl } = ctx
  const search = parseSearch(parameters, { caller, configuration })
  const plain = {
    ...{ caller, now, configuration, baseUrl, patternMatches: new Map() },
    hidesDomains: settings.HIDE_EMAIL_DOMAINS && caller.kind === 'anonymous',
  }
  const expression = allOfExpressions(search.members)
  const context = {
    ...plain,
    patternMatches: await findPatternMatches(ctx, expression, plain),
  }
  const members = search.members.map((member) => compileExpression(member, context))
  const known = configuration === EMPTY_CONFIGURATION ? {} : { configuration }
  if (input.count_only) {
    assertFitsStatement(measureSearch(() => planAll(members), [], search.criteria))
    const counted = await walkIfCostly(ctx, members)
    return answerCount(ctx, bugsWhere(caller, [planAll(counted)]), known)
  }
  const order = parseOrder(parameters.order ?? [], {
    ...context,
    ...omitUndefined({ relevance: relevanceOf(parameters, expression, context) }),
    ids: [...(parameters.id ?? []), ...(parameters.bug_id ?? [])],
  })
  assertPagesById(input, order)
  const length = measureSearch(() => planAll(members), order.by, search.criteria)
  assertFitsStatement(length)
  const isSimple = canRepeat(length)
  const most =
    caller.kind === 'anonymous'
      ? Math.min(settings.SEARCH_LIMIT, settings.SEARCH_LIMIT_ANONYMOUS)
      : settings.SEARCH_LIMIT
  const limit = search.isLimitLifted ? most : Math.min(input.limit || most, most)
  const offset = input.offset ?? 0
  const end = offset + limit
  // to be counted they all have to be found, and found once
  const isAsked = input.count_total === true
  const isCounted = isAsked || (countsUnasked(ctx, input) && !needsWalk(members))
  const all = isCounted ? await walkIfCostly(ctx, members) : members
  const paged = await walkIfCostly(
    ctx,
    [...all, ...afterCondition(input.after, order)],
    order.walk && { ...order.walk, most: end + 1 },
  )
  const isShort = isSimple && end <= LONGEST_WALK
  return readBugs(ctx, input, {
    ...known,
    all: () => bugsWhere(caller, [planAll(paged)]),
    order,
    plan: planPage(paged, order, isShort ? order.orderIndex : null),
    limit,
    offset,
    ...(isCounted && {
      total: { plan: planPage(all, order, isSimple ? order.orderIndex : null), isAsked },
    }),
  })
}

/** Behind which bug a page begins says nothing in an order by something else. */
function assertPagesById({ after }: Input, { isById }: SearchOrder): void {
  if (after !== undefined && !isById) {
    throw fault(parameterInvalid, {
      field: 'after',
      reason: "needs an order by ID; go on with 'offset' in other orders",
    })
  }
}

/**
 * A search that one statement would take too long for is run in ranges, and then stands for what it found.
 */
async function walkIfCostly(
  ctx: Ctx,
  members: readonly SearchCondition[],
  walk: Walk = {},
): Promise<readonly SearchCondition[]> {
  return needsWalk(members) ? [idsCondition(await walkInRanges(ctx, members, walk))] : members
}

/** Nobody pays for it but who orders by it. */
function relevanceOf(
  { order = [] }: SearchParameters,
  expression: PositiveExpression,
  context: CompileContext,
): SQL | undefined {
  return order.some((columns) => /relevance/i.test(columns))
    ? (relevanceOrder(expression, context) ?? undefined)
    : undefined
}

async function answerCount(ctx: Ctx, set: BugSet, { configuration }: Pick<Found, 'configuration'>) {
  const { counted, signature } = await readBatch(ctx, {
    counted: countBugsOf(set),
    signature: configuration && signatureSelect(),
  })
  return configuration !== undefined && !isCurrent(configuration, signature ?? [])
    ? null
    : { bug_count: counted[0]?.count ?? 0 }
}

async function readBugs(ctx: Ctx, input: Input, found: Found) {
  const reading = new BugReading(ctx, input)
  const { configuration, total, limit } = found
  const { signature, counted, ends, ...read } = await reading.readMany(() =>
    readBatch(ctx, {
      ...selectPage(ctx, reading, found, {
        offset: found.offset,
        // one more than are shown tells whether there are more
        limit: Math.min(limit, reading.chunk) + 1,
      }),
      counted: total && selectTotal(ctx, total),
      ends: input.limit !== undefined && limit > reading.chunk ? selectEnd(ctx, found) : undefined,
      signature: configuration && signatureSelect(),
    }),
  )
  if (configuration !== undefined && !isCurrent(configuration, signature ?? [])) {
    return null
  }
  const first = read.rows.slice(0, Math.min(reading.chunk, limit))
  const isAll = read.rows.length <= first.length || first.length === limit
  const page = describePage(input, found, {
    counted: readTotal(ctx, counted),
    read: read.rows.length,
    isLast: read.rows.length <= first.length,
    ends: ends ?? read.rows.slice(limit - 1),
  })
  if (isAll && !reading.isLarge) {
    return new PagedAnswer({ faults: [], bugs: reading.present({ ...read, rows: first }) }, page)
  }
  // the stream holds texts alone, so that an answer that nobody reads holds little
  const { shown, texts, ids } = writeChunk(reading, { ...read, rows: first })
  const isWhole = isAll && ids.length === first.length
  if (isWhole && reading.commentGaps.isEmpty) {
    return new PagedAnswer({ faults: [], bugs: shown }, page)
  }
  const rest = () => (isWhole ? nothing() : chunksBehind(ctx, reading, found, ids))
  return new PagedAnswer(streamBugs(texts, rest, reading.commentGaps), page)
}

/** The last bug of the page and the one behind it, for a page that is read in several parts. */
function selectEnd(ctx: Ctx, { plan, order, offset, limit }: Found) {
  const end = bugsOnPage(ctx.caller, plan, { offset: offset + limit - 1, limit: 2 })
  return db
    .select({ id: bugs.id })
    .from(bugs)
    .where(end.condition)
    .orderBy(...order.sorted)
}
