import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import type { Caller } from '../../platform/access/caller.ts'
import { groups, memberships } from '../../platform/db/schema/groups.ts'
import {
  classifications,
  GROUP_CONTROL,
  groupControls,
  products,
} from '../../platform/db/schema/products.ts'
import { aliasColumns, db, jsonList, sql } from '../../platform/db/sql.ts'
import { perObject } from '../../platform/lib/isolate.ts'
import { sortInNaturalOrder } from '../../platform/lib/natural-order.ts'
import { pick } from '../../platform/lib/pick.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { foldName } from '../../platform/lib/text.ts'
import { findTypesOfAny, type TypeFinder } from '../../tracker/flags/scopes.ts'
import { productListsCondition } from '../../tracker/products/product-lists.ts'
import { type ProductRows, selectProductsWithParts } from '../../tracker/products/rows.ts'
import { findRequestedFields } from '../../tracker/products/shapes.ts'

const c = aliasColumns(groupControls, 'c')
const g = aliasColumns(groups, 'g')
const m = aliasColumns(memberships, 'm')

const partShape = z.strictObject({ id: z.int(), name: z.string(), is_active: z.boolean() })

export const classificationMapShape = z.record(
  z.string(),
  z.strictObject({ id: z.int(), description: z.string(), products: z.array(z.string()) }),
)

export const productMapShape = z.record(
  z.string(),
  z.strictObject({
    id: z.int(),
    description: z.string(),
    is_active: z.boolean(),
    is_permitting_unconfirmed: z.boolean(),
    classification: z.string(),
    component: z.record(
      z.string(),
      z.strictObject({
        id: z.int(),
        description: z.string(),
        is_active: z.boolean(),
        /** IDs of active flag types; missing when flag types are not requested. */
        flag_type: z.array(z.int()).optional(),
      }),
    ),
    version: z.array(z.string()),
    version_detail: z.array(partShape),
    default_target_milestone: z.string(),
    target_milestone: z.array(z.string()),
    target_milestone_detail: z.array(partShape.extend({ sort_key: z.int(), sortkey: z.int() })),
    /** IDs of the caller's groups that bugs of the product may be in. */
    group: z.array(z.int()),
  }),
)

export const groupMapShape = z.record(
  z.string(),
  z.strictObject({
    name: z.string(),
    description: z.string(),
    is_accepting_bugs: z.boolean(),
    is_active: z.boolean(),
  }),
)

export const flagTypeMapShape = z.record(
  z.string(),
  z.strictObject({
    name: z.string(),
    description: z.string(),
    is_for_bugs: z.boolean(),
    is_requestable: z.boolean(),
    is_specifically_requestable: z.boolean(),
    is_multiplicable: z.boolean(),
  }),
)

type ClassificationRow = Awaited<ReturnType<typeof selectClassifications>>[number]
type GroupRow = Awaited<ReturnType<typeof selectMemberGroups>>[number]

export type ProductConfigurationRows = ProductRows & {
  readonly classifications?: readonly ClassificationRow[]
  readonly groups?: readonly GroupRow[]
}

/** The members of products that the configuration needs. */
const PRODUCT_FIELDS = [
  ['id', 'name', 'description', 'is_active', 'has_unconfirmed', 'classification'],
  ['default_milestone', 'versions', 'milestones'],
  ['components.id', 'components.name', 'components.description', 'components.is_active'],
].flat()

/**
 * Selects the products that the caller may search or file in, or those of them with these names, for one
 * `readBatch`.
 */
export function selectProductConfiguration(
  caller: Caller,
  names: readonly string[] | undefined,
  showFlags: boolean,
) {
  const foldedNames = names === undefined || names.length === 0 ? null : names.map(foldName)
  const fields = showFlags ? [...PRODUCT_FIELDS, 'components.flag_types'] : PRODUCT_FIELDS
  const productParts = findRequestedFields(new Selection({ include_fields: fields }))
  const refs = foldedNames === null ? null : { ids: [], names: foldedNames }
  const condition = sql`${productListsCondition(['accessible'], caller)} AND ${
    foldedNames === null ? sql`1` : sql`${products.nameFold} IN ${jsonList(foldedNames)}`
  }`
  return {
    ...selectProductsWithParts(caller, ['accessible'], refs, productParts),
    classifications: selectClassifications(condition),
    groups: caller.kind === 'person' ? selectMemberGroups(condition, caller.id) : undefined,
  }
}

/** The active types, which alone are shown, and where they apply. */
export function findActiveTypes({ flagTypes = [], flagTypeScopes = [] }: ProductConfigurationRows) {
  return [flagTypes.filter((type) => type.isActive), flagTypeScopes] as const
}

