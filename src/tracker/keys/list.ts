import { asc, desc, eq } from 'drizzle-orm'
import * as z from 'zod'
import { notAuthorized } from '../../platform/access/faults.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { apiKeys, users } from '../../platform/db/schema/users.ts'
import { db } from '../../platform/db/sql.ts'
import { fault, numberTooLarge, offsetWithoutLimit } from '../../platform/faults/fault.ts'
import { pageInput, pageOfList } from '../../platform/http/operations/list-page.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { selectionInput, text } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { userUnknown } from '../users/faults.ts'
import { resolveOtherOwner } from './owner.ts'
import { keyColumns, keyShape, presentKey } from './present.ts'

/** Keys in one answer, and how many are skipped: each of those is read. */
const MAX_LISTED = 1000
const MAX_OFFSET = 100_000

/**
 * The API keys of the caller, or with the right to edit users those of `user`, with those that are revoked
 * or expired. Without `limit` only the oldest are left out of an answer that would be too long, revoked ones first.
 */
export const listKeys = operation(
  {
    method: 'GET',
    path: '/api_key',
    summary: 'List API keys',
    reference: 'api-keys.md#list-api-keys',
    input: z.object({ user: text(), ...pageInput, ...selectionInput }),
    output: z.strictObject({ api_keys: z.array(keyShape.partial()) }),
    faults: [notAuthorized, numberTooLarge, offsetWithoutLimit, userUnknown],
    requires: loggedIn,
    scope: 'read',
  },
  async (ctx, input) => {
    const { caller } = ctx
    const { limit, offset } = pageOfList(input, MAX_LISTED, MAX_OFFSET)
    const otherLogin = resolveOtherOwner(caller, input.user)
    const isOwner = otherLogin === null ? eq(users.id, caller.id) : eq(users.loginFold, otherLogin)
    const order =
      input.limit === undefined ? [asc(apiKeys.revoked), desc(apiKeys.id)] : [asc(apiKeys.id)]
    const { owners, keys } = await readBatch(ctx, {
      owners: db.select({ id: users.id }).from(users).where(isOwner),
      keys: db
        .select(keyColumns(caller))
        .from(users)
        .innerJoin(apiKeys, eq(apiKeys.userId, users.id))
        .where(isOwner)
        .orderBy(...order)
        .limit(limit)
        .offset(offset),
    })
    if (owners.length === 0) {
      throw fault(userUnknown, { login: input.user ?? '' })
    }
    const selection = new Selection(input)
    const sorted = keys.toSorted((a, b) => a.id - b.id)
    return { api_keys: sorted.map((row) => selection.prune(presentKey(row))) }
  },
)
