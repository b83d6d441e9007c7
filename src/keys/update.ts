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
import { boolean, changesOutput, id, text } from '../http/shapes.ts'
import { parseKeyDescription } from './description.ts'

export const updateKeyInput = z.object({ id: id(), description: text(), revoked: boolean() })
export const updateKeyOutput = z.strictObject({
  api_keys: z.array(z.strictObject({ id: z.int(), changes: changesOutput })),
})

/** What an update of a key can change. */
type KeyState = { description: string; revoked: boolean }

/**
 * PUT /api_key/{id}: describes, revokes or restores an API key of the caller, or with the right to edit users
 * of anybody. Faults 410, 50 for a blank description, 51 for a key that does not exist or that the caller may
 * not change, 52 for an ID that is no number. Reference: api-keys.md, "Change an API key".
 */
export async function updateKey(ctx: Ctx, input: z.output<typeof updateKeyInput>) {
  const changes = await changeKey(ctx, input.id, {
    description:
      input.description === undefined ? undefined : parseKeyDescription(input.description),
    revoked: input.revoked,
  })
  return { api_keys: [{ id: input.id, changes }] }
}

/** Updates a key and returns the changes; undefined leaves what is there. Faults as `updateKey`. */
export async function changeKey(
  ctx: Ctx,
  keyId: number,
  update: { [Field in keyof KeyState]?: KeyState[Field] | undefined },
): Promise<Changes> {
  const caller = assertLoggedIn(ctx.caller)
  return retryOnConflict(ctx, async (ctx) => {
    const before = await loadKey(ctx, keyId)
    const after = {
      description: update.description ?? before.description,
      revoked: update.revoked ?? before.revoked,
    }
    const changes = compareStates(before, after)
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

/** Fault 51 for the key of somebody else too, so that IDs reveal nothing. */
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

function compareStates(before: KeyState, after: KeyState): Changes {
  const changes: Changes = {}
  if (before.description !== after.description) {
    changes.description = { removed: before.description, added: after.description }
  }
  if (before.revoked !== after.revoked) {
    changes.revoked = { removed: before.revoked ? '1' : '0', added: after.revoked ? '1' : '0' }
  }
  return changes
}
