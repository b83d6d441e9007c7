import type { SQL } from 'drizzle-orm'
import { bugsWhere, countBugsOf } from '../../../../src/platform/access/bug-set.ts'
import type { Caller } from '../../../../src/platform/access/caller.ts'
import { readBatch } from '../../../../src/platform/db/read-batch.ts'
import { bugs } from '../../../../src/platform/db/schema/bugs.ts'
import { sortedBy, sql } from '../../../../src/platform/db/sql.ts'
import { bugsOnPage, type Limits } from '../../../../src/tracker/search/candidate-lists.ts'
import { compileExpression } from '../../../../src/tracker/search/compile/compile.ts'
import {
  isCurrent,
  loadConfiguration,
  type SearchConfiguration,
  signatureSelect,
} from '../../../../src/tracker/search/configuration.ts'
import type { CompileContext } from '../../../../src/tracker/search/context.ts'
import {
  type Expression,
  type FieldCondition,
  membersOf,
} from '../../../../src/tracker/search/expression.ts'
import { idsIn, selectIdList } from '../../../../src/tracker/search/id-list.ts'
import { kindOfOperator } from '../../../../src/tracker/search/operators.ts'
import { parseOrder } from '../../../../src/tracker/search/order.ts'
import { planAll, planPage } from '../../../../src/tracker/search/plan.ts'
import { rewrite } from '../../../../src/tracker/search/rewrite.ts'
import { onPrimary } from '../../../support/database/statements.ts'
import { SITE } from './draw-texts.ts'

/** What the database finds, in each of the ways that a search may take. */
type CompiledHits = {
  /** The IDs of all hits, in the order of the IDs. */
  readonly ids: readonly number[]
  /** The same from plans for short pages, sorted by each of `ORDERS`. */
  readonly pages: readonly (readonly number[])[]
  /** The same as the selects of these pages list them. */
  readonly selected: readonly (readonly number[])[]
  readonly count: number
}

const MAX_PAGE = 100_000
const NO_LIMITS: Limits = {
  walk: { bugs: 1_000_000, looks: 100_000_000 },
  all: { bugs: 1_000_000, looks: 100_000_000 },
  milliseconds: 0,
}
export const ORDERS = ['bug_id', 'delta_ts', 'short_desc DESC'] as const

const SHORT_PAGE = { end: 20, isShort: true }

/** Whether this part is compiled so far. */
export function isCompiled({ field, operator }: FieldCondition): boolean {
  return (
    // another world may define the keyword, which this one does not know
    !['content', 'defined_keyword'].includes(field) &&
    !['pattern', 'fulltext'].includes(kindOfOperator(operator))
  )
}

/** Reads the configuration as it is now, for the isolate may know that of an earlier world. */
export async function readConfiguration(): Promise<SearchConfiguration> {
  const session = onPrimary()
  for (;;) {
    const configuration = await loadConfiguration(session)
    const { signature } = await readBatch(session, { signature: signatureSelect() })
    if (isCurrent(configuration, signature)) {
      return configuration
    }
  }
}

/** Compiles the expression and runs it: this is where the test meets the code that it tests. */
export async function searchIds(
  caller: Caller,
  expression: Expression,
  now: number,
  configuration: SearchConfiguration,
): Promise<CompiledHits> {
  const context: CompileContext = {
    ...{
      caller,
      now,
      configuration,
      hidesDomains: false,
      patternMatches: new Map(),
      baseUrl: SITE,
    },
  }
  const members = membersOf(rewrite(expression, context)).map((member) =>
    compileExpression(member, context),
  )
  const all = bugsWhere(caller, [planAll(members).condition])
  const sorted = (set: typeof all, order: readonly SQL[]) =>
    sql`SELECT ${bugs.id} FROM bugs WHERE ${set.condition} ${sortedBy(order)}`
  const pages = ORDERS.map((name) => {
    const order = parseOrder([name], { ...context, ids: [] })
    const plan = { ...planPage(members, order, SHORT_PAGE), limits: NO_LIMITS }
    const page = bugsOnPage(caller, plan, { limit: MAX_PAGE, offset: 0 })
    return { select: page.select, sorted: sorted(page, order.sorted) }
  })
  const selects = [
    sorted(all, [sql`${bugs.id}`]),
    ...pages.map((page) => page.sorted),
    ...pages.map((page) => page.select ?? page.sorted),
  ]
  const { counted } = await readBatch(onPrimary(), { counted: countBugsOf(all) })
  const lists = await readBatch(
    onPrimary(),
    Object.fromEntries(selects.map((select, n) => [`list${n}`, selectIdList(select)])),
  )
  const [ids = [], ...listed] = Object.values(lists).map(idsIn)
  return {
    ids,
    pages: listed.slice(0, ORDERS.length),
    selected: listed.slice(ORDERS.length),
    count: counted[0]?.count ?? 0,
  }
}
