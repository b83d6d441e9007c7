import type { SQL } from 'drizzle-orm'
import { type BugSet, bugsById, visibleIds } from '../../platform/access/bug-set.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch, selectOf } from '../../platform/db/read-batch.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import {
  assertMayReadOn,
  IN_TURN,
  type Reach,
  readWithin,
  runInScanTurn,
  runInShortTurn,
  TOO_MUCH,
  walkInRanges,
} from './bounds.ts'
import {
  allBugs,
  bugsOnPage,
  type Limits,
  type Plan,
  SHORT,
  type SortedBugs,
} from './candidate-lists.ts'
import { compileExpression } from './compile/compile.ts'
import { LAST_CHANGE, type Relevance, relevanceOf } from './compile/content/content.ts'
import { findPatternMatches } from './compile/pattern-matches.ts'
import {
  idsCondition,
  isFound,
  listOf,
  looksOf,
  namedBugs,
  type SearchCondition,
} from './condition.ts'
import type { SearchConfiguration } from './configuration.ts'
import type { SearchParameters } from './context.ts'
import { allOfExpressions } from './expression.ts'
import { searchOrderTooSlow, searchTooSlow } from './faults.ts'
import { idsIn, selectIdList } from './id-list.ts'
import {
  checkNames,
  listMisunderstood,
  type Misunderstood,
  type NameCheck,
} from './misunderstood.ts'
import { orderOf, parseOrder, type SearchOrder } from './order.ts'
import { parseSearch } from './parse.ts'
import { afterCondition, looksBesideLeader, planAll, planPage } from './plan.ts'
import { assertFitsStatement, canRepeat, measureSearch } from './size.ts'

/** Up to here a page is walked to in its order; behind it, all matches are found and sorted. */
const MAX_WALK = 1000

/** Bugs that an order by relevance ranks by the newest texts with each word. */
const MAX_RANKED = 500
/** Up to here they are as few because the caller does not see the newest texts, or because there are no others. */
const FEW_RANKED = 100
/** Bugs of which all texts are read to count the words. */
const MAX_COUNTED = 200
/** Words of bugs that are counted in the statement of a page, and in each of several before it. */
const MAX_COUNTS = 800
const PART_OF_COUNTS = 600
/** How often a long page needs them: its first bugs and its end, each found and sorted. */
const COUNTS_OF_LONG_PAGE = 4

/** A search that is ready to be run, and what its text says of its answer. */
type PreparedSearch = {
  readonly members: readonly SearchCondition[]
  readonly criteria: number
  readonly isLimitLifted: boolean
  /** The criterion that finds bugs by any of several words, and a select of the bugs of each word. */
  readonly words?: {
    readonly member: SearchCondition | undefined
    readonly selects: readonly SQL[]
    readonly newest?: SQL
  }
  /** The relevance of a bug, and how many words count for it. */
  readonly score?: Pick<Relevance, 'score' | 'counted'>
  /** By another score than the relevance of each bug, if one is given. */
  readonly parseOrder: (score?: SQL) => SearchOrder
  /** What it names that means nothing. */
  readonly misunderstood: readonly Misunderstood[]
  readonly names: NameCheck
}

/** Which part of what a search finds is read. */
export type FoundPart = {
  readonly order: SearchOrder
  readonly limit: number
  readonly offset: number
  readonly after: number | undefined
  /** Whether all bugs are counted: on request, or when that is cheap. */
  readonly count: 'asked' | 'cheap' | 'none'
  /** Whether the first statement finds all of it. */
  readonly isWhole: boolean
}

type PlannedPage = {
  readonly order: SearchOrder
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
    caller,
    now,
    configuration,
    baseUrl,
    patternMatches: new Map(),
    hidesDomains: settings.HIDE_EMAIL_DOMAINS && caller.kind === 'anonymous',
  }
  const expression = allOfExpressions(search.members)
  const context = { ...plain, patternMatches: await findPatternMatches(ctx, expression, plain) }
  const { order = [], id = [], bug_id = [] } = parameters
  const members = search.members.map((member) => compileExpression(member, context))
  // the order alone needs it
  const isRanked = order.some((columns) => /relevance/i.test(columns))
  const relevance = isRanked ? relevanceOf(expression, context) : null
  const score = relevance === null || relevance === LAST_CHANGE ? undefined : relevance
  const words = score?.words
  const place = search.members.findIndex(
    (member) => words !== undefined && member === words.criterion,
  )
  return {
    ...search,
    members,
    misunderstood: listMisunderstood(parameters, expression, context),
    names: checkNames(ctx, expression, context),
    ...(words && place >= 0 && { words: { ...words, member: members[place] } }),
    ...(score && { score }),
    parseOrder: (ranks: SQL | typeof LAST_CHANGE = score?.score ?? LAST_CHANGE) =>
      parseOrder(order, {
        ...context,
        ids: [...id, ...bug_id],
        ...(relevance && { relevance: ranks }),
      }),
  }
}

