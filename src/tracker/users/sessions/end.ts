import { and, eq, ne } from 'drizzle-orm'
import * as z from 'zod'
import { bearerOf } from '../../../platform/access/bearer.ts'
import { strongestCredential } from '../../../platform/access/credentials.ts'
import { commit } from '../../../platform/db/commit.ts'
import { sessions } from '../../../platform/db/schema/users.ts'
import { db } from '../../../platform/db/sql.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../../platform/http/operations/operation.ts'
import { id } from '../../../platform/http/operations/shapes.ts'
import { assertMayManageAccount } from '../account/limited-key.ts'
import { keyMayNotManageAccount, sessionUnknown } from '../faults.ts'

/** A session of somebody else is refused as a missing one, so that IDs reveal nothing. */
export const endSession = operation(
  {
    method: 'DELETE',
    path: '/session/:id',
    summary: 'End a session of the caller',
    reference: 'accounts.md#end-sessions',
    input: z.object({ id: id() }),
    output: z.strictObject({}),
    faults: [keyMayNotManageAccount, sessionUnknown],
    requires: loggedIn,
    scope: 'write',
  },
  async (ctx, input) => {
    assertMayManageAccount(ctx.caller)
    const { ended } = await commit(ctx, {
      ended: db
        .delete(sessions)
        .where(and(eq(sessions.id, input.id), eq(sessions.userId, ctx.caller.id)))
        .returning({ id: sessions.id }),
    })
    if (ended.length === 0) {
      throw fault(sessionUnknown, { id: input.id })
    }
    return {}
  },
)

/** Ends all sessions of the caller but the one that the request presents. */
export const endOtherSessions = operation(
  {
    method: 'DELETE',
    path: '/session',
    summary: 'End all other sessions of the caller',
    reference: 'accounts.md#end-sessions',
    input: z.object({}),
    output: z.strictObject({ ended: z.int() }),
    faults: [keyMayNotManageAccount],
    requires: loggedIn,
    scope: 'write',
  },
  async (ctx) => {
    assertMayManageAccount(ctx.caller)
    const current = await bearerOf(strongestCredential(ctx.credentials))
    const { ended } = await commit(ctx, {
      ended: db
        .delete(sessions)
        .where(and(eq(sessions.userId, ctx.caller.id), ne(sessions.hash, current?.hash ?? '')))
        .returning({ id: sessions.id }),
    })
    return { ended: ended.length }
  },
)
