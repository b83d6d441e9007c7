import { and, eq } from 'drizzle-orm'
import type * as z from 'zod'
import type { Person } from '../../platform/access/caller.ts'
import type { Ctx } from '../../platform/context.ts'
import { abortUnlessChanged, commit } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { savedSearches } from '../../platform/db/schema/saved-searches.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { fault, nameTaken } from '../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import {
  changedObjects,
  clearableText,
  id,
  strictInput,
  text,
} from '../../platform/http/operations/shapes.ts'
import { diffFields } from '../../platform/lib/differences.ts'
import { fold } from '../../platform/lib/text.ts'
import { savedSearchIdUnknown, savingFaults } from './faults.ts'
import {
  assertLength,
  charactersOfQueries,
  ownSearchCondition,
  requireShareableGroup,
  selectOwnSearch,
  selectOwnSearchesByName,
  selectShareableGroups,
} from './load.ts'
import { assertSavedQuery, parseSavedQuery } from './query.ts'
import { parseSavedSearchName } from './values.ts'

const updateSavedSearchInput = strictInput({
  id: id(),
  name: text(),
  query: text(),
  shared_with: clearableText(),
})

type Input = z.output<typeof updateSavedSearchInput>

/** What a request changes; undefined stays. A blank group ends sharing. */
type Update = {
  readonly name: string | undefined
  readonly query: string | undefined
  readonly sharedWith: string | undefined
}

export const updateSavedSearch = operation(
  {
    method: 'PUT',
    path: '/saved_search/:id',
    summary: 'Rename, change or share a saved search',
    reference: 'search.md#change-a-saved-search',
    input: updateSavedSearchInput,
    output: changedObjects('saved_searches'),
    faults: [...savingFaults, savedSearchIdUnknown],
    requires: loggedIn,
    scope: 'write-all-products',
  },
  async (ctx, input) => {
    const { caller } = ctx
    const update = parseUpdate(input)
    if (update.query !== undefined) {
      await assertSavedQuery(ctx, update.query)
    }
    const { row, group } = await loadSearch(ctx, caller, input.id, update)
    const after = {
      name: update.name ?? row.name,
      query: update.query ?? row.query,
      shared_with: group?.name ?? null,
    }
    const changes = diffFields(
      { name: row.name, query: row.query, shared_with: row.sharedWith },
      after,
    )
    const sharedGroupId = group?.id ?? null
    // a group that the owner has left is forgotten with the next change
    if (Object.keys(changes).length > 0 || sharedGroupId !== row.sharedGroupId) {
      await commit(ctx, {
        search: [
          db
            .update(savedSearches)
            .set({
              name: after.name,
              nameFold: fold(after.name),
              query: after.query,
              sharedGroupId,
              revision: row.revision + 1,
            })
            .where(and(eq(savedSearches.id, row.id), eq(savedSearches.revision, row.revision))),
          abortUnlessChanged(),
        ],
      })
    }
    return { saved_searches: [{ id: row.id, changes }] }
  },
)

function parseUpdate(input: Input): Update {
  return {
    name: input.name === undefined ? undefined : parseSavedSearchName(input.name),
    query: input.query === undefined ? undefined : parseSavedQuery(input.query),
    sharedWith: input.shared_with === null ? '' : input.shared_with?.trim(),
  }
}

/** The search as it is, and the group that it is shared with afterwards. */
async function loadSearch(ctx: Ctx, caller: Person, searchId: number, update: Update) {
  const { sharedWith } = update
  const { own, sameName, groups, others } = await readBatch(ctx, {
    others:
      update.query === undefined
        ? undefined
        : db
            .select({ characters: charactersOfQueries().as('characters') })
            .from(savedSearches)
            .where(sql`${ownSearchCondition(caller)} AND ${savedSearches.id} <> ${searchId}`),
    own: selectOwnSearch(caller, searchId),
    sameName: update.name === undefined ? undefined : selectOwnSearchesByName(caller, update.name),
    groups: sharedWith ? selectShareableGroups(caller, sharedWith) : undefined,
  })
  const [row] = own
  if (row === undefined) {
    throw fault(savedSearchIdUnknown, { id: searchId })
  }
  if (update.query !== undefined) {
    assertLength(update.query, others?.[0]?.characters)
  }
  const group = sharedWith ? requireShareableGroup(sharedWith, groups ?? []) : null
  if (update.name !== undefined && sameName?.some((other) => other.id !== row.id)) {
    throw fault(nameTaken, { kind: 'saved search', name: update.name })
  }
  return { row, group: sharedWith === undefined ? presentGroup(row) : group }
}

/** The group of the search while its owner belongs to it. */
function presentGroup(row: { sharedGroupId: number | null; sharedWith: string | null }) {
  const { sharedGroupId, sharedWith } = row
  return sharedGroupId === null || sharedWith === null
    ? null
    : { id: sharedGroupId, name: sharedWith }
}