/** What is read of all bugs that a search finds. */
export function readAll<Result>(
  ctx: Ctx,
  { members, criteria }: PreparedSearch,
  read: (set: BugSet) => Promise<Result>,
): Promise<Result> {
  assertMayReadOn(ctx, Infinity, 'it')
  assertFitsStatement(measureSearch(() => planAll(members).condition, [], criteria))
  return readWithinLimits(
    ctx,
    (found, limits) => read(allBugs(ctx.caller, planAll(found), limits)),
    { members, readsLists: readsLists(planAll(members)) },
  )
}

/** Whether a statement about all matches reads long lists of an index, instead of testing every bug. */
function readsLists({ lists, isLeadCostly = false }: SortedBugs): boolean {
  return lists !== undefined || isLeadCostly
}

/** What is read of one page of a search. */
export async function readPart<Result>(
  ctx: Ctx,
  search: PreparedSearch,
  { order: given, limit, offset, after, count, isWhole }: FoundPart,
  read: (page: PlannedPage) => Promise<Result>,
): Promise<Result> {
  const { members, criteria } = search
  assertMayReadOn(ctx, Infinity, 'it')
  const { ranked, order } = given.isByRelevance
    ? await chooseRanked(ctx, search, given, isWhole ? 1 : COUNTS_OF_LONG_PAGE)
    : { ranked: undefined, order: given }
  const length = measureSearch(() => planAll(members).condition, order.by, criteria)
  assertFitsStatement(length)
  const isSimple = canRepeat(length)
  const end = offset + limit
  const isShort = isSimple && end <= MAX_WALK && isWhole
  const behind = afterCondition(after, order)
  const isCounted = count === 'asked'
  const listsAll = readsLists(planAll(members)) && (isCounted || order.walk === undefined)
  const isCheap = count === 'cheap' && !hasScan(members) && looksBesideLeader(members) < 1
  const readFound = (
    found: readonly SearchCondition[],
    limits: Limits,
    counted: readonly SearchCondition[] = members,
  ) => {
    // what was too much for a walk is sorted
    const reach = limits === SHORT ? { end, isShort } : { end: Infinity, isShort: false }
    const page = planPage([...found, ...behind], order, reach)
    const all = isCounted ? found : isCheap && limits === SHORT ? members : undefined
    const total = ranked && (isCounted || isCheap) ? counted : all
    return read({
      order,
      plan: { ...page, limits },
      ...(total && { total: { walk: planAll(total), limits } }),
    })
  }
  if (ranked) {
    if (isCounted && hasScan(members)) {
      const whole = await runInScanTurn(ctx, () =>
        readWithin(ctx, IN_TURN, () => readFound(ranked, IN_TURN)),
      )
      if (whole !== TOO_MUCH) {
        return whole
      }
      const all = [idsCondition(await walkInRanges(ctx, members, {}))]
      return readInTurn(ctx, ranked, (found, limits) => readFound(found, limits, all), order)
    }
    return readInTurn(ctx, ranked, readFound, order)
  }
  return readWithinLimits(
    ctx,
    readFound,
    // counting needs all of them, so they are found once
    isCounted
      ? { members, readsLists: listsAll, order }
      : {
          members: [...members, ...behind],
          readsLists: listsAll,
          order,
          ...(order.walk && { ...order.walk, most: end + 1 }),
        },
  )
}

/**
 * Reads what a search finds; where one statement would look at too much for that, finds the bugs in parts first, and
 * reads it of their IDs.
 */
async function readWithinLimits<Result>(
  ctx: Ctx,
  read: ReadMembers<Result>,
  {
    members,
    readsLists = false,
    order,
    ...reach
  }: Reach & {
    readonly members: readonly SearchCondition[]
    readonly readsLists?: boolean
    readonly order?: SearchOrder
  },
): Promise<Result> {
  const readMembers = (limits: Limits) => () => readWithin(ctx, limits, () => read(members, limits))
  const result = await runInShortTurn(ctx, readMembers(SHORT), looksOf(members))
  if (result !== TOO_MUCH) {
    return result
  }
  if (readsLists) {
    // longer lists are faster than tests of all bugs, but wait for their turn
    const whole = await runInScanTurn(ctx, readMembers(IN_TURN))
    if (whole !== TOO_MUCH) {
      return whole
    }
  }
  return readInTurn(ctx, [idsCondition(await walkInRanges(ctx, members, reach))], read, order)
}

/** Whether a part of some list needs a look at every bug, so that one statement may not count them. */
function hasScan(members: readonly SearchCondition[]): boolean {
  return members.some((member) => isFound(member) && listOf(member).scan !== undefined)
}

async function readInTurn<Result>(
  ctx: Ctx,
  found: readonly SearchCondition[],
  read: ReadMembers<Result>,
  { lookedUp }: Pick<SearchOrder, 'lookedUp'> = { lookedUp: [] },
): Promise<Result> {
  const result = await runInScanTurn(ctx, () =>
    readWithin(ctx, IN_TURN, () => read(found, IN_TURN)),
  )
  if (result === TOO_MUCH) {
    throw lookedUp.length === 0
      ? fault(searchTooSlow, { source: 'it' })
      : fault(searchOrderTooSlow, { columns: lookedUp.join(', ') })
  }
  return result
}

