import { eq } from 'drizzle-orm'
import * as z from 'zod'
import {
  sharedGroupName,
  visibleSavedSearchCondition,
} from '../../platform/access/saved-searches.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { savedSearches } from '../../platform/db/schema/saved-searches.ts'
import { users } from '../../platform/db/schema/users.ts'
import { db } from '../../platform/db/sql.ts'
import { fault, offsetWithoutLimit } from '../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { count, selectionInput } from '../../platform/http/operations/shapes.ts'
import { pick } from '../../platform/lib/pick.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { PeoplePresenter } from '../users/people.ts'

const savedSearchShape = z.strictObject({
  id: z.int(),
  name: z.string(),
  query: z.string(),
  owner: z.string(),
  sharer_id: z.int(),
  shared_with: z.string().nullable(),
})

/** Searches in one answer: at 10 KB each, five megabytes. */
const MAX_LISTED = 500

/** The searches of the caller, and those that others share with a group of the caller, by name. */
export const listSavedSearches = operation(
  {
    method: 'GET',
    path: '/saved_search',
    summary: 'List the saved searches of the caller and those that are shared with the caller',
    reference: 'search.md#list-saved-searches',
    input: z.object({
      limit: count(),
      offset: count(),
      ...selectionInput,
    }),
    output: z.strictObject({
      saved_searches: z.array(savedSearchShape.partial()),
    }),
    faults: [offsetWithoutLimit],
    requires: loggedIn,
    scope: 'read',
  },
  async (ctx, input) => {
    const { caller } = ctx
    if (input.offset !== undefined && input.limit === undefined) {
      throw fault(offsetWithoutLimit)
    }
    const { rows } = await readBatch(ctx, {
      rows: db
        .select({
          ...pick(savedSearches, 'id', 'name', 'query'),
          owner: users.login,
          sharer_id: savedSearches.userId,
          shared_with: sharedGroupName().as('shared_with'),
        })
        .from(savedSearches)
        .innerJoin(users, eq(users.id, savedSearches.userId))
        .where(visibleSavedSearchCondition(caller))
        .orderBy(savedSearches.nameFold, savedSearches.id)
        .limit(Math.min(input.limit || MAX_LISTED, MAX_LISTED))
        .offset(input.offset ?? 0),
    })
    const selection = new Selection(input)
    const people = new PeoplePresenter(caller, ctx.settings)
    return {
      saved_searches: rows.map((row) =>
        selection.prune({ ...row, owner: people.presentLogin(row.owner) }),
      ),
    }
  },
)
