import { allReachable, type BugRef, bugsNamed, resolveBugs } from '../access/bug-set.ts'
import { editableProductCondition } from '../access/visibility.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { readBatch } from '../db/read-batch.ts'
import { bugs } from '../db/schema/bugs.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import type { FlagInput } from '../flags/input.ts'
import { selectFlags } from '../flags/load.ts'

/**
 * The IDs of the bugs that get an attachment, in the order given, and what the flags of the request need,
 * in one trip. Faults 100, 101, 102, and 109 for a product that the caller may not edit.
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
    closed: db
      .select({
        product: sql<string>`(SELECT p.name FROM products p WHERE p.id = bugs.product_id)`.as(
          'product',
        ),
      })
      .from(bugs)
      .where(sql`${set.condition} AND NOT EXISTS (SELECT 1 FROM products
        WHERE products.id = bugs.product_id AND ${editableProductCondition(caller)})`),
    ...selectFlags({ inputs, bugs: set }),
  })
  const ids = allReachable(caller, refs, read.resolved)
  const [closed] = read.closed
  if (closed !== undefined) {
    throw fault('productEditDenied', { product: closed.product })
  }
  return { ids, known: read }
}
