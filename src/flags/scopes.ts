import type { SQL } from 'drizzle-orm'
import { sql } from '../db/sql.ts'

/** One inclusion or exclusion of a flag type; a null matches every product or component. */
export type Scope = {
  readonly flagTypeId: number
  readonly isExclusion: boolean
  readonly productId: number | null
  readonly componentId: number | null
}

type Place = { readonly id: number; readonly productId: number }

/**
 * Answers, for one component after the other, the types that apply there, in the order given: those
 * with a matching inclusion and without a matching exclusion. Contract "Component", flag_types.
 */
export function typesByComponent<Type extends { readonly id: number }>(
  types: readonly Type[],
  scopes: readonly Scope[],
): (component: Place) => Type[] {
  const byProduct = Map.groupBy(scopes, (scope) => scope.productId)
  const everywhere = byProduct.get(null) ?? []
  return function typesFor(component) {
    const matching = [...everywhere, ...(byProduct.get(component.productId) ?? [])].filter(
      ({ componentId }) => componentId === null || componentId === component.id,
    )
    const included = idsOf(matching.filter((scope) => !scope.isExclusion))
    const excluded = idsOf(matching.filter((scope) => scope.isExclusion))
    return types.filter(({ id }) => included.has(id) && !excluded.has(id))
  }
}

/**
 * The condition on `flag_type_scopes` that a scope can decide about components of some products: those
 * whose IDs `productIds`, a select in brackets, answers.
 */
export function scopesTouching(productIds: SQL): SQL {
  return sql`(flag_type_scopes.product_id IS NULL OR flag_type_scopes.product_id IN ${productIds})`
}

function idsOf(scopes: readonly Scope[]): Set<number> {
  return new Set(scopes.map(({ flagTypeId }) => flagTypeId))
}
