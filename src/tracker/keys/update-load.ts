import { and, eq, type SQL } from 'drizzle-orm'
import { hasRole, type Person } from '../../platform/access/caller.ts'
import { apiKeys } from '../../platform/db/schema/users.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { pick } from '../../platform/lib/pick.ts'
import { apiKeyUnknown } from './faults.ts'
import { type KeyScopes, selectProductNames } from './scopes.ts'

export type KeyState = KeyScopes & {
  readonly description: string
  readonly revoked: boolean
  /** Unix seconds; null for never. */
  readonly expiresAt: number | null
  /** Names of the products that the caller may search; null for all products. */
  readonly products: readonly string[] | null
}

type StoredKey = Omit<KeyState, 'products'> & {
  readonly userId: number
  readonly createdAt: number
  readonly replacedById: number | null
  /** JSON of names. */
  readonly productNames: string | null
}

/** Selects a key that is to be changed. */
export function selectKey(caller: Person, keyId: number) {
  return db
    .select({
      ...pick(apiKeys, 'userId', 'description', 'revoked', 'createdAt', 'expiresAt'),
      ...pick(apiKeys, 'canWrite', 'canAdminister', 'productIds', 'replacedById'),
      productNames: selectProductNames(caller).as('product_names'),
    })
    .from(apiKeys)
    .where(eq(apiKeys.id, keyId))
}

/**
 * The key, if the caller may change it. Keys of others are refused as missing ones, so that IDs reveal
 * nothing.
 */
export function requireKey(
  caller: Person,
  keyId: number,
  [key]: readonly StoredKey[],
): KeyState & Pick<StoredKey, 'userId' | 'createdAt' | 'replacedById'> {
  if (key === undefined || (key.userId !== caller.id && !hasRole(caller, 'editusers'))) {
    throw fault(apiKeyUnknown, { id: String(keyId) })
  }
  const { productNames, ...state } = key
  return {
    ...state,
    products: productNames === null ? null : (JSON.parse(productNames) as string[]),
  }
}

/** The key, if it is still as it was read. */
export function unchangedKeyCondition(keyId: number, before: KeyState): SQL | undefined {
  return and(
    eq(apiKeys.id, keyId),
    eq(apiKeys.description, before.description),
    eq(apiKeys.revoked, before.revoked),
    eq(apiKeys.canWrite, before.canWrite),
    eq(apiKeys.canAdminister, before.canAdminister),
    sql`${apiKeys.expiresAt} IS ${before.expiresAt}`,
    sql`${apiKeys.productIds} IS ${before.productIds}`,
  )
}