/** `findTypes` is null where flag types are left out. */
export function mapProducts(
  rows: ProductConfigurationRows,
  findTypes: TypeFinder<{ readonly id: number }> | null,
): z.output<typeof productMapShape> {
  const [componentsOf, versionsOf, milestonesOf] = [
    Map.groupBy(rows.components ?? [], (row) => row.productId),
    Map.groupBy(rows.versions ?? [], (row) => row.productId),
    Map.groupBy(rows.milestones ?? [], (row) => row.productId),
  ]
  const groupsOf = Map.groupBy(rows.groups ?? [], (row) => row.productId)
  const idsOf = perObject((types: readonly { readonly id: number }[]) => types.map(({ id }) => id))
  return mapByName(rows.products, (row) => {
    const versions = sortInNaturalOrder(versionsOf.get(row.id) ?? [])
    const milestones = milestonesOf.get(row.id) ?? []
    return {
      id: row.id,
      description: row.description,
      is_active: row.isActive,
      is_permitting_unconfirmed: row.hasUnconfirmed,
      classification: row.classification ?? '',
      component: mapByName(componentsOf.get(row.id) ?? [], (component) => ({
        id: component.id,
        description: component.description,
        is_active: component.isActive,
        ...(findTypes === null ? {} : { flag_type: idsOf(findTypes(component)) }),
      })),
      version: versions.map(({ name }) => name),
      version_detail: versions.map(presentPartDetail),
      default_target_milestone: row.defaultMilestone ?? '',
      target_milestone: milestones.map(({ name }) => name),
      target_milestone_detail: milestones.map((milestone) => ({
        ...presentPartDetail(milestone),
        sort_key: milestone.sortKey,
        sortkey: milestone.sortKey,
      })),
      group: (groupsOf.get(row.id) ?? []).map(({ id }) => id),
    }
  })
}

export function mapClassifications(
  rows: ProductConfigurationRows,
): z.output<typeof classificationMapShape> {
  const productsOf = Map.groupBy(rows.products, (row) => row.classification)
  return mapByName(rows.classifications ?? [], ({ id, name, description }) => ({
    id,
    description,
    products: (productsOf.get(name) ?? []).map((product) => product.name),
  }))
}

export function mapGroups(rows: ProductConfigurationRows): z.output<typeof groupMapShape> {
  return mapById(rows.groups ?? [], ({ name, description }) => ({
    name,
    description,
    is_accepting_bugs: true,
    is_active: true,
  }))
}

export function mapFlagTypes(rows: ProductConfigurationRows): z.output<typeof flagTypeMapShape> {
  const used = findTypesOfAny(...findActiveTypes(rows), rows.components ?? [])
  return mapById([...used], (type) => ({
    name: type.name,
    description: type.description,
    is_for_bugs: type.target === 'bug',
    is_requestable: type.isRequestable,
    is_specifically_requestable: type.isRequesteeble,
    is_multiplicable: type.isMultiplicable,
  }))
}

function selectClassifications(condition: SQL) {
  return db
    .select(pick(classifications, 'id', 'name', 'description'))
    .from(classifications)
    .where(
      sql`${classifications.id} IN (SELECT ${products.classificationId} FROM products WHERE ${condition})`,
    )
    .orderBy(classifications.sortKey, classifications.nameFold)
}

/**
 * Leaves out groups with the control NA for members and others, because no bug can be in them. The sign keeps SQLite
 * from looking up each group in each product, which takes seconds where somebody is in thousands of groups.
 */
function selectMemberGroups(condition: SQL, personId: number) {
  return db
    .select({
      productId: sql<number>`${c.productId}`.as('product_id'),
      id: sql<number>`${g.id}`.as('group_id'),
      name: sql<string>`${g.name}`.as('group_name'),
      description: sql<string>`${g.description}`.as('group_description'),
    })
    .from(sql`memberships m
      JOIN access_groups g ON ${g.id} = ${m.groupId} AND ${g.isActive} = 1 AND ${g.isBugGroup} = 1
      JOIN group_controls c ON ${c.groupId} = ${g.id}
        AND (${c.memberControl} <> ${GROUP_CONTROL.NA} OR ${c.otherControl} <> ${GROUP_CONTROL.NA})`)
    .where(
      sql`${m.userId} = ${personId}
        AND +${c.productId} IN (SELECT ${products.id} FROM products WHERE ${condition})`,
    )
    .orderBy(sql`${g.nameFold}`)
}

function presentPartDetail({
  id,
  name,
  isActive,
}: {
  id: number
  name: string
  isActive: boolean
}) {
  return { id, name, is_active: isActive }
}

function mapByName<Row extends { readonly name: string }, Shown>(
  rows: readonly Row[],
  present: (row: Row) => Shown,
): Record<string, Shown> {
  return Object.fromEntries(rows.map((row) => [row.name, present(row)]))
}

function mapById<Row extends { readonly id: number }, Shown>(
  rows: readonly Row[],
  present: (row: Row) => Shown,
): Record<string, Shown> {
  return Object.fromEntries(rows.map((row) => [String(row.id), present(row)]))
}
