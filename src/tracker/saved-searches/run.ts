import { assertLoggedIn, type Person } from '../../platform/access/caller.ts'
import { visibleSavedSearchCondition } from '../../platform/access/saved-searches.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { savedSearches } from '../../platform/db/schema/saved-searches.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { fold } from '../../platform/lib/text.ts'
import type { SearchParameters } from '../search/context.ts'
import { savedSearchUnknown } from './faults.ts'
import { mergeSavedSearch } from './merge.ts'
import { findNamedSearch, type NamedSearch } from './named-search.ts'

/**
 * The parameters of a search, with those of the saved search that they name below them. Without such a name
 * they are returned as they are, at no cost. Faults as `findNamedSearch` and `loadSavedSearch`.
 */
export async function resolveSavedSearch<Parameters extends SearchParameters>(
  ctx: Ctx,
  parameters: Parameters,
): Promise<Parameters | Record<string, string[]>> {
  const named = findNamedSearch(parameters)
  return named === null
    ? parameters
    : mergeSavedSearch(parameters, await loadSavedSearch(ctx, named))
}

/**
 * The query of a saved search that the caller owns or that its owner shares with a group of the caller. It costs a
 * round trip, which also verifies a cached identity. Refuses a search that is hidden and one that is missing in the
 * same words.
 */
async function loadSavedSearch(ctx: Ctx, named: NamedSearch): Promise<string> {
  const caller = assertLoggedIn(ctx.caller)
  const { found } = await readBatch(ctx, { found: selectSavedSearch(caller, named) })
  const [row] = found
  if (row === undefined) {
    const { field, name, sharerId } = named
    throw fault(savedSearchUnknown, { field, name: name.slice(0, 100), sharerId })
  }
  return row.query
}

function selectSavedSearch(caller: Person, { name, sharerId }: NamedSearch) {
  return db
    .select({ query: savedSearches.query })
    .from(savedSearches)
    .where(
      sql`${savedSearches.userId} = ${sharerId ?? caller.id} AND ${savedSearches.nameFold} = ${fold(name)}
        AND ${visibleSavedSearchCondition(caller)}`,
    )
}
