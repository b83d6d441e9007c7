import * as z from 'zod'
import { abortIf, commit } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { savedSearches } from '../../platform/db/schema/saved-searches.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { fault, nameTaken } from '../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { requiredText, strictInput, text } from '../../platform/http/operations/shapes.ts'
import { fold } from '../../platform/lib/text.ts'
import { savingFaults, tooManySavedSearches } from './faults.ts'
import {
  assertLength,
  charactersOfQueries,
  MAX_CHARACTERS,
  ownSearchCondition,
  requireShareableGroup,
  selectOwnSearchesByName,
  selectShareableGroups,
} from './load.ts'
import { assertSavedQuery, parseSavedQuery } from './query.ts'
import { parseSavedSearchName } from './values.ts'

const createSavedSearchOutput = z.strictObject({ id: z.int() })

/** Searches that one person may have. */
const MAX_SEARCHES = 500

/**
 * Saves a search of the caller. The query is checked as if the caller ran it, and refused with the same
 * faults.
 */
export const createSavedSearch = operation(
  {
    method: 'POST',
    path: '/saved_search',
    summary: 'Save a search',
    reference: 'search.md#save-a-search',
    // it would be shared with nobody, or further than it should
    input: strictInput(
      {
        name: requiredText(),
        query: requiredText(),
        shared_with: text(),
      },
      'id',
    ),
    output: createSavedSearchOutput,
    faults: [...savingFaults, tooManySavedSearches],
    requires: loggedIn,
    scope: 'write-all-products',
    status: 201,
  },
  async (ctx, input): Promise<z.input<typeof createSavedSearchOutput>> => {
    const { caller } = ctx
    const name = parseSavedSearchName(input.name)
    const query = parseSavedQuery(input.query)
    await assertSavedQuery(ctx, query)
    const sharedWith = input.shared_with?.trim() ?? ''
    const { sameName, groups, counted } = await readBatch(ctx, {
      sameName: selectOwnSearchesByName(caller, name),
      groups: sharedWith === '' ? undefined : selectShareableGroups(caller, sharedWith),
      counted: db
        .select({
          total: sql<number>`count(*)`.as('total'),
          characters: charactersOfQueries().as('characters'),
        })
        .from(savedSearches)
        .where(ownSearchCondition(caller)),
    })
    const group = sharedWith === '' ? null : requireShareableGroup(sharedWith, groups ?? [])
    if (sameName.length > 0) {
      throw fault(nameTaken, { kind: 'saved search', name })
    }
    if ((counted[0]?.total ?? 0) >= MAX_SEARCHES) {
      throw fault(tooManySavedSearches, { most: MAX_SEARCHES })
    }
    assertLength(query, counted[0]?.characters)
    const { search } = await commit(ctx, {
      search: db
        .insert(savedSearches)
        .values({
          userId: caller.id,
          kind: 'search',
          name,
          nameFold: fold(name),
          query,
          sharedGroupId: group?.id ?? null,
        })
        .returning({ id: savedSearches.id }),
      limit: abortIf(
        sql`(SELECT count(*) > ${MAX_SEARCHES} OR ${charactersOfQueries()} > ${MAX_CHARACTERS}
          FROM saved_searches WHERE ${ownSearchCondition(caller)})`,
      ),
    })
    return { id: Number(search[0]?.id) }
  },
)