/** The bugs that are ranked by relevance. To rank all others would take longer than everything else. */
async function chooseRanked(
  ctx: Ctx,
  search: PreparedSearch,
  order: SearchOrder,
  times: number,
): Promise<{ ranked: readonly SearchCondition[]; order: SearchOrder }> {
  const { members, words } = search
  if (words?.newest !== undefined && members.length === 1) {
    const ids = await chooseNewest(ctx, words.newest)
    if (ids.length > FEW_RANKED) {
      const place = sql`instr(${`,${ids.join()},`}, ',' || ${bugs.id} || ',')`
      return { ranked: [idsCondition(ids)], order: search.parseOrder(sql`-${place}`) }
    }
  }
  const { ids, others } = await chooseChanged(ctx, search)
  const ranked = [idsCondition(ids), ...others]
  const { score, criteria } = search
  if (score === undefined || ids.length * score.counted * times <= MAX_COUNTS) {
    return { ranked, order }
  }
  assertFitsStatement(measureSearch(() => planAll(members).condition, order.by, criteria))
  return { ranked, order: search.parseOrder(await readScores(ctx, ids, score)) }
}

/** The relevance of these bugs, which is read in parts. */
async function readScores(
  ctx: Ctx,
  ids: readonly number[],
  { score, counted }: Pick<Relevance, 'score' | 'counted'>,
): Promise<SQL> {
  const size = Math.ceil(PART_OF_COUNTS / counted)
  const scores: Record<string, number> = {}
  for (let done = 0; done < ids.length; done += size) {
    const { condition } = bugsById(ctx.caller, ids.slice(done, done + size))
    const { rows } = await runInScanTurn(ctx, () =>
      readBatch(ctx, {
        rows: selectOf(
          { scores: sql<string>`json_group_object(${bugs.id}, ${score})` },
          sql`FROM bugs WHERE ${condition}`,
        ),
      }),
    )
    Object.assign(scores, JSON.parse(rows[0]?.scores ?? '{}'))
  }
  return sql`(${JSON.stringify(scores)} ->> ('$."' || ${bugs.id} || '"'))`
}

/** Those with most of the rare words, then of all words in their newest texts, the best first. */
async function chooseNewest(ctx: Ctx, newest: SQL): Promise<number[]> {
  const found = {
    from: sql`${newest} CROSS JOIN bugs ON ${bugs.id} = bug`,
    condition: sql`1`,
    order: [
      ...[sql`rare_words DESC`, sql`words DESC`],
      ...[sql`${bugs.changedAt} DESC`, sql`${bugs.id} DESC`],
    ],
  }
  const { select } = visibleIds(ctx.caller, found, { limit: MAX_RANKED, offset: 0 })
  return runInShortTurn(ctx, async () =>
    idsIn((await readBatch(ctx, { chosen: selectIdList(select) })).chosen),
  )
}

/** Those that changed last, and all bugs of words that few have, the rarest first. */
async function chooseChanged(
  ctx: Ctx,
  { members, words }: PreparedSearch,
): Promise<{ ids: number[]; others: readonly SearchCondition[] }> {
  const { caller } = ctx
  const newest = { by: bugs.changedAt, isDescending: true, idsDescend: true }
  const order = orderOf(newest)
  const counted = (words?.selects ?? []).map((select, n) => {
    const from = sql`(${namedBugs(select)}) CROSS JOIN bugs ON ${bugs.id} = bug`
    const found = { from, condition: sql`1`, order: [] }
    const { select: ids } = visibleIds(caller, found, { limit: MAX_COUNTED + 1, offset: 0 })
    return [`word${n}`, selectIdList(ids)]
  })
  const { changed, ...ofWords } = await readWithinLimits(
    ctx,
    (found, limits) => {
      const plan = { ...planPage(found, order, { end: MAX_COUNTED, isShort: true }), limits }
      const page = bugsOnPage(caller, plan, { limit: MAX_COUNTED, offset: 0 })
      const select = sql`SELECT ${bugs.id} FROM bugs WHERE ${page.condition}`
      return readBatch(ctx, { changed: selectIdList(select), ...Object.fromEntries(counted) })
    },
    { members, ...newest, most: MAX_COUNTED },
  )
  const ids = new Set(idsIn(changed))
  const ofRare = Object.values(ofWords)
    .map(idsIn)
    .filter(({ length }) => length <= MAX_COUNTED)
  for (const rare of ofRare.toSorted((a, b) => a.length - b.length)) {
    if (ids.size + rare.length <= 2 * MAX_COUNTED) {
      for (const id of rare) {
        ids.add(id)
      }
    }
  }
  return { ids: [...ids], others: words ? members.filter((each) => each !== words.member) : [] }
}

type ReadMembers<Result> = (members: readonly SearchCondition[], limits: Limits) => Promise<Result>
