import type { SQL, SQLWrapper } from 'drizzle-orm'
import { apiKeys } from '../db/schema/users.ts'
import { sql } from '../db/sql.ts'
import type { Person } from './caller.ts'
import type { Role } from './roles.ts'

/** The columns of a key that its scope is made from. */
export type KeyScopeRow = {
  readonly keyId: number | null
  readonly canWrite: number
  readonly canAdminister: number
  /** JSON of a list of IDs; null for all products. */
  readonly productIds: string | null
}

/** The roles of people who work on bugs; all others administer the tracker. */
const WORKING_ROLES: ReadonlySet<Role> = new Set([
  'editbugs',
  'canconfirm',
  'insider',
  'timetracking',
])

/**
 * The owner of a key as the key lets a program act: without the administrative roles if it may not administer, and
 * with the scope if it is limited at all.
 */
export function limitToScope(owner: Person, row: KeyScopeRow): Person {
  const { keyId, canWrite, canAdminister, productIds } = row
  if (keyId === null || (canWrite !== 0 && canAdminister !== 0 && productIds === null)) {
    return owner
  }
  // a key for some products would otherwise change those of others
  const administers = canAdminister !== 0 && productIds === null
  const isGiven = (role: Role) => administers || WORKING_ROLES.has(role)
  return {
    ...owner,
    roles: new Set([...owner.roles].filter(isGiven)),
    scope: {
      keyId,
      canWrite: canWrite !== 0,
      canAdminister: administers,
      productIds: productIds === null ? null : (JSON.parse(productIds) as number[]),
    },
  }
}

/** The keys that allow all that their owner may do, among rows of `api_keys`. */
export const unlimitedKeyCondition = sql`(${apiKeys.canWrite} = 1 AND ${apiKeys.canAdminister} = 1
  AND ${apiKeys.productIds} IS NULL)`

/**
 * Whether a product is one of these; null for no limit. The IDs stand in the text, because statements repeat
 * the condition and D1 binds 100 parameters; the plus sign keeps the product from leading the search.
 */
export function productInScopeCondition(
  productIds: readonly number[] | null,
  product: SQLWrapper,
): SQL | null {
  return productIds === null
    ? null
    : sql`+${product} IN (${sql.raw(productIds.map((id) => Math.trunc(id)).join(', '))})`
}
