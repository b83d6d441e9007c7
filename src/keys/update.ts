import { and, eq } from 'drizzle-orm'
import * as z from 'zod'
import { hasRole } from '../access/caller.ts'
import { assertLoggedIn } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { auditStatement, type Changes } from '../db/audit.ts'
import { db } from '../db/client.ts'
import { abortUnlessChanged, commit, retryOnConflict } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { apiKeys } from '../db/schema/users.ts'
import { fault } from '../faults.ts'
import { changesOutput, flag, id, text } from '../http/shapes.ts'
import { parseKeyDescription } from './description.ts'

export const updateKeyInput = z.object({ id: id(), description: text(), revoked: flag() })
export const updateKeyOutput = z.strictObject({
  api_keys: z.array(z.strictObject({ id: z.int(), changes: changesOutput })),
})

/** What can be changed of a key. */
type KeyState = { description: string; revoked: boolean }

/**
 * PUT /api_key/{id}: describes, revokes or restores an API key of the caller, or of anybody with the
 * right to edit users. Administration API "API keys". Faults 410, 50 for a blank description, 51 for a
 * key that does not exist or is not the caller's business, 52 for an ID that is no number.
 */
export async function updateKey(ctx: Ctx, input: z.output<typeof updateKeyInput>) {
  const changes = await changeKey(ctx, input.id, {
    description:
      input.description === undefined ? undefined : parseKeyDescription(input.description),
    revoked: input.revoked,
  })
  return { api_keys: [{ id: input.id, changes }] }
}

/** Brings a key to the wanted state and answers what that changed; what is undefined stays. */
export async function changeKey(
  ctx: Ctx,
  keyId: number,
  wanted: { [Field in keyof KeyState]?: KeyState[Field] | undefined },
): Promise<Changes> {
  const caller = assertLoggedIn(ctx.caller)
  return retryOnConflict(ctx, async (ctx) => {
    const before = await loadKey(ctx, keyId)
    const after = {
      description: wanted.description ?? before.description,
      revoked: wanted.revoked ?? before.revoked,
    }
    const changes = changesBetween(before, after)
    if (Object.keys(changes).length > 0) {
      await commit(ctx, {
        key: [
          db
            .update(apiKeys)
            .set(after)
            .where(
              and(
                eq(apiKeys.id, keyId),
                eq(apiKeys.description, before.description),
                eq(apiKeys.revoked, before.revoked),
              ),
            ),
          abortUnlessChanged(),
        ],
        audit: auditStatement({
          by: caller.id,
          at: ctx.now,
          objectClass: 'APIKey',
          objectId: keyId,
          action: 'update',
          changes,
        }),
      })
    }
    return changes
  })
}

/** Somebody else's key is unknown rather than forbidden: its number tells nothing. */
async function loadKey(ctx: Ctx, keyId: number): Promise<KeyState> {
  const caller = assertLoggedIn(ctx.caller)
  const { keys } = await readBatch(ctx, {
    keys: db
      .select({
        userId: apiKeys.userId,
        description: apiKeys.description,
        revoked: apiKeys.revoked,
      })
      .from(apiKeys)
      .where(eq(apiKeys.id, keyId)),
  })
  const [key] = keys
  if (key === undefined || (key.userId !== caller.id && !hasRole(caller, 'editusers'))) {
    throw fault('apiKeyUnknown', { id: String(keyId) })
  }
  return { description: key.description, revoked: key.revoked }
}

function changesBetween(before: KeyState, after: KeyState): Changes {
  const changes: Changes = {}
  if (before.description !== after.description) {
    changes.description = { removed: before.description, added: after.description }
  }
  if (before.revoked !== after.revoked) {
    changes.revoked = { removed: before.revoked ? '1' : '0', added: after.revoked ? '1' : '0' }
  }
  return changes
}
