import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../platform/access/caller.ts'
import { productDenied } from '../../platform/access/faults.ts'
import { selectableProductCondition } from '../../platform/access/visibility.ts'
import { products } from '../../platform/db/schema/products.ts'
import { apiKeys } from '../../platform/db/schema/users.ts'
import { db, jsonList, sql } from '../../platform/db/sql.ts'
import { fault, invalidParameter } from '../../platform/faults/fault.ts'
import { fold } from '../../platform/lib/text.ts'

/** What a key allows of what its owner may do. */
export type KeyScopes = {
  readonly canWrite: boolean
  readonly canAdminister: boolean
  /** JSON of a list of IDs; null for all products. */
  readonly productIds: string | null
}

export type ScopeWords = { readonly canWrite: boolean; readonly canAdminister: boolean }

export const SCOPES = ['read', 'write', 'admin'] as const

/** The condition on a product of a key is part of the text of many statements. */
const MAX_PRODUCTS = 50

/** Parses the words of a scope, of which `read` may be left out. */
export function parseScopeWords(words: readonly string[]): ScopeWords {
  const given = words.map((word) => word.trim().toLowerCase())
  const areKnown = given.every((word) => SCOPES.some((scope) => scope === word))
  if (given.length === 0 || !areKnown) {
    throw invalidParameter('scopes', "must be a list of 'read', 'write' and 'admin'")
  }
  return { canWrite: given.includes('write'), canAdminister: given.includes('admin') }
}

export function presentScopeWords({
  canWrite,
  canAdminister,
}: ScopeWords): (typeof SCOPES)[number][] {
  return [
    'read',
    ...(canWrite ? ['write' as const] : []),
    ...(canAdminister ? ['admin' as const] : []),
  ]
}

/** Parses the names of a key's products. Refuses an empty list, since that is no limit. */
export function parseProductNames(names: readonly string[]): string[] {
  if (names.length === 0 || names.length > MAX_PRODUCTS) {
    throw invalidParameter(
      'products',
      `must name 1 to ${MAX_PRODUCTS} products; without it, the key is for all`,
    )
  }
  return names.map((name) => name.trim())
}

export function selectNamedProducts(caller: Caller, names: readonly string[]) {
  return db
    .select({ id: products.id, name: products.name, nameFold: products.nameFold })
    .from(products)
    .where(
      sql`${products.nameFold} IN ${jsonList(names.map(fold))} AND ${selectableProductCondition(caller)}`,
    )
    .orderBy(products.nameFold)
}

/** The products of a key as they are stored; refuses names that `selectNamedProducts` did not find. */
export function requireProductIds(
  names: readonly string[],
  found: readonly { readonly id: number; readonly nameFold: string }[],
): string {
  const missing = names.find((name) => found.every(({ nameFold }) => nameFold !== fold(name)))
  if (missing !== undefined) {
    throw fault(productDenied, { product: missing })
  }
  return JSON.stringify(found.map(({ id }) => id))
}

/**
 * Combines words and products: a key for some products never administers, because what administrators change belongs
 * to all.
 */
export function combineScopes(
  words: ScopeWords | undefined,
  productIds: string | null,
  before: ScopeWords = { canWrite: true, canAdminister: true },
): KeyScopes {
  if (productIds !== null && words?.canAdminister === true) {
    throw invalidParameter(
      'scopes',
      "may not contain 'admin' for a key that is limited to products",
    )
  }
  const { canWrite, canAdminister } = words ?? before
  return { canWrite, canAdminister: canAdminister && productIds === null, productIds }
}

/** JSON of the names of a key's products that the caller may search; null for a key for all products. */
export function selectProductNames(caller: Caller): SQL<string | null> {
  return sql<string | null>`CASE WHEN ${apiKeys.productIds} IS NOT NULL THEN (
    SELECT json_group_array(${products.name} ORDER BY ${products.nameFold})
    FROM json_each(${apiKeys.productIds}) AS limited JOIN products ON ${products.id} = limited.value
    WHERE ${selectableProductCondition(caller)}) END`
}
