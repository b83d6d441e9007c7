import * as z from 'zod'
import { assertLoggedIn } from '../../platform/access/rights.ts'
import type { Ctx } from '../../platform/context.ts'
import { db } from '../../platform/db/client.ts'
import { commit } from '../../platform/db/commit.ts'
import { savedSearches } from '../../platform/db/schema/saved-searches.ts'
import { sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { id } from '../../platform/http/operations/shapes.ts'
import { savedSearchIdUnknown } from './faults.ts'
import { ownSearchCondition } from './load.ts'

export const removeSavedSearchInput = z.object({ id: id() })
export const removeSavedSearchOutput = z.strictObject({ success: z.literal(1) })

/**
 * DELETE /saved_search/{id}: removes a search of the caller, also for those whom it is shared with. Faults
 * 410, 51 for a search that does not exist or belongs to somebody else, 52 for an ID that is no number.
 * Reference: search.md, "Remove a saved search".
 */
export async function removeSavedSearch(ctx: Ctx, input: z.output<typeof removeSavedSearchInput>) {
  const caller = assertLoggedIn(ctx.caller)
  const { removed } = await commit(ctx, {
    removed: db
      .delete(savedSearches)
      .where(sql`${savedSearches.id} = ${input.id} AND ${ownSearchCondition(caller)}`)
      .returning({ id: savedSearches.id }),
  })
  if (removed.length === 0) {
    throw fault(savedSearchIdUnknown, { id: input.id })
  }
  return { success: 1 as const }
}
