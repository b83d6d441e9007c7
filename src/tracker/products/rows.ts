import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../platform/access/caller.ts'
import { fieldValues } from '../../platform/db/schema/fields.ts'
import {
  classifications,
  components,
  components as componentsTable,
  milestones,
  milestones as milestonesTable,
  products,
  versions,
  versions as versionsTable,
} from '../../platform/db/schema/products.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, db, jsonList, sql } from '../../platform/db/sql.ts'
import type { IdsAndNames } from '../../platform/lib/id-or-name.ts'
import { pick } from '../../platform/lib/pick.ts'
import { LISTED_ROWS } from '../fields/listed-values.ts'
import { selectTypesOfProducts } from '../flags/scopes.ts'
import { type ProductList, productListsCondition } from './product-lists.ts'
import type { RequestedProductFields } from './shapes.ts'

const named = aliasColumns(products, 'named')

type ProductQueries = ReturnType<typeof buildProductQueries>

/** The rows of products; parts that the request does not ask for are missing. */
export type ProductRows = { products: Awaited<ProductQueries['products']> } & {
  [Part in Exclude<keyof ProductQueries, 'products'>]?: Awaited<ProductQueries[Part]>
}

/**
 * Selects products that are in one of the lists for the caller: those of `refs` (names folded), or all when it
 * is null. Only requested parts are selected, `most` of each kind, through an index, so that products outside cost
 * nothing.
 */
export function selectProductsWithParts(
  caller: Caller,
  lists: readonly ProductList[],
  refs: IdsAndNames | null,
  requested: RequestedProductFields,
  most = LISTED_ROWS,
): ProductQueries {
  const inLists = productListsCondition(lists, caller)
  const condition =
    refs === null ? inLists : sql`${products.id} IN (${selectIds(refs)}) AND ${inLists}`
  const { components, versions, milestones } = requested
  const isRequested: Record<keyof ProductQueries, boolean> = {
    products: true,
    components: components !== undefined,
    versions: versions !== undefined,
    milestones: milestones !== undefined,
    flagTypes: components?.flag_types === true,
    flagTypeScopes: components?.flag_types === true,
  }
  const queries = Object.entries(buildProductQueries(condition, requested, most))
  // The type is too wide; `ProductRows` declares the parts that are filtered out here as optional.
  return Object.fromEntries(
    queries.filter(([part]) => isRequested[part as keyof ProductQueries]),
  ) as ProductQueries
}

function buildProductQueries(
  condition: SQL,
  requested: RequestedProductFields,
  most: typeof LISTED_ROWS,
) {
  const productIds = sql`(SELECT ${products.id} FROM products WHERE ${condition})`
  return {
    products: selectProducts(condition, requested),
    components: selectComponents(productIds, requested).limit(most),
    versions: db
      .select(pick(versions, 'id', 'productId', 'name', 'sortKey', 'isActive'))
      .from(versions)
      .where(sql`${versionsTable.productId} IN ${productIds}`)
      .limit(most),
    milestones: db
      .select(pick(milestones, 'id', 'productId', 'name', 'sortKey', 'isActive'))
      .from(milestones)
      .where(sql`${milestonesTable.productId} IN ${productIds}`)
      .orderBy(milestones.sortKey, milestones.nameFold)
      .limit(most),
    ...selectTypesOfProducts(productIds),
  }
}

function selectProducts(condition: SQL, requested: RequestedProductFields) {
  const needsType = requested.default_bug_type ?? requested.components?.default_bug_type
  return db
    .select({
      ...pick(products, 'id', 'name', 'description', 'isActive', 'hasUnconfirmed'),
      defaultType: selectIf(needsType, selectTypeName(sql`${products.defaultTypeId}`)).as(
        'default_type',
      ),
      defaultMilestone: selectIf(
        requested.default_milestone,
        sql<string>`(SELECT ${milestonesTable.name} FROM milestones
          WHERE ${milestonesTable.productId} = ${products.id} AND ${milestonesTable.isDefault} = 1)`,
      ).as('default_milestone'),
      defaultVersion: selectIf(
        requested.default_version,
        sql<string>`(SELECT ${versionsTable.name} FROM versions
          WHERE ${versionsTable.productId} = ${products.id} AND ${versionsTable.isDefault} = 1)`,
      ).as('default_version'),
      classification: selectIf(
        requested.classification,
        sql<string>`(SELECT ${classifications.name} FROM classifications
          WHERE ${classifications.id} = ${products.classificationId})`,
      ).as('classification'),
    })
    .from(products)
    .where(condition)
    .orderBy(products.nameFold)
    .limit(LISTED_ROWS)
}

function selectComponents(productIds: SQL, { components: requested }: RequestedProductFields) {
  const type = selectTypeName(sql`${componentsTable.defaultTypeId}`)
  const assignee = selectLogin(sql`${componentsTable.defaultAssigneeId}`)
  const qaContact = selectLogin(sql`${componentsTable.defaultQaContactId}`)
  const triageOwner = selectLogin(sql`${componentsTable.triageOwnerId}`)
  return db
    .select({
      ...pick(components, 'id', 'productId', 'name', 'description'),
      ...pick(components, 'sortKey', 'isActive', 'teamName'),
      defaultType: selectIf(requested?.default_bug_type, type).as('default_type'),
      assignee: selectIf(requested?.default_assigned_to, assignee).as('assignee'),
      qaContact: selectIf(requested?.default_qa_contact, qaContact).as('qa_contact'),
      triageOwner: selectIf(requested?.triage_owner, triageOwner).as('triage_owner'),
    })
    .from(components)
    .where(sql`${componentsTable.productId} IN ${productIds}`)
    .orderBy(components.sortKey, components.nameFold)
}

function selectIds({ ids, names }: IdsAndNames): SQL {
  return sql`SELECT value FROM json_each(${JSON.stringify(ids)})
    UNION SELECT ${named.id} FROM products named WHERE ${named.nameFold} IN ${jsonList(names)}`
}

/** Selects from another table only when the request asks for it. */
function selectIf<Value>(isRequested: true | undefined, subselect: SQL<Value>): SQL<Value | null> {
  return isRequested ? subselect : sql<null>`NULL`
}

function selectTypeName(id: SQL): SQL<string | null> {
  return sql`(SELECT ${fieldValues.name} FROM field_values WHERE ${fieldValues.id} = ${id})`
}

function selectLogin(id: SQL): SQL<string | null> {
  return sql`(SELECT ${users.login} FROM users WHERE ${users.id} = ${id})`
}
