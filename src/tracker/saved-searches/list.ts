import { eq } from 'drizzle-orm'
import * as z from 'zod'
import type { Person } from '../../platform/access/caller.ts'
import {
  sharedGroupName,
  visibleSavedSearchCondition,
} from '../../platform/access/saved-searches.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { savedSearches } from '../../platform/db/schema/saved-searches.ts'
import { users } from '../../platform/db/schema/users.ts'
import { db, limitTo, sql } from '../../platform/db/sql.ts'
import { numberTooLarge, offsetWithoutLimit } from '../../platform/faults/fault.ts'
import { MAX_OFFSET, pageInput, pageOfList } from '../../platform/http/operations/list-page.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { inReadTurn } from '../../platform/http/operations/read-turns.ts'
import { selectionInput } from '../../platform/http/operations/shapes.ts'
import { PagedAnswer, pageAt } from '../../platform/http/response/paged-answer.ts'
import { pick } from '../../platform/lib/pick.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { PeoplePresenter } from '../users/people.ts'
import { ownSearchCondition } from './load.ts'

const savedSearchShape = z.strictObject({
  id: z.int(),
  name: z.string(),
  query: z.string(),
  owner: z.string(),
  sharer_id: z.int(),
  shared_with: z.string().nullable(),
})

/** Searches in one answer, and bytes of their queries, unless one alone has more. */
const MAX_LISTED = 500
const MAX_BYTES = 1_000_000
/** Searches of others that are sorted for a page. */
const MAX_SHARED = 10_000

/** The searches of the caller, and those that others share with a group of the caller, by name. */
export const listSavedSearches = operation(
  {
    method: 'GET',
    path: '/saved_search',
    summary: 'List the saved searches of the caller and those that are shared with the caller',
    reference: 'search.md#list-saved-searches',
    input: z.object({
      ...pageInput,
      ...selectionInput,
    }),
    output: z.strictObject({
      saved_searches: z.array(savedSearchShape.partial()),
    }),
    pages: 'linked',
    faults: [numberTooLarge, offsetWithoutLimit],
    requires: loggedIn,
    scope: 'read',
  },
  inReadTurn(async (ctx, input) => {
    const { caller } = ctx
    const { limit, offset } = pageOfList(input, MAX_LISTED, MAX_OFFSET)
    const selection = new Selection(input)
    const { rows } = await readBatch(ctx, {
      rows: selectSearches(caller, { limit, offset }, selection.includes('query')),
    })
    const shown = rows.slice(0, limit).filter(({ ahead }) => ahead < MAX_BYTES)
    const people = new PeoplePresenter(caller, ctx.settings)
    const body = {
      saved_searches: shown.map(({ ahead: _, ...row }) =>
        selection.prune({ ...row, owner: people.presentLogin(row.owner) }),
      ),
    }
    const next = pageAt(offset + shown.length, MAX_OFFSET, { limit: String(limit) })
    return new PagedAnswer(body, rows.length > shown.length ? next : {})
  }),
)

/** A page by name, with one search more, and the bytes of the queries ahead of each. */
function selectSearches(
  caller: Person,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  wantsQueries: boolean,
) {
  const shared = sql`SELECT ${savedSearches.id} FROM saved_searches
    WHERE ${visibleSavedSearchCondition(caller)} AND ${savedSearches.userId} <> ${caller.id} ${limitTo(MAX_SHARED)}`
  // a sort of whole rows would carry their queries
  const page = sql`SELECT ${savedSearches.id} AS page_id, ${savedSearches.nameFold} AS page_name
    FROM saved_searches WHERE ${ownSearchCondition(caller)} OR ${savedSearches.id} IN (${shared})
    ORDER BY ${savedSearches.nameFold}, ${savedSearches.id} ${limitTo(limit + 1)} OFFSET ${offset} + 0`
  const size = wantsQueries ? sql`octet_length(${savedSearches.query})` : sql`0`
  const sized = sql`(SELECT page_id, page_name, coalesce(sum(${size}) OVER (ORDER BY page_name, page_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS ahead
    FROM (${page}) JOIN saved_searches ON ${savedSearches.id} = page_id) AS page`
  return db
    .select({
      ...pick(savedSearches, 'id', 'name'),
      query: sql<string>`iif(ahead < ${MAX_BYTES}, ${savedSearches.query}, '')`.as('query'),
      owner: users.login,
      sharer_id: savedSearches.userId,
      shared_with: sharedGroupName().as('shared_with'),
      ahead: sql<number>`ahead`.as('bytes_ahead'),
    })
    .from(sized)
    .innerJoin(savedSearches, sql`${savedSearches.id} = page_id`)
    .innerJoin(users, eq(users.id, savedSearches.userId))
    .orderBy(sql`page_name, page_id`)
}
