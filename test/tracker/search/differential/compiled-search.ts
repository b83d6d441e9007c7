import { bugsWhere, countBugsOf } from '../../../../src/platform/access/bug-set.ts'
import type { Caller } from '../../../../src/platform/access/caller.ts'
import { readBatch } from '../../../../src/platform/db/read-batch.ts'
import { bugs } from '../../../../src/platform/db/schema/bugs.ts'
import { db } from '../../../../src/platform/db/sql.ts'
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
import { kindOfOperator } from '../../../../src/tracker/search/operators.ts'
import { parseOrder } from '../../../../src/tracker/search/order.ts'
import { planAll, planPage } from '../../../../src/tracker/search/plan.ts'
import { rewrite } from '../../../../src/tracker/search/rewrite.ts'
import { onPrimary } from '../../../support/database/statements.ts'
import { SITE } from './draw-texts.ts'

/** What the database finds, in each of the ways that a search may take. */
type CompiledHits = {
  /** The IDs of all hits, in their order. */
  readonly ids: readonly number[]
  /** The same from plans for short pages, by ID and by time. */
  readonly pages: readonly (readonly number[])[]
  readonly count: number
}

const MAX_PAGE = 100_000
const NO_LIMITS: Limits = {
  walk: { bugs: 1_000_000, looks: 100_000_000 },
  all: { bugs: 1_000_000, looks: 100_000_000 },
  milliseconds: 0,
}
const ORDERS = ['bug_id', 'delta_ts']

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
  const selectIds = (set: typeof all) =>
    db.select({ id: bugs.id }).from(bugs).where(set.condition).orderBy(bugs.id)
  const page = (name: string | undefined) => {
    const order = parseOrder(name === undefined ? [] : [name], { ...context, ids: [] })
    const plan = { ...planPage(members, order, SHORT_PAGE), limits: NO_LIMITS }
    return selectIds(bugsOnPage(caller, plan, { limit: MAX_PAGE, offset: 0 }))
  }
  const { ids, byId, byTime, counted } = await readBatch(onPrimary(), {
    ids: selectIds(all),
    byId: page(ORDERS[0]),
    byTime: page(ORDERS[1]),
    counted: countBugsOf(all),
  })
  const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)
  return { ids: idsOf(ids), pages: [idsOf(byId), idsOf(byTime)], count: counted[0]?.count ?? 0 }
}
