import * as z from 'zod'
import { commit } from '../../platform/db/commit.ts'
import { savedSearches } from '../../platform/db/schema/saved-searches.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { id } from '../../platform/http/operations/shapes.ts'
import { savedSearchIdUnknown } from './faults.ts'
import { ownSearchCondition } from './load.ts'

export const removeSavedSearch = operation(
  {
    method: 'DELETE',
    path: '/saved_search/:id',
    summary: 'Remove a saved search',
    reference: 'search.md#remove-a-saved-search',
    input: z.object({ id: id() }),
    output: z.strictObject({ success: z.literal(1) }),
    faults: [savedSearchIdUnknown],
    requires: loggedIn,
    scope: 'write-all-products',
  },
  async (ctx, input) => {
    const { removed } = await commit(ctx, {
      removed: db
        .delete(savedSearches)
        .where(sql`${savedSearches.id} = ${input.id} AND ${ownSearchCondition(ctx.caller)}`)
        .returning({ id: savedSearches.id }),
    })
    if (removed.length === 0) {
      throw fault(savedSearchIdUnknown, { id: input.id })
    }
    return { success: 1 as const }
  },
)
