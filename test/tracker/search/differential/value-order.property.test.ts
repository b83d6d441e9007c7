import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { createRandom } from '../../../../scripts/generator/random.ts'
import type { Caller } from '../../../../src/platform/access/caller.ts'
import { readBatch } from '../../../../src/platform/db/read-batch.ts'
import { bugs } from '../../../../src/platform/db/schema/bugs.ts'
import { db, sql } from '../../../../src/platform/db/sql.ts'
import {
  bugsOnPage,
  type Limits,
  type Plan,
} from '../../../../src/tracker/search/candidate-lists.ts'
import { compileExpression } from '../../../../src/tracker/search/compile/compile.ts'
import type { SearchConfiguration } from '../../../../src/tracker/search/configuration.ts'
import { parseOrder, type SearchOrder } from '../../../../src/tracker/search/order.ts'
import { parseSearch } from '../../../../src/tracker/search/parse.ts'
import { planAll, planPage } from '../../../../src/tracker/search/plan.ts'
import { execute } from '../../../support/database/execute.ts'
import { onPrimary } from '../../../support/database/statements.ts'
import { buildCompileContext } from '../../../support/search-forms.ts'
import { readConfiguration } from './compiled-search.ts'
import { insertDrawnWorld } from './stored-world.ts'

const SEED = Number(env.VISIBILITY_SEED)
const WORLDS = Number(env.SEARCH_WORLDS) || 2

const NO_LIMITS: Limits = {
  walk: { bugs: 1_000_000, looks: 100_000_000 },
  all: { bugs: 1_000_000, looks: 100_000_000 },
  milliseconds: 0,
}

const SHORT_PAGE = { end: 20, isShort: true }

/** Each with the orders in which an index serves a walk through what it finds. */
const SEARCHES: Readonly<Record<string, readonly string[]>> = {
  'creation_time=1970-01-02': [
    'priority',
    'bug_severity',
    'bug_status',
    'resolution',
    'product',
    'assigned_to',
    'reporter',
  ],
  'component=General&component=UI': ['priority', 'component', 'assigned_to'],
  'component=General&status=__open__': ['component'],
  'status=CONFIRMED&status=RESOLVED': ['component', 'assigned_to'],
  'severity=S1': ['assigned_to', 'reporter', 'product'],
  'status=__open__': [
    'priority',
    'bug_severity',
    'priority,bug_severity',
    'bug_severity,priority',
    'bug_status',
    'bug_status,bug_severity',
    'product',
    'component',
    'assigned_to',
    'reporter',
  ],
  'status=__open__&product={product}&product=x': ['priority', 'bug_severity,priority'],
  'status=CONFIRMED': ['bug_severity', 'bug_status,priority', 'bug_status'],
  'severity=S1&severity=S2': ['priority', 'resolution'],
  'product={product}': [
    ...[
      'priority',
      'bug_severity',
      'bug_status',
      'resolution',
      'priority,bug_severity',
      'bug_severity,priority',
    ],
    ...['component', 'version', 'target_milestone', 'product,component', 'bug_status,product'],
  ],
  'product={product}&status=__open__': [
    ...['priority', 'bug_status', 'component', 'target_milestone', 'assigned_to', 'reporter'],
  ],
  'product={product}&severity=S1': ['bug_status', 'version', 'bug_severity,component'],
}

/** A page that is read in one way; absent limits are those of a request. */
async function readPage(
  caller: Caller,
  plan: Plan,
  { sorted }: SearchOrder,
  page: { limit: number; offset: number },
): Promise<number[]> {
  const { condition } = bugsOnPage(caller, { ...plan, limits: NO_LIMITS }, page)
  const select = db.select({ id: bugs.id }).from(bugs).where(condition)
  const { found } = await readBatch(onPrimary(), { found: select.orderBy(...sorted) })
  return found.map(({ id }) => id)
}

/** Every page of the search, walked to and sorted, and those among which lists of few bugs are taken. */
async function comparePages(
  caller: Caller,
  query: string,
  by: string,
  configuration: SearchConfiguration,
) {
  const context = buildCompileContext(caller, { configuration })
  const search = new URLSearchParams(query)
  const given = Object.fromEntries([...search.keys()].map((name) => [name, search.getAll(name)]))
  const members = parseSearch(given, context).members.map((each) =>
    compileExpression(each, context),
  )
  const order = parseOrder([by], { ...context, ids: [] })
  const plan = planPage(members, order, SHORT_PAGE)
  if (!('lead' in plan.walk)) {
    return [`${query} by ${by} is not walked`]
  }
  const all = { ...planAll(members), order: order.sorted, looks: 0 }
  const expected = await readPage(caller, { walk: all }, order, { limit: 1000, offset: 0 })
  const differences: string[] = []
  for (const page of [0, 1, 3, 7].map((offset) => ({ offset, limit: 4 }))) {
    const part = expected.slice(page.offset, page.offset + page.limit).join()
    for (const [way, each] of Object.entries({ walk: { walk: plan.walk }, all: plan })) {
      const found = (await readPage(caller, each, order, page)).join()
      if (found !== part) {
        differences.push(`${query} by ${by} at ${page.offset}: ${way} ${found}, sorted ${part}`)
      }
    }
  }
  return differences
}

const seeds = Array.from({ length: WORLDS }, (_, n) => SEED + n)

test.each(seeds)(
  'pages that are walked to are those of a sort, in the world of seed %i',
  async (seed) => {
    const { world, readers } = await insertDrawnWorld(seed)
    const configuration = await readConfiguration()
    const r = createRandom(seed, 3)
    // places that many values share, and others than those of their names
    await execute(sql`UPDATE field_values SET sort_key = abs(id * ${r.pick([3, 5, 7])}) % 4 - 1`)
    await execute(sql`UPDATE milestones SET sort_key = abs(id * ${r.pick([3, 5, 7])}) % 4 - 1`)
    const product = encodeURIComponent(world.bugs[0]?.product ?? '')
    const differences: string[] = []
    for (const { name, caller } of readers.filter((_, n) => n % 3 === 0)) {
      for (const [query, orders] of Object.entries(SEARCHES)) {
        for (const columns of orders) {
          const by = columns
            .split(',')
            .map((each) => `${each}${r.pick(['', ' DESC'])}`)
            .join()
          const last = r.pick(['', ',bug_id DESC'])
          const found = await comparePages(
            caller,
            query.replace('{product}', product),
            `${by}${last}`,
            configuration,
          )
          differences.push(...found.map((each) => `${name}: ${each}`))
        }
      }
    }
    expect(differences).toEqual([])
  },
)
