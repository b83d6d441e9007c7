import { eq } from 'drizzle-orm'
import * as z from 'zod'
import { assertLoggedIn } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { auditStatement } from '../db/audit.ts'
import { db } from '../db/client.ts'
import { commit } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { apiKeys, users } from '../db/schema/users.ts'
import { newestId } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { datetime, requiredText, text } from '../http/shapes.ts'
import { newApiKey, seal, sha256Hex } from '../lib/secrets.ts'
import { toDatetime } from '../lib/time.ts'
import { parseKeyDescription } from './description.ts'
import { resolveOtherOwner } from './owner.ts'

export const createKeyInput = z.object({
  description: requiredText(),
  expires: datetime(),
  user: text(),
})

export const createKeyOutput = z.strictObject({
  id: z.int(),
  api_key: z.string(),
  prefix: z.string(),
})

const PREFIX_LENGTH = 6

/**
 * POST /api_key: creates an API key for the caller, or with the right to edit users for `user`. This answer
 * alone contains the key. Faults 410, 304, 50 without a description, 51 for an unknown user, 53 for an expiry
 * in the past, 56 for one that is no date. Reference: api-keys.md, "Create an API key".
 */
export async function createKey(ctx: Ctx, input: z.output<typeof createKeyInput>) {
  const { env, now } = ctx
  const caller = assertLoggedIn(ctx.caller)
  const otherLogin = resolveOtherOwner(caller, input.user)
  const description = parseKeyDescription(input.description)
  const expiresAt = input.expires ?? null
  if (expiresAt !== null && expiresAt <= now) {
    throw fault('parameterInvalid', { field: 'expires', reason: 'must lie in the future' })
  }
  const owner = otherLogin === null ? caller : await loadOwner(ctx, otherLogin)
  const key = newApiKey()
  const prefix = key.slice(0, PREFIX_LENGTH)
  const hash = await sha256Hex(key)
  const sealed = await seal(key, env.SECRETS_KEY)
  const { row } = await commit(ctx, {
    row: db
      .insert(apiKeys)
      .values({ userId: owner.id, hash, prefix, sealed, description, createdAt: now, expiresAt })
      .returning({ id: apiKeys.id }),
    audit: auditStatement({
      by: caller.id,
      at: now,
      objectClass: 'APIKey',
      objectId: newestId(apiKeys),
      action: 'create',
      changes: {
        user: { removed: '', added: owner.login },
        description: { removed: '', added: description },
        expires: { removed: '', added: expiresAt === null ? '' : toDatetime(expiresAt) },
      },
    }),
  })
  return { id: Number(row[0]?.id), api_key: key, prefix }
}

async function loadOwner(ctx: Ctx, loginFold: string): Promise<{ id: number; login: string }> {
  const { owners } = await readBatch(ctx, {
    owners: db
      .select({ id: users.id, login: users.login })
      .from(users)
      .where(eq(users.loginFold, loginFold)),
  })
  const [owner] = owners
  if (owner === undefined) {
    throw fault('userUnknown', { login: loginFold })
  }
  return owner
}
