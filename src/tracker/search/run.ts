import type { SQL } from 'drizzle-orm'
import type { Ctx } from '../../platform/context.ts'
import { needsWalk, type Walk, walkInRanges } from './bounds.ts'
import type { Plan } from './candidate-lists.ts'
import { compileExpression } from './compile/compile.ts'
import { relevanceOrder } from './compile/content/content.ts'
import { findPatternMatches } from './compile/pattern-matches.ts'
import { idsCondition, type SearchCondition } from './condition.ts'
import type { SearchConfiguration } from './configuration.ts'
import type { SearchParameters } from './context.ts'
import { allOfExpressions } from './expression.ts'
import { findUnknownNames, listMisunderstood, type Misunderstood } from './misunderstood.ts'
import { parseOrder, type SearchOrder } from './order.ts'
import { parseSearch } from './parse.ts'
import { afterCondition, planAll, planPage } from './plan.ts'
import { assertFitsStatement, canRepeat, measureSearch } from './size.ts'

/** Up to here a page is walked to in its order; behind it, all matches are found and sorted. */
const MAX_WALK = 1000

/** A search that is ready to be run, and what its text says of its answer. */
type PreparedSearch = {
  readonly members: readonly SearchCondition[]
  readonly criteria: number
  readonly isLimitLifted: boolean
  readonly parseOrder: () => SearchOrder
  /** What it names that means nothing. */
  readonly misunderstood: readonly Misunderstood[]
  /** See `findUnknownNames`. */
  readonly findUnknownNames: () => Promise<Misunderstood[]>
}

/** Which part of what a search finds is read. */
export type Part = {
  readonly order: SearchOrder
  readonly limit: number
  readonly offset: number
  readonly after: number | undefined
  /** Whether all bugs are counted: on request, or when that is cheap. */
  readonly count: 'asked' | 'cheap' | 'none'
}

type PlannedPage = {
  /** The condition of all that is found behind `after`. */
  readonly all: () => SQL
  readonly plan: Plan
  /** For the number of all bugs, wherever the page begins. */
  readonly total?: Plan
}

/** Parses and compiles a search; it makes round trips for regular expressions alone. */
export async function prepareSearch(
  ctx: Ctx,
  parameters: SearchParameters,
  configuration: SearchConfiguration,
): Promise<PreparedSearch> {
  const { caller, now, settings, baseUrl } = ctx
  const search = parseSearch(parameters, { caller, configuration })
  const plain = {
    ...{ caller, now, configuration, baseUrl, patternMatches: new Map() },
    hidesDomains: settings.HIDE_EMAIL_DOMAINS && caller.kind === 'anonymous',
  }
  const expression = allOfExpressions(search.members)
  const context = { ...plain, patternMatches: await findPatternMatches(ctx, expression, plain) }
  const { order = [], id = [], bug_id = [] } = parameters
  return {
    ...search,
    members: search.members.map((member) => compileExpression(member, context)),
    misunderstood: listMisunderstood(parameters, expression, context),
    findUnknownNames: () => findUnknownNames(ctx, expression, context),
    parseOrder: () => {
      // the order alone needs it
      const relevance = order.some((columns) => /relevance/i.test(columns))
        ? relevanceOrder(expression, context)
        : null
      return parseOrder(order, {
        ...context,
        ids: [...id, ...bug_id],
        ...(relevance && { relevance }),
      })
    },
  }
}

/** The condition of all bugs that a search finds. */
export async function planCount(ctx: Ctx, { members, criteria }: PreparedSearch): Promise<SQL> {
  assertFitsStatement(measureSearch(() => planAll(members), [], criteria))
  return planAll(await walkIfCostly(ctx, members))
}

/** How one page of a search is found. */
export async function planPart(
  ctx: Ctx,
  { members, criteria }: PreparedSearch,
  { order, limit, offset, after, count }: Part,
): Promise<PlannedPage> {
  const length = measureSearch(() => planAll(members), order.by, criteria)
  assertFitsStatement(length)
  const isSimple = canRepeat(length)
  const end = offset + limit
  // counting needs all of them, so they are found once
  const isCounted = count === 'asked' || (count === 'cheap' && !needsWalk(members))
  const all = isCounted ? await walkIfCostly(ctx, members) : members
  const walk = order.walk && { ...order.walk, most: end + 1 }
  const paged = await walkIfCostly(ctx, [...all, ...afterCondition(after, order)], walk)
  const isShort = isSimple && end <= MAX_WALK
  return {
    all: () => planAll(paged),
    plan: planPage(paged, order, isShort ? order.orderIndex : null),
    ...(isCounted && { total: planPage(all, order, isSimple ? order.orderIndex : null) }),
  }
}

/** Walks a search that would take one statement too long, and replaces it by the IDs that it found. */
async function walkIfCostly(
  ctx: Ctx,
  members: readonly SearchCondition[],
  walk: Walk = {},
): Promise<readonly SearchCondition[]> {
  return needsWalk(members) ? [idsCondition(await walkInRanges(ctx, members, walk))] : members
}
