import { eq } from 'drizzle-orm'
import type { Caller } from '../../platform/access/caller.ts'
import { productDenied } from '../../platform/access/faults.ts'
import { selectableProductCondition } from '../../platform/access/visibility.ts'
import { components, products } from '../../platform/db/schema/products.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { fault, parameterMissing } from '../../platform/faults/fault.ts'
import { fold } from '../../platform/lib/text.ts'
import { productPartUnknown } from '../../tracker/components/faults.ts'
import { ANY } from './present.ts'

/** A product and a component by name; null means any. */
type PlaceNames = { readonly product: string | null; readonly component: string | null }

/** The same with their IDs. */
export type Place = PlaceNames & {
  readonly productId: number | null
  readonly componentId: number | null
}

/** Parses the name of a product or component; blank and `Any` are any. */
export function parsePlaceName(text: string | null): string | null {
  const name = (text ?? '').trim()
  return name === '' || fold(name) === fold(ANY) ? null : name
}

export function selectPlace(caller: Caller, { product, component }: PlaceNames) {
  return db
    .select({
      productId: products.id,
      product: sql<string>`${products.name}`.as('product'),
      componentId: sql<number | null>`${components.id}`.as('component_id'),
      component: sql<string | null>`${components.name}`.as('component'),
    })
    .from(products)
    .leftJoin(
      components,
      sql`${eq(components.productId, products.id)} AND ${components.nameFold} = ${fold(component ?? '')}`,
    )
    .where(
      sql`${products.nameFold} = ${fold(product ?? '')} AND ${selectableProductCondition(caller)}`,
    )
}

/**
 * Returns the place of a webhook. A product that is hidden is refused like one that does not exist.
 */
export function requirePlace(
  { product, component }: PlaceNames,
  rows: readonly Place[] | undefined,
): Place {
  if (product === null) {
    if (component !== null) {
      throw fault(parameterMissing, { field: 'product' })
    }
    return { product: null, productId: null, component: null, componentId: null }
  }
  const [found] = rows ?? []
  if (found === undefined) {
    throw fault(productDenied, { product })
  }
  if (component !== null && found.componentId === null) {
    throw fault(productPartUnknown, { kind: 'component', name: component, product })
  }
  return component === null ? { ...found, component: null, componentId: null } : found
}
