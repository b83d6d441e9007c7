import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../../platform/access/caller.ts'
import { productDenied } from '../../../platform/access/faults.ts'
import {
  enterableProductCondition,
  selectableProductCondition,
} from '../../../platform/access/visibility.ts'
import { components, products, versions } from '../../../platform/db/schema/products.ts'
import { sql } from '../../../platform/db/sql.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { productPartInactive, productPartUnknown } from '../../components/faults.ts'
import { productClosed, productIncomplete } from './faults.ts'

/** What keeps a caller from bringing bugs into a product; null for nothing. */
type Obstacle = 'denied' | 'closed' | 'component' | 'version' | null

/**
 * Selects what keeps the caller from bringing bugs into a product. Only who may search the product learns
 * more than that it is denied.
 */
export function obstacleOf(caller: Caller): SQL<Obstacle> {
  return sql<Obstacle>`CASE
    WHEN ${enterableProductCondition(caller)} THEN NULL
    WHEN NOT ${selectableProductCondition(caller)} THEN 'denied'
    WHEN ${products.isActive} = 0 THEN 'closed'
    WHEN NOT EXISTS (SELECT 1 FROM components
      WHERE ${components.productId} = ${products.id} AND ${components.isActive} = 1) THEN 'component'
    WHEN NOT EXISTS (SELECT 1 FROM versions
      WHERE ${versions.productId} = ${products.id} AND ${versions.isActive} = 1) THEN 'version'
    ELSE 'denied' END`
}

/**
 * The product, if the caller may bring bugs into it. Unknown and forbidden products are refused alike, with
 * the name as it was given.
 */
export function requireDestination<
  Product extends { readonly name: string; readonly obstacle: Obstacle },
>(product: Product | undefined, given: string): Product {
  const obstacle = product === undefined ? 'denied' : product.obstacle
  if (product === undefined || obstacle === 'denied') {
    throw fault(productDenied, { product: given })
  }
  if (obstacle === 'closed') {
    throw fault(productClosed, { product: product.name })
  }
  if (obstacle !== null) {
    throw fault(productIncomplete, { product: product.name, part: obstacle })
  }
  return product
}

/** The part of a product, unless it is unknown, or inactive and not what the bug has already. */
export function requireActive<Part extends { readonly id: number; readonly isActive: boolean }>(
  part: Part | undefined,
  kind: 'component' | 'version' | 'milestone',
  name: string,
  product: { readonly name: string },
  currentId?: number,
): Part {
  if (part === undefined) {
    throw fault(productPartUnknown, { kind, name, product: product.name })
  }
  if (!part.isActive && part.id !== currentId) {
    throw fault(productPartInactive, { kind, name, product: product.name })
  }
  return part
}
