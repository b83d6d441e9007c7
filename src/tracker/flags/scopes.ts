import type { SQL } from 'drizzle-orm'
import { flagTypeScopes, flagTypes } from '../../platform/db/schema/flags.ts'
import { db, sql } from '../../platform/db/sql.ts'

/** One inclusion or exclusion of a flag type; null matches every product or component. */
export type FlagTypeScope = {
  readonly flagTypeId: number
  readonly isExclusion: boolean
  readonly productId: number | null
  readonly componentId: number | null
}

export type ComponentKey = { readonly id: number; readonly productId: number }

type Identified = { readonly id: number }

/** What applies in a place, and what is excluded there, whatever a narrower place includes. */
type Applying<Type> = { readonly types: readonly Type[]; isExcluded(id: number): boolean }

/** Finds the types of a component. */
export type TypeFinder<Type> = (component: ComponentKey) => readonly Type[]

/**
 * Returns a function that finds the types of a component, in the order of `types`: those with a matching
 * inclusion and without a matching exclusion. Components with the same types share one list.
 */
export function createTypeFinder<Type extends Identified>(
  types: readonly Type[],
  scopes: readonly FlagTypeScope[],
): TypeFinder<Type> {
  const find = createScopeLookup(types, scopes)
  const lists = new Map<string, readonly Type[]>()
  const keys = new Map<readonly Type[], string>()
  return (component) => {
    const found = find(component)
    if (keys.has(found)) {
      return found
    }
    const key = found.map(({ id }) => id).join()
    const list = lists.get(key) ?? found
    lists.set(key, list)
    keys.set(list, key)
    return list
  }
}

/** The types of any of the components, each once, in no order. */
export function findTypesOfAny<Type extends Identified>(
  types: readonly Type[],
  scopes: readonly FlagTypeScope[],
  components: readonly ComponentKey[],
): ReadonlySet<Type> {
  const find = createScopeLookup(types, scopes)
  const lists = new Set<readonly Type[]>()
  const found = new Set<Type>()
  for (const component of components) {
    const list = find(component)
    if (found.size < types.length && !lists.has(list)) {
      for (const type of list) {
        found.add(type)
      }
    }
  }
  return found
}

/**
 * The condition on `flag_type_scopes` that a scope matches components of the products whose IDs `productIds`,
 * a select in brackets, returns.
 */
export function scopesOfProductsCondition(productIds: SQL): SQL {
  return sql`(${flagTypeScopes.productId} IS NULL OR ${flagTypeScopes.productId} IN ${productIds})`
}

/** Looks up what applies to a component. It costs that and the scopes of the component, not all types. */
function createScopeLookup<Type extends Identified>(
  types: readonly Type[],
  scopes: readonly FlagTypeScope[],
): TypeFinder<Type> {
  const ranks = new Map(types.map((type, rank) => [type.id, { type, rank }]))
  const rankOf = ({ id }: Identified) => ranks.get(id)?.rank ?? 0
  const narrow = (outer: Applying<Type>, own: readonly FlagTypeScope[] = []): Applying<Type> => {
    if (own.length === 0) {
      return outer
    }
    const [excluded, included] = [idsOf(own, true), idsOf(own, false)]
    const isExcluded = (id: number) => excluded.has(id) || outer.isExcluded(id)
    for (const { id } of outer.types) {
      included.delete(id)
    }
    const more = [...included].flatMap((id) => (isExcluded(id) ? [] : (ranks.get(id)?.type ?? [])))
    const kept = outer.types.filter(({ id }) => !excluded.has(id))
    const applying = [...kept, ...more]
    return { types: applying.sort((a, b) => rankOf(a) - rankOf(b)), isExcluded }
  }
  const wide = scopes.filter(({ componentId }) => componentId === null)
  const wideOf = Map.groupBy(wide, ({ productId }) => productId)
  const ownOf = Map.groupBy(scopes, ({ componentId }) => componentId)
  const everywhere = narrow({ types: [], isExcluded: () => false }, wideOf.get(null))
  const ofProducts = new Map<number, Applying<Type>>()
  return ({ id, productId }) => {
    const ofProduct = ofProducts.get(productId) ?? narrow(everywhere, wideOf.get(productId))
    ofProducts.set(productId, ofProduct)
    const own = ownOf.get(id)?.filter((scope) => (scope.productId ?? productId) === productId)
    return narrow(ofProduct, own).types
  }
}

function idsOf(scopes: readonly FlagTypeScope[], isExclusion: boolean): Set<number> {
  const found = scopes.filter((scope) => scope.isExclusion === isExclusion)
  return new Set(found.map(({ flagTypeId }) => flagTypeId))
}

/** Selects the types that products include, in their order, and all scopes there. */
export function selectTypesOfProducts(productIds: SQL) {
  const inProducts = scopesOfProductsCondition(productIds)
  return {
    flagTypes: db
      .select()
      .from(flagTypes)
      .where(sql`${flagTypes.id} IN (SELECT ${flagTypeScopes.flagTypeId} FROM flag_type_scopes
        WHERE ${inProducts} AND ${flagTypeScopes.isExclusion} = 0)`)
      .orderBy(flagTypes.sortKey, sql`lower(${flagTypes.name})`, flagTypes.id),
    flagTypeScopes: db.select().from(flagTypeScopes).where(inProducts),
  }
}
