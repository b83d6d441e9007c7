import type { SQL } from 'drizzle-orm'
import type { Person } from '../../../platform/access/caller.ts'
import {
  accessibleProductCondition,
  configurableProductCondition,
} from '../../../platform/access/visibility.ts'
import { flagTypeScopes, flagTypes } from '../../../platform/db/schema/flags.ts'
import { groups } from '../../../platform/db/schema/groups.ts'
import { components, products } from '../../../platform/db/schema/products.ts'
import { aliasColumns, db, jsonList, sql } from '../../../platform/db/sql.ts'
import { pick } from '../../../platform/lib/pick.ts'
import { fold } from '../../../platform/lib/text.ts'
import type { ScopeRef, TypeValues } from './create-values.ts'

const p = aliasColumns(products, 'p')
const k = aliasColumns(components, 'k')

type ReferenceSelects = ReturnType<typeof selectTypeReferences>
export type TypeReferences = {
  readonly [Part in keyof ReferenceSelects]: Awaited<ReferenceSelects[Part]>
}
export type TypeRow = Awaited<ReturnType<typeof selectFlagTypes>>[number]
export type ScopeRow = Awaited<ReturnType<typeof selectTypeScopes>>[number]

/**
 * Selects the products, components and groups that a flag type refers to. `rights` has a row when a group
 * gives the caller the right to change the components of any product.
 */
export function selectTypeReferences(caller: Person, input: Partial<TypeValues>) {
  const scopes: ScopeRef[] = [...(input.inclusions ?? []), ...(input.exclusions ?? [])]
  const productFolds = jsonList(scopes.map(({ product }) => fold(product.trim())))
  const componentFolds = jsonList(scopes.map(({ component }) => fold((component ?? '').trim())))
  const groupFolds = [input.grant_group, input.request_group].map((name) =>
    fold((name ?? '').trim()),
  )
  return {
    products: db
      .select({
        ...pick(products, 'id', 'name', 'nameFold'),
        isAccessible: sql<boolean>`${accessibleProductCondition(caller)}`
          .mapWith(Boolean)
          .as('is_accessible'),
        isConfigurable: configurableProductColumn(caller),
      })
      .from(products)
      .where(sql`${products.nameFold} IN ${productFolds}`),
    components: db
      .select(pick(components, 'id', 'productId', 'name', 'nameFold'))
      .from(components)
      .where(sql`${components.productId} IN (
          SELECT ${p.id} FROM products p WHERE ${p.nameFold} IN ${productFolds})
        AND ${components.nameFold} IN ${componentFolds}`),
    groups: db
      .select({ id: groups.id, nameFold: groups.nameFold })
      .from(groups)
      .where(sql`${groups.nameFold} IN ${jsonList(groupFolds)}`),
    rights: selectTypeRights(caller),
  }
}

/** Selects a product whose components the caller may change. */
export function selectTypeRights(caller: Person) {
  return db
    .select({ productId: products.id })
    .from(products)
    .where(configurableProductCondition(caller))
    .limit(1)
}

/** Selects flag types; `condition` is about the table `flag_types`. */
export function selectFlagTypes(condition: SQL) {
  return db.select().from(flagTypes).where(condition).orderBy(flagTypes.id)
}

/** Selects the scopes of types, and for each whether the caller may change its product. */
export function selectTypeScopes(caller: Person, typeIds: SQL) {
  return db
    .select({
      ...pick(flagTypeScopes, 'flagTypeId', 'isExclusion', 'productId', 'componentId'),
      /** Null for every product; the names of inaccessible products are hidden. */
      product: sql<string | null>`CASE WHEN ${products.id} IS NULL THEN NULL
        WHEN ${accessibleProductCondition(caller)} THEN ${products.name} ELSE 'another product' END`.as(
        'product',
      ),
      component: sql<string | null>`CASE WHEN ${accessibleProductCondition(caller)}
        THEN (SELECT ${k.name} FROM components k WHERE ${k.id} = ${flagTypeScopes.componentId}) END`.as(
        'component',
      ),
      isConfigurable: configurableProductColumn(caller),
    })
    .from(flagTypeScopes)
    .leftJoin(products, sql`${products.id} = ${flagTypeScopes.productId}`)
    .where(sql`${flagTypeScopes.flagTypeId} IN (${typeIds})`)
    .orderBy(flagTypeScopes.id)
}

function configurableProductColumn(caller: Person) {
  return sql<boolean>`(${products.id} IS NOT NULL AND ${configurableProductCondition(caller)})`
    .mapWith(Boolean)
    .as('is_structurable')
}
