import * as z from 'zod'
import { type BugSet, countBugsOf } from '../../../platform/access/bug-set.ts'
import type { Ctx } from '../../../platform/context.ts'
import { busy } from '../../../platform/db/faults.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import {
  Fault,
  fault,
  invalidParameter,
  offsetWithoutLimit,
} from '../../../platform/faults/fault.ts'
import { pageInput } from '../../../platform/http/operations/list-page.ts'
import { anyone, operation } from '../../../platform/http/operations/operation.ts'
import {
  boolean,
  count,
  selectionInput,
  textList,
} from '../../../platform/http/operations/shapes.ts'
import { resolveSavedSearch } from '../../saved-searches/run.ts'
import {
  EMPTY_CONFIGURATION,
  isCurrent,
  loadConfiguration,
  type SearchConfiguration,
  signatureSelect,
} from '../../search/configuration.ts'
import type { SearchParameters } from '../../search/context.ts'
import type { SearchOrder } from '../../search/order.ts'
import { isSearchParameter, needsConfiguration } from '../../search/parameters/parse.ts'
import { prepareSearch, readAll, readPart } from '../../search/run.ts'
import { searchParameterNames } from '../../search/search-fields.ts'
import { searchBugFaults } from '../model/faults.ts'
import { countsUnasked } from './count-total.ts'
import { bugsOutput } from './get.ts'
import { BugReading } from './reader.ts'
import type { Found } from './search-chunks.ts'
import { answerPage, explainSearch, startPage } from './search-page.ts'

/** Criteria are members of its catch-all: naming all of them costs each search a tenth of a millisecond. */
const searchInput = z
  .object({
    quicksearch: textList(),
    ...pageInput,
    after: count(),
    order: textList(),
    count_only: boolean(),
    count_total: boolean(),
    permissive: boolean(),
    ...selectionInput,
  })
  .catchall(textList())

type Input = z.output<typeof searchInput>

/** The configuration may change between two attempts, but not as often as this. */
const MAX_ATTEMPTS = 4

/**
 * The bugs that the caller sees and that match all parameters. Up to 500 of them cost one round trip, and so do up to
 * 50 with discussions or histories, of which more than that may be asked for at the price of another one. More are
 * streamed, a round trip for each chunk, one that finds all, and one that tells how long their comments are. Where there
 * are none, another one tells which names in the search do not exist; the saved search that the parameters name costs
 * one before.
 */
export const searchBugs = operation(
  {
    method: 'GET',
    path: '/bug',
    summary: 'Search bugs',
    reference: 'search.md#search-bugs',
    input: searchInput,
    catchallNames: searchParameterNames(),
    usesOther: isSearchParameter,
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
  const { limit, offset, after, count_only, count_total, ...others } = input
  const { permissive, include_fields, exclude_fields, ...rest } = others
  const isReadOfNone = permissive !== undefined && Object.keys(rest).length === 0
  return isReadOfNone ? NO_BUG : (rest as SearchParameters)
}

/**
 * Clients that read bugs by their IDs in this way leave nothing but `permissive` of an empty list: python-bugzilla does
 * for the JSON of a search without hits.
 */
const NO_BUG: SearchParameters = { id: ['0'] }

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
  const { caller, settings } = ctx
  const search = await prepareSearch(ctx, parameters, configuration)
  const known = configuration === EMPTY_CONFIGURATION ? {} : { configuration }
  if (input.count_only) {
    const counted = await readAll(ctx, search, (set) => countFound(ctx, set, search, known))
    if (counted === null) {
      return null
    }
    const { bug_count, unknown } = counted
    const faults = await explainSearch(search, { isEmpty: bug_count === 0, unknown, shown: [] })
    ctx.noteUnused(
      faults.map(({ faultString }) => faultString),
      'faults',
    )
    return { bug_count }
  }
  const order = search.parseOrder()
  assertPagesById(input, order)
  const most =
    caller.kind === 'anonymous'
      ? Math.min(settings.SEARCH_LIMIT, settings.SEARCH_LIMIT_ANONYMOUS)
      : settings.SEARCH_LIMIT
  const reading = new BugReading(ctx, input)
  const mostFound = reading.load.limitFound(most)
  const page = {
    limit: search.isLimitLifted ? mostFound : Math.min(input.limit || mostFound, mostFound),
    offset: input.offset ?? 0,
  }
  const isAsked = input.count_total === true
  const count = isAsked ? 'asked' : countsUnasked(ctx, input) ? 'cheap' : 'none'
  const unordered = order.unknown.map((name) => ({
    source: 'order',
    fault: invalidParameter(
      'order',
      `names '${name.slice(0, 100)}', which is no column to order by`,
    ),
  }))
  const isWhole = reading.load.isLarge || page.limit <= reading.load.chunk
  const part = { ...page, order, count, after: input.after, isWhole } as const
  const answer = async () => {
    const start = await readPart(ctx, search, part, ({ plan, total, order }) =>
      startPage(ctx, input, reading, {
        ...known,
        ...page,
        order,
        plan,
        ...(total && { total: { plan: total, isAsked } }),
        misunderstood: [...search.misunderstood, ...unordered.slice(0, 20)],
        names: search.names,
      }),
    )
    // what is read by IDs holds no turn of those who search
    return answerPage(ctx, input, reading, start)
  }
  return reading.load.answerMany(page.limit, answer)
}

/** Behind which bug a page begins says nothing in an order by something else. */
function assertPagesById({ after }: Input, { isById }: SearchOrder): void {
  if (after !== undefined && !isById) {
    throw invalidParameter('after', "needs an order by ID; go on with 'offset' in other orders")
  }
}

async function countFound(
  ctx: Ctx,
  set: BugSet,
  { names }: Pick<Found, 'names'>,
  { configuration }: Pick<Found, 'configuration'>,
) {
  const { counted, signature, unknown } = await readBatch(ctx, {
    counted: countBugsOf(set),
    signature: configuration && signatureSelect(),
    unknown: names.select,
  })
  return configuration !== undefined && !isCurrent(configuration, signature ?? [])
    ? null
    : { bug_count: counted[0]?.count ?? 0, unknown }
}
