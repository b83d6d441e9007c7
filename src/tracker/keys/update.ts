import { assertLoggedIn } from '../../platform/access/caller.ts'
import { productDenied } from '../../platform/access/faults.ts'
import type { Ctx } from '../../platform/context.ts'
import type { Changes } from '../../platform/db/audit.ts'
import { abortUnlessChanged, commit } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { apiKeys } from '../../platform/db/schema/users.ts'
import { db } from '../../platform/db/sql.ts'
import { recordUpdates } from '../../platform/db/write-audited.ts'
import { valueBlank } from '../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import {
  boolean,
  changedObjects,
  givenNames,
  id,
  strictInput,
  text,
} from '../../platform/http/operations/shapes.ts'
import { parseKeyDescription } from './description.ts'
import { expiryOrNever, planMailsStatements, requireFuture } from './expiry.ts'
import { apiKeyUnknown, keyMayNotManageKeys } from './faults.ts'
import { assertMayManageKeys } from './owner.ts'
import { describeKey } from './present.ts'
import {
  combineScopes,
  parseProductNames,
  parseScopeWords,
  requireProductIds,
  type ScopeWords,
  selectNamedProducts,
} from './scopes.ts'
import { type KeyState, requireKey, selectKey, unchangedKeyCondition } from './update-load.ts'

/** Undefined leaves a value unchanged. */
type KeyUpdate = {
  readonly description?: string | undefined
  readonly revoked?: boolean | undefined
  /** Unix seconds; null for never. */
  readonly expiresAt?: number | null | undefined
  readonly words?: ScopeWords | undefined
  readonly products?: readonly string[] | undefined
}

export const updateKey = operation(
  {
    method: 'PUT',
    path: '/api_key/:id',
    summary: 'Describe, limit, revoke or restore an API key',
    reference: 'api-keys.md#change-an-api-key',
    // a misspelled limit must not become a key without it
    input: strictInput({
      id: id(),
      description: text(),
      revoked: boolean(),
      expires: expiryOrNever(),
      scopes: givenNames(),
      products: givenNames(),
    }),
    output: changedObjects('api_keys'),
    faults: [apiKeyUnknown, keyMayNotManageKeys, productDenied, valueBlank],
    requires: loggedIn,
    scope: 'write',
  },
  async (ctx, input) => {
    assertMayManageKeys(ctx.caller)
    const { description, revoked, expires, scopes, products } = input
    const changes = await changeApiKey(ctx, input.id, {
      description: description === undefined ? undefined : parseKeyDescription(description),
      revoked,
      expiresAt: expires === undefined ? undefined : requireFuture(expires, ctx.now),
      words: scopes === undefined ? undefined : parseScopeWords(scopes),
      products: products === undefined ? undefined : parseProductNames(products),
    })
    return { api_keys: [{ id: input.id, changes }] }
  },
)

export async function changeApiKey(ctx: Ctx, keyId: number, update: KeyUpdate): Promise<Changes> {
  const caller = assertLoggedIn(ctx.caller)
  const { keys, found } = await readBatch(ctx, {
    keys: selectKey(caller, keyId),
    found: update.products === undefined ? undefined : selectNamedProducts(caller, update.products),
  })
  const before = requireKey(caller, keyId, keys)
  const after = applyUpdate(before, update, found ?? [])
  const changes = compareStates(before, after)
  // the changes name no products that are hidden from the caller
  if (Object.keys(changes).length > 0 || after.productIds !== before.productIds) {
    const { products: _, ...values } = after
    await commit(ctx, {
      key: [
        db.update(apiKeys).set(values).where(unchangedKeyCondition(keyId, before)),
        abortUnlessChanged(),
      ],
      mails:
        after.expiresAt === before.expiresAt
          ? []
          : planMailsStatements(keyId, after.expiresAt, ctx.now),
      audit: recordUpdates({ ...ctx, caller }, 'APIKey', [{ id: keyId, changes }]),
    })
  }
  return changes
}

function applyUpdate(
  before: KeyState,
  update: KeyUpdate,
  found: readonly { id: number; name: string; nameFold: string }[],
): KeyState {
  const { description, revoked, expiresAt, words, products } = update
  const productIds = products === undefined ? before.productIds : requireProductIds(products, found)
  return {
    description: description ?? before.description,
    revoked: revoked ?? before.revoked,
    expiresAt: expiresAt === undefined ? before.expiresAt : expiresAt,
    ...combineScopes(words, productIds, before),
    products: products === undefined ? before.products : found.map(({ name }) => name),
  }
}

function compareStates(before: KeyState, after: KeyState): Changes {
  const [removed, added] = [describeState(before), describeState(after)]
  return Object.fromEntries(
    Object.entries(removed).flatMap(([field, value]) => {
      const next = added[field as keyof typeof added]
      return value === next ? [] : [[field, { removed: value, added: next }]]
    }),
  )
}

function describeState(state: KeyState) {
  return { ...describeKey(state), revoked: state.revoked ? '1' : '0' }
}
