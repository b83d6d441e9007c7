import { and, isNull, type SQL } from 'drizzle-orm'
import * as z from 'zod'
import type { Person } from '../../platform/access/caller.ts'
import type { Ctx } from '../../platform/context.ts'
import { abortUnlessChanged, commit } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { apiKeys, users } from '../../platform/db/schema/users.ts'
import { columnName, db, newestId, sql } from '../../platform/db/sql.ts'
import { recordCreation, recordUpdates } from '../../platform/db/write-audited.ts'
import { fault, invalidParameter } from '../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { count, datetime, id, strictInput } from '../../platform/http/operations/shapes.ts'
import { toDatetime } from '../../platform/lib/time.ts'
import { createSecret } from './create-secret.ts'
import { planMailsStatements, requireFuture } from './expiry.ts'
import { apiKeyUnknown, keyMayNotManageKeys } from './faults.ts'
import { assertMayManageKeys } from './owner.ts'
import { describeKey } from './present.ts'
import { requireKey, selectKey, unchangedKeyCondition } from './update-load.ts'

const HOUR_SECONDS = 3600
const DEFAULT_OVERLAP_HOURS = 24
const MAX_OVERLAP_HOURS = 30 * 24

type OldKey = ReturnType<typeof requireKey>

/** What the caller chooses, and whether through a limited key. Seconds; null for no choice. */
type Wish = {
  readonly now: number
  readonly overlap: number
  readonly expires: number | null
  readonly isLimited: boolean
}

/** The ends of both keys in Unix seconds; `newEnd` is null for never. */
type Ends = { readonly oldEnd: number; readonly newEnd: number | null }

/**
 * Makes a key with the description and the scopes of this one, which works for `overlap_hours` longer. A
 * key that expires gets a successor that lives as long from now on; one that is limited and rotates itself
 * gets a successor with its own end.
 */
export const rotateKey = operation(
  {
    method: 'POST',
    path: '/api_key/:id/rotate',
    summary: 'Replace an API key by a new one, with some time for both',
    reference: 'api-keys.md#rotate-an-api-key',
    input: strictInput({ id: id(), overlap_hours: count(), expires: datetime() }),
    output: z.strictObject({
      id: z.int(),
      api_key: z.string(),
      prefix: z.string(),
      expires: z.string().nullable(),
      replaced: z.strictObject({ id: z.int(), expires: z.string() }),
    }),
    faults: [apiKeyUnknown, keyMayNotManageKeys],
    requires: loggedIn,
    scope: 'read',
    status: 201,
  },
  async (ctx, input) => {
    const { caller } = ctx
    assertMayManageKeys(caller, input.id)
    const overlap = requireOverlap(input.overlap_hours ?? DEFAULT_OVERLAP_HOURS)
    const isLimited = caller.scope !== undefined
    if (isLimited && input.expires !== undefined) {
      throw fault(keyMayNotManageKeys)
    }
    const expires = requireFuture(input.expires ?? null, ctx.now)
    const { key, stored } = await createSecret(ctx.env)
    const { keys, owners } = await readBatch(ctx, {
      keys: selectKey(caller, input.id),
      owners: selectOwner(input.id),
    })
    const old = requireKey(caller, input.id, keys)
    assertRotatable(old, ctx.now)
    const ends = decideEnds(old, { now: ctx.now, overlap, expires, isLimited })
    const owner = owners[0]?.login ?? ''
    const newId = await commitRotation(ctx, caller, { old, oldId: input.id, owner, ends, stored })
    return {
      id: newId,
      api_key: key,
      prefix: stored.prefix,
      expires: ends.newEnd === null ? null : toDatetime(ends.newEnd),
      replaced: { id: input.id, expires: toDatetime(ends.oldEnd) },
    }
  },
)

function requireOverlap(hours: number): number {
  if (hours > MAX_OVERLAP_HOURS) {
    throw invalidParameter('overlap_hours', `may be at most ${MAX_OVERLAP_HOURS}`)
  }
  return hours * HOUR_SECONDS
}

function selectOwner(keyId: number) {
  return db
    .select({ login: users.login })
    .from(users)
    .where(
      sql`${users.id} = (SELECT ${apiKeys.userId} FROM api_keys WHERE ${apiKeys.id} = ${keyId})`,
    )
}

function assertRotatable({ revoked, expiresAt, replacedById }: OldKey, now: number): void {
  const state = revoked
    ? 'revoked'
    : replacedById !== null
      ? 'rotated already'
      : expiresAt !== null && expiresAt <= now
        ? 'expired'
        : null
  if (state !== null) {
    throw invalidParameter('id', `names an API key that is ${state}; make a new one`)
  }
}

function decideEnds(
  { createdAt, expiresAt }: OldKey,
  { now, overlap, expires, isLimited }: Wish,
): Ends {
  // a limited key would otherwise live on for as long as it rotates itself
  const sameLife = expiresAt === null || isLimited ? expiresAt : now + (expiresAt - createdAt)
  return {
    oldEnd: Math.min(expiresAt ?? Number.POSITIVE_INFINITY, now + overlap),
    newEnd: expires ?? sameLife,
  }
}

type Rotation = {
  readonly old: OldKey
  readonly oldId: number
  readonly owner: string
  readonly ends: Ends
  readonly stored: Awaited<ReturnType<typeof createSecret>>['stored']
}

/** Returns the ID of the new key. Of two rotations at once one is a conflict. */
async function commitRotation(ctx: Ctx, caller: Person, rotation: Rotation): Promise<number> {
  const { old, oldId, owner, ends, stored } = rotation
  const { userId, description, canWrite, canAdminister, productIds, products } = old
  const values = { description, canWrite, canAdminister, productIds, expiresAt: ends.newEnd }
  const newId = newestId(apiKeys)
  const author = { ...ctx, caller }
  const expires = {
    removed: old.expiresAt === null ? '' : toDatetime(old.expiresAt),
    added: toDatetime(ends.oldEnd),
  }
  const { row } = await commit(ctx, {
    old: [
      db
        .update(apiKeys)
        .set({ expiresAt: ends.oldEnd })
        .where(and(unchangedKeyCondition(oldId, old), isNull(apiKeys.replacedById))),
      abortUnlessChanged(),
    ],
    row: db
      .insert(apiKeys)
      .values({ ...values, ...stored, userId, createdAt: ctx.now })
      .returning({ id: apiKeys.id }),
    link: replaceStatement(oldId, newId),
    mails: [
      // who rotates a key knows that the old one ends
      ...planMailsStatements(oldId, null, ctx.now),
      ...planMailsStatements(newId, ends.newEnd, ctx.now),
    ],
    audits: [
      recordCreation(author, 'APIKey', newId, {
        user: owner,
        ...describeKey({ ...values, products }),
        replaces: oldId,
      }),
      ...recordUpdates(author, 'APIKey', [{ id: oldId, changes: { expires } }]),
    ],
  })
  return Number(row[0]?.id)
}

function replaceStatement(oldId: number, newId: SQL): SQL {
  return sql`UPDATE api_keys SET ${columnName(apiKeys.replacedById)} = ${newId} WHERE ${apiKeys.id} = ${oldId}`
}
