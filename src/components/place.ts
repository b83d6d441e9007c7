import type { SQL } from 'drizzle-orm'
import { type Caller, hasRole } from '../access/caller.ts'
import {
  configurableProductCondition,
  enterableProductCondition,
  selectableProductCondition,
} from '../access/visibility.ts'
import { db } from '../db/client.ts'
import { idOrNameCondition, type NamedObjects } from '../db/id-or-name.ts'
import { products } from '../db/schema/products.ts'
import { anyOf, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { fold } from '../lib/text.ts'

/** A product as what belongs to it needs to know it. */
export type Place = {
  readonly id: number
  readonly name: string
  /** Whether the caller may search it or file bugs in it. */
  readonly isAccessible: boolean
  /** Whether the caller may change its components, versions and milestones. */
  readonly isStructurable: boolean
  /** Null: the installation's. */
  readonly defaultType: string | null
  readonly revision: number
}

const PRODUCTS: NamedObjects = { id: products.id, name: products.nameFold, digits: 'id' }

/** The product of that name. */
export function isNamed(name: string): SQL {
  return sql`products.name_fold = ${fold(name.trim())}`
}

/** The product that a path names by its ID or, when that has anything but digits, by its name. */
export function productCondition(idOrName: string): SQL {
  return idOrNameCondition(PRODUCTS, idOrName)
}

/** Reads a product with what the caller may do there; `condition` is one on the table `products`. */
export function readPlace(caller: Caller, condition: SQL) {
  const isAccessible = anyOf([
    selectableProductCondition(caller),
    enterableProductCondition(caller),
  ])
  return db
    .select({
      id: products.id,
      name: products.name,
      isAccessible: sql<boolean>`${isAccessible}`.mapWith(Boolean).as('is_accessible'),
      isStructurable: sql<boolean>`${configurableProductCondition(caller)}`
        .mapWith(Boolean)
        .as('is_structurable'),
      defaultType: sql<string | null>`(SELECT v.name FROM field_values v
        WHERE v.id = products.default_type_id)`.as('default_type'),
      revision: products.revision,
    })
    .from(products)
    .where(condition)
}

/** The product that was read, or the fault 106 when there is none or the caller may not know of it. */
export function accessiblePlace(found: readonly Place[], asked: string): Place {
  const [place] = found
  if (place?.isAccessible !== true) {
    throw fault('productDenied', { product: asked })
  }
  return place
}

/**
 * The same for who is about to change what belongs to it: fault 304, before anything is told of the
 * product, for those who may not. `action` completes "authorized to …".
 */
export function structurablePlace(
  caller: Caller,
  found: readonly Place[],
  asked: string,
  action: string,
): Place {
  if (!hasRole(caller, 'editcomponents') && found[0]?.isStructurable !== true) {
    throw fault('notAuthorized', { action })
  }
  return accessiblePlace(found, asked)
}
