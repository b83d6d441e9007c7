import type { SQL } from 'drizzle-orm'
import { flagTypeScopes } from '../../platform/db/schema/flags.ts'
import { sql } from '../../platform/db/sql.ts'

/** One inclusion or exclusion of a flag type; null matches every product or component. */
export type FlagTypeScope = {
  readonly flagTypeId: number
  readonly isExclusion: boolean
  readonly productId: number | null
  readonly componentId: number | null
}

type ComponentKey = { readonly id: number; readonly productId: number }

/**
 * Returns a function that finds the types of a component, in the order of `types`: those with a matching
 * inclusion and without a matching exclusion.
 */
export function createTypeFinder<Type extends { readonly id: number }>(
  types: readonly Type[],
  scopes: readonly FlagTypeScope[],
): (component: ComponentKey) => Type[] {
  const byProduct = Map.groupBy(scopes, (scope) => scope.productId)
  const everywhere = byProduct.get(null) ?? []
  return function findTypes(component) {
    const matching = [...everywhere, ...(byProduct.get(component.productId) ?? [])].filter(
      ({ componentId }) => componentId === null || componentId === component.id,
    )
    const included = idsOf(matching.filter((scope) => !scope.isExclusion))
    const excluded = idsOf(matching.filter((scope) => scope.isExclusion))
    return types.filter(({ id }) => included.has(id) && !excluded.has(id))
  }
}

/**
 * The condition on `flag_type_scopes` that a scope matches components of the products whose IDs `productIds`,
 * a select in brackets, returns.
 */
export function scopesOfProductsCondition(productIds: SQL): SQL {
  return sql`(${flagTypeScopes.productId} IS NULL OR ${flagTypeScopes.productId} IN ${productIds})`
}

function idsOf(scopes: readonly FlagTypeScope[]): Set<number> {
  return new Set(scopes.map(({ flagTypeId }) => flagTypeId))
}
