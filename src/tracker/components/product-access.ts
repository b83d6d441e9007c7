import type { SQL } from 'drizzle-orm'
import type { BugSet } from '../../platform/access/bug-set.ts'
import { type Caller, hasRole } from '../../platform/access/caller.ts'
import { notAuthorized, productDenied, productEditDenied } from '../../platform/access/faults.ts'
import {
  accessibleProductCondition,
  configurableProductCondition,
  editableProductCondition,
} from '../../platform/access/visibility.ts'
import { idOrNameCondition, type NamedObjects } from '../../platform/db/id-or-name.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { fieldValues } from '../../platform/db/schema/fields.ts'
import { products } from '../../platform/db/schema/products.ts'
import { aliasColumns, db, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { fold } from '../../platform/lib/text.ts'

const v = aliasColumns(fieldValues, 'v')
const p = aliasColumns(products, 'p')

/** A product and what the caller may do there. */
export type ProductAccess = {
  readonly id: number
  readonly name: string
  /** Whether the caller may search it or file bugs in it. */
  readonly isAccessible: boolean
  /** Whether the caller may change its components, versions and milestones. */
  readonly isConfigurable: boolean
  /** Null means that of the site. */
  readonly defaultType: string | null
  readonly revision: number
}

const PRODUCTS: NamedObjects = { id: products.id, name: products.nameFold, digits: 'id' }

/** Whether a row of `products` has that name, in either case. */
export function productNameCondition(name: string): SQL {
  return sql`${products.nameFold} = ${fold(name.trim())}`
}

/** Whether a row of `products` is the one of a path: digits are its ID, anything else its name. */
export function productCondition(idOrName: string): SQL {
  return idOrNameCondition(PRODUCTS, idOrName)
}

/** Selects a product with what the caller may do there; `condition` is about the table `products`. */
export function selectProductAccess(caller: Caller, condition: SQL) {
  const isAccessible = accessibleProductCondition(caller)
  return db
    .select({
      id: products.id,
      name: products.name,
      isAccessible: sql<boolean>`${isAccessible}`.mapWith(Boolean).as('is_accessible'),
      isConfigurable: sql<boolean>`${configurableProductCondition(caller)}`
        .mapWith(Boolean)
        .as('is_configurable'),
      defaultType: sql<string | null>`(SELECT ${v.name} FROM field_values v
        WHERE ${v.id} = ${products.defaultTypeId})`.as('default_type'),
      revision: products.revision,
    })
    .from(products)
    .where(condition)
}

/** Refuses a hidden product as a missing one. */
export function requireAccessibleProduct(
  rows: readonly ProductAccess[],
  name: string,
): ProductAccess {
  const [product] = rows
  if (product?.isAccessible !== true) {
    throw fault(productDenied, { product: name })
  }
  return product
}

/**
 * For a change of components, versions or milestones. A missing right is refused first, so that it reveals
 * nothing of the product. `action` completes "authorized to …".
 */
export function requireConfigurableProduct(
  caller: Caller,
  rows: readonly ProductAccess[],
  name: string,
  action: string,
): ProductAccess {
  assertMayConfigure(caller, rows, action)
  return requireAccessibleProduct(rows, name)
}

/** Refuses callers who may not change the components, versions and milestones of the product. */
export function assertMayConfigure(
  caller: Caller,
  rows: readonly Pick<ProductAccess, 'isConfigurable'>[],
  action: string,
): void {
  if (!hasRole(caller, 'editcomponents') && rows[0]?.isConfigurable !== true) {
    throw fault(notAuthorized, { action })
  }
}

/** Selects the products of those of the bugs that the caller may not change. */
export function selectUneditable(caller: Caller, { condition }: BugSet) {
  return db
    .select({
      product: sql<string>`(SELECT ${p.name} FROM products p WHERE ${p.id} = ${bugs.productId})`.as(
        'product',
      ),
    })
    .from(bugs)
    .where(sql`${condition} AND NOT EXISTS (SELECT 1 FROM products
      WHERE ${products.id} = ${bugs.productId} AND ${editableProductCondition(caller)})`)
}

export function assertEditable([first]: readonly { readonly product: string }[]): void {
  if (first !== undefined) {
    throw fault(productEditDenied, first)
  }
}
