import * as z from 'zod'
import type { Caller } from '../access/caller.ts'
import { db } from '../db/client.ts'
import { classifications, GROUP_CONTROL } from '../db/schema/products.ts'
import { jsonList, sql } from '../db/sql.ts'
import { createTypeFinder } from '../flags/scopes.ts'
import { sortInNaturalOrder } from '../lib/natural-order.ts'
import { Selection } from '../lib/selection.ts'
import { fold } from '../lib/text.ts'
import { productIn } from '../products/reachable.ts'
import { type ProductRows, readingsFor } from '../products/rows.ts'
import { wantedBy } from '../products/shapes.ts'

const part = z.strictObject({ id: z.int(), name: z.string(), is_active: z.boolean() })

export const classificationMap = z.record(
  z.string(),
  z.strictObject({ id: z.int(), description: z.string(), products: z.array(z.string()) }),
)

export const productMap = z.record(
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
        /** IDs of active flag types; missing when flag types are not asked for. */
        flag_type: z.array(z.int()).optional(),
      }),
    ),
    version: z.array(z.string()),
    version_detail: z.array(part),
    default_target_milestone: z.string(),
    target_milestone: z.array(z.string()),
    target_milestone_detail: z.array(part.extend({ sort_key: z.int(), sortkey: z.int() })),
    /** IDs of groups that bugs here may be in, of which the caller is a member. */
    group: z.array(z.int()),
  }),
)

export const groupMap = z.record(
  z.string(),
  z.strictObject({
    name: z.string(),
    description: z.string(),
    is_accepting_bugs: z.boolean(),
    is_active: z.boolean(),
  }),
)

