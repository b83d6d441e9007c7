import { asc, eq } from 'drizzle-orm'
import * as z from 'zod'
import { notAuthorized } from '../../platform/access/faults.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { apiKeys, users } from '../../platform/db/schema/users.ts'
import { db } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { selectionInput, text } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { userUnknown } from '../users/faults.ts'
import { resolveOtherOwner } from './owner.ts'
import { keyColumns, keyShape, presentKey } from './present.ts'

/**
 * The API keys of the caller, or with the right to edit users those of `user`, with those that are revoked
 * or expired.
 */
export const listKeys = operation(
  {
    method: 'GET',
    path: '/api_key',
    summary: 'List API keys',
    reference: 'api-keys.md#list-api-keys',
    input: z.object({ user: text(), ...selectionInput }),
    output: z.strictObject({ api_keys: z.array(keyShape.partial()) }),
    faults: [notAuthorized, userUnknown],
    requires: loggedIn,
    scope: 'read',
  },
  async (ctx, input) => {
    const { caller } = ctx
    const otherLogin = resolveOtherOwner(caller, input.user)
    const isOwner = otherLogin === null ? eq(users.id, caller.id) : eq(users.loginFold, otherLogin)
    const { owners, keys } = await readBatch(ctx, {
      owners: db.select({ id: users.id }).from(users).where(isOwner),
      keys: db
        .select(keyColumns(caller))
        .from(users)
        .innerJoin(apiKeys, eq(apiKeys.userId, users.id))
        .where(isOwner)
        .orderBy(asc(apiKeys.id)),
    })
    if (owners.length === 0) {
      throw fault(userUnknown, { login: input.user ?? '' })
    }
    const selection = new Selection(input)
    return { api_keys: keys.map((row) => selection.prune(presentKey(row))) }
  },
)
