import {
  type BugRef,
  bugsNamed,
  parseBugRefs,
  requireVisibleBugs,
  resolveBugs,
} from '../../platform/access/bug-set.ts'
import { assertLoggedIn } from '../../platform/access/caller.ts'
import { productEditDenied } from '../../platform/access/faults.ts'
import { editableProductCondition } from '../../platform/access/visibility.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { products } from '../../platform/db/schema/products.ts'
import { aliasColumns, db, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import type { FlagInput } from '../flags/input.ts'
import { selectFlags } from '../flags/load.ts'

const p = aliasColumns(products, 'p')

/** Asserts that the caller may attach files to the bug of a path. */
export async function assertMayAttach(
  ctx: Ctx,
  { id_or_alias: named = '' }: Readonly<Record<string, string>>,
): Promise<void> {
  assertLoggedIn(ctx.caller)
  await loadForCreate(ctx, parseBugRefs(named), [])
}

/**
 * Loads the IDs of the bugs in the order of `refs`, and the rows that `createFlagPlanner` needs, in one round trip.
 */
export async function loadForCreate(
  ctx: Ctx,
  refs: readonly BugRef[],
  inputs: readonly FlagInput[],
) {
  const { caller } = ctx
  const set = bugsNamed(caller, refs)
  const read = await readBatch(ctx, {
    resolved: resolveBugs(caller, refs),
    uneditable: db
      .select({
        product:
          sql<string>`(SELECT ${p.name} FROM products p WHERE ${p.id} = ${bugs.productId})`.as(
            'product',
          ),
      })
      .from(bugs)
      .where(sql`${set.condition} AND NOT EXISTS (SELECT 1 FROM products
        WHERE ${products.id} = ${bugs.productId} AND ${editableProductCondition(caller)})`),
    ...selectFlags({ inputs, bugs: set }),
  })
  const ids = requireVisibleBugs(caller, refs, read.resolved)
  const [uneditable] = read.uneditable
  if (uneditable !== undefined) {
    throw fault(productEditDenied, { product: uneditable.product })
  }
  return { ids, flagRows: read }
}