export const flagTypeMap = z.record(
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

type ClassificationRow = Awaited<ReturnType<typeof readClassifications>>[number]
type GroupRow = Awaited<ReturnType<typeof readGroups>>[number]

export type PlaceRows = ProductRows & {
  readonly classes?: readonly ClassificationRow[]
  readonly groups?: readonly GroupRow[]
}

/** What the configuration shows of products. */
const SHOWN = [
  ['id', 'name', 'description', 'is_active', 'has_unconfirmed', 'classification'],
  ['default_milestone', 'versions', 'milestones'],
  ['components.id', 'components.name', 'components.description', 'components.is_active'],
].flat()

/**
 * The reads that tell of the products that the caller may search or file in, or of those among them with
 * these names; to be sent `together`.
 */
export function placeReadings(
  caller: Caller,
  names: readonly string[] | undefined,
  showFlags: boolean,
) {
  const folded = names === undefined || names.length === 0 ? null : names.map(foldName)
  const fields = showFlags ? [...SHOWN, 'components.flag_types'] : SHOWN
  const wanted = wantedBy(new Selection({ include_fields: fields }))
  const named = folded === null ? null : { ids: [], names: folded }
  const among = sql`${productIn(['accessible'], caller)} AND ${
    folded === null ? sql`1` : sql`products.name_fold IN ${jsonList(folded)}`
  }`
  return {
    ...readingsFor(caller, ['accessible'], named, wanted),
    classes: readClassifications(among),
    groups: caller.kind === 'person' ? readGroups(among, caller.id) : undefined,
  }
}

/** The products by their names, each with everything in it. */
export function mapProducts(rows: PlaceRows, showFlags: boolean): z.output<typeof productMap> {
  const [componentsOf, versionsOf, milestonesOf] = [
    Map.groupBy(rows.components ?? [], (row) => row.productId),
    Map.groupBy(rows.versions ?? [], (row) => row.productId),
    Map.groupBy(rows.milestones ?? [], (row) => row.productId),
  ]
  const groupsOf = Map.groupBy(rows.groups ?? [], (row) => row.productId)
  const typesFor = createTypeFinder(activeTypes(rows), rows.flagTypeScopes ?? [])
  return byName(rows.products, (row) => {
    const versions = sortInNaturalOrder(versionsOf.get(row.id) ?? [])
    const milestones = milestonesOf.get(row.id) ?? []
    return {
      id: row.id,
      description: row.description,
      is_active: row.isActive,
      is_permitting_unconfirmed: row.hasUnconfirmed,
      classification: row.classification ?? '',
      component: byName(componentsOf.get(row.id) ?? [], (component) => ({
        id: component.id,
        description: component.description,
        is_active: component.isActive,
        ...(showFlags ? { flag_type: typesFor(component).map(({ id }) => id) } : {}),
      })),
      version: versions.map(({ name }) => name),
      version_detail: versions.map(detail),
      default_target_milestone: row.defaultMilestone ?? '',
      target_milestone: milestones.map(({ name }) => name),
      target_milestone_detail: milestones.map((milestone) => ({
        ...detail(milestone),
        sort_key: milestone.sortKey,
        sortkey: milestone.sortKey,
      })),
      group: (groupsOf.get(row.id) ?? []).map(({ id }) => id),
    }
  })
}

/** The classifications of those products by their names. */
export function mapClassifications(rows: PlaceRows): z.output<typeof classificationMap> {
  const productsOf = Map.groupBy(rows.products, (row) => row.classification)
  return byName(rows.classes ?? [], ({ id, name, description }) => ({
    id,
    description,
    products: (productsOf.get(name) ?? []).map((product) => product.name),
  }))
}

/** The groups that bugs of those products may be in, by ID. */
export function mapGroups(rows: PlaceRows): z.output<typeof groupMap> {
  return byId(rows.groups ?? [], ({ name, description }) => ({
    name,
    description,
    is_accepting_bugs: true,
    is_active: true,
  }))
}

/** The flag types that some component of those products uses, by ID. */
export function mapFlagTypes(rows: PlaceRows): z.output<typeof flagTypeMap> {
  const typesFor = createTypeFinder(activeTypes(rows), rows.flagTypeScopes ?? [])
  const used = new Set((rows.components ?? []).flatMap(typesFor))
  return byId([...used], (type) => ({
    name: type.name,
    description: type.description,
    is_for_bugs: type.target === 'bug',
    is_requestable: type.isRequestable,
    is_specifically_requestable: type.isRequesteeble,
    is_multiplicable: type.isMultiplicable,
  }))
}

function readClassifications(among: ReturnType<typeof sql>) {
  return db
    .select({
      id: classifications.id,
      name: classifications.name,
      description: classifications.description,
    })
    .from(classifications)
    .where(
      sql`classifications.id IN (SELECT products.classification_id FROM products WHERE ${among})`,
    )
    .orderBy(classifications.sortKey, classifications.nameFold)
}

/** 0 stands for NA in the columns of group controls: bugs cannot be in such a group. */
function readGroups(among: ReturnType<typeof sql>, personId: number) {
  return db
    .select({
      productId: sql<number>`c.product_id`.as('product_id'),
      id: sql<number>`g.id`.as('group_id'),
      name: sql<string>`g.name`.as('group_name'),
      description: sql<string>`g.description`.as('group_description'),
    })
    .from(sql`memberships m
      JOIN access_groups g ON g.id = m.group_id AND g.is_active = 1 AND g.is_bug_group = 1
      JOIN group_controls c ON c.group_id = g.id
        AND (c.membercontrol <> ${GROUP_CONTROL.NA} OR c.othercontrol <> ${GROUP_CONTROL.NA})`)
    .where(
      sql`m.user_id = ${personId}
        AND c.product_id IN (SELECT products.id FROM products WHERE ${among})`,
    )
    .orderBy(sql`g.name_fold`)
}

function activeTypes(rows: PlaceRows) {
  return (rows.flagTypes ?? []).filter((type) => type.isActive)
}

function detail({ id, name, isActive }: { id: number; name: string; isActive: boolean }) {
  return { id, name, is_active: isActive }
}

function foldName(name: string): string {
  return fold(name.trim())
}

function byName<Row extends { readonly name: string }, Shown>(
  rows: readonly Row[],
  present: (row: Row) => Shown,
): Record<string, Shown> {
  return Object.fromEntries(rows.map((row) => [row.name, present(row)]))
}

function byId<Row extends { readonly id: number }, Shown>(
  rows: readonly Row[],
  present: (row: Row) => Shown,
): Record<string, Shown> {
  return Object.fromEntries(rows.map((row) => [String(row.id), present(row)]))
}
