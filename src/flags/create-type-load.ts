import type { SQL } from 'drizzle-orm'
import type { Person } from '../access/caller.ts'
import {
  configurableProductCondition,
  enterableProductCondition,
  selectableProductCondition,
} from '../access/visibility.ts'
import { db } from '../db/client.ts'
import { components } from '../db/schema/components.ts'
import { flagTypeScopes, flagTypes } from '../db/schema/flags.ts'
import { groups } from '../db/schema/groups.ts'
import { products } from '../db/schema/products.ts'
import { anyOf, jsonList, sql } from '../db/sql.ts'
import { fold } from '../lib/text.ts'
import type { NamedScope, TypeValues } from './create-type-values.ts'

type Readings = ReturnType<typeof readNamed>
export type NamedRows = { readonly [Part in keyof Readings]: Awaited<Readings[Part]> }
export type TypeRow = Awaited<ReturnType<typeof readTypes>>[number]
export type ScopeRow = Awaited<ReturnType<typeof readScopes>>[number]

/** Reads what values of a flag type name, and whether the caller may change the structure of any product. */
export function readNamed(caller: Person, given: Partial<TypeValues>) {
  const scopes: NamedScope[] = [...(given.inclusions ?? []), ...(given.exclusions ?? [])]
  const productFolds = jsonList(scopes.map(({ product }) => fold(product.trim())))
  const componentFolds = jsonList(scopes.map(({ component }) => fold((component ?? '').trim())))
  const groupFolds = [given.grant_group, given.request_group].map((name) =>
    fold((name ?? '').trim()),
  )
  return {
    products: db
      .select({
        id: products.id,
        name: products.name,
        nameFold: products.nameFold,
        isAccessible: sql<boolean>`${isAccessible(caller)}`.mapWith(Boolean).as('is_accessible'),
        isStructurable: isStructurable(caller),
      })
      .from(products)
      .where(sql`products.name_fold IN ${productFolds}`),
    components: db
      .select({
        id: components.id,
        productId: components.productId,
        name: components.name,
        nameFold: components.nameFold,
      })
      .from(components)
      .where(sql`components.product_id IN (
          SELECT p.id FROM products p WHERE p.name_fold IN ${productFolds})
        AND components.name_fold IN ${componentFolds}`),
    groups: db
      .select({ id: groups.id, nameFold: groups.nameFold })
      .from(groups)
      .where(sql`access_groups.name_fold IN ${jsonList(groupFolds)}`),
    rights: db
      .select({ productId: sql<number>`c.product_id`.as('product_id') })
      .from(sql`group_controls c`)
      .where(sql`c.editcomponents = 1 AND c.group_id IN ${jsonList([...caller.groups])}`)
      .limit(1),
  }
}

/** Reads flag types; `condition` is one on the table `flag_types`. */
export function readTypes(condition: SQL) {
  return db.select().from(flagTypes).where(condition).orderBy(flagTypes.id)
}

/** Reads the scopes of types with what the caller may know and do of their products. */
export function readScopes(caller: Person, typeIds: SQL) {
  return db
    .select({
      flagTypeId: flagTypeScopes.flagTypeId,
      isExclusion: flagTypeScopes.isExclusion,
      productId: flagTypeScopes.productId,
      componentId: flagTypeScopes.componentId,
      /** Null for every product; that a product exists is told to those who may know. */
      product: sql<string | null>`CASE WHEN products.id IS NULL THEN NULL
        WHEN ${isAccessible(caller)} THEN products.name ELSE 'another product' END`.as('product'),
      component: sql<string | null>`CASE WHEN ${isAccessible(caller)}
        THEN (SELECT k.name FROM components k WHERE k.id = flag_type_scopes.component_id) END`.as(
        'component',
      ),
      isStructurable: isStructurable(caller),
    })
    .from(flagTypeScopes)
    .leftJoin(products, sql`products.id = flag_type_scopes.product_id`)
    .where(sql`flag_type_scopes.flag_type_id IN (${typeIds})`)
    .orderBy(flagTypeScopes.id)
}

function isAccessible(caller: Person): SQL {
  return anyOf([selectableProductCondition(caller), enterableProductCondition(caller)])
}

function isStructurable(caller: Person) {
  return sql<boolean>`(products.id IS NOT NULL AND ${configurableProductCondition(caller)})`
    .mapWith(Boolean)
    .as('is_structurable')
}
