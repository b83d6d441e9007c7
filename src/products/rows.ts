import type { SQL } from 'drizzle-orm'
import type { Caller } from '../access/caller.ts'
import { db } from '../db/client.ts'
import { components } from '../db/schema/components.ts'
import { flagTypeScopes, flagTypes } from '../db/schema/flags.ts'
import { milestones, products, versions } from '../db/schema/products.ts'
import { jsonList, sql } from '../db/sql.ts'
import { scopesOfProductsCondition } from '../flags/scopes.ts'
import type { IdsAndNames } from '../lib/id-or-name.ts'
import { type ProductList, productIn } from './reachable.ts'
import type { Wanted } from './shapes.ts'

type Readings = ReturnType<typeof productReadings>

/** What was read of the chosen products; parts that nobody wants are missing. */
export type ProductRows = { products: Awaited<Readings['products']> } & {
  [Part in Exclude<keyof Readings, 'products'>]?: Awaited<Readings[Part]>
}

/**
 * The reads that answer a question about products, to be sent `together`: about those named (by folded
 * names; null: all) that are in one of the lists for the caller. Each starts from these and follows an index, so
 * that its cost does not depend on the others; parts that are not wanted are not read.
 */
export function readingsFor(
  caller: Caller,
  lists: readonly ProductList[],
  named: IdsAndNames | null,
  wanted: Wanted,
): Readings {
  const inLists = productIn(lists, caller)
  const chosen = named === null ? inLists : sql`products.id IN (${idsOf(named)}) AND ${inLists}`
  const { components, versions, milestones } = wanted
  const isWanted: Record<keyof Readings, boolean> = {
    products: true,
    components: components !== undefined,
    versions: versions !== undefined,
    milestones: milestones !== undefined,
    flagTypes: components?.flag_types === true,
    flagTypeScopes: components?.flag_types === true,
  }
  const readings = Object.entries(productReadings(chosen, wanted))
  // `ProductRows` says that the parts filtered out here may be missing.
  return Object.fromEntries(
    readings.filter(([part]) => isWanted[part as keyof Readings]),
  ) as Readings
}

function productReadings(chosen: SQL, wanted: Wanted) {
  const among = sql`(SELECT products.id FROM products WHERE ${chosen})`
  return {
    products: readProducts(chosen, wanted),
    components: readComponents(among, wanted),
    versions: db
      .select({
        id: versions.id,
        productId: versions.productId,
        name: versions.name,
        sortKey: versions.sortKey,
        isActive: versions.isActive,
      })
      .from(versions)
      .where(sql`versions.product_id IN ${among}`),
    milestones: db
      .select({
        id: milestones.id,
        productId: milestones.productId,
        name: milestones.name,
        sortKey: milestones.sortKey,
        isActive: milestones.isActive,
      })
      .from(milestones)
      .where(sql`milestones.product_id IN ${among}`)
      .orderBy(milestones.sortKey, milestones.nameFold),
    flagTypes: db
      .select()
      .from(flagTypes)
      .where(sql`flag_types.id IN (SELECT flag_type_scopes.flag_type_id FROM flag_type_scopes
        WHERE ${scopesOfProductsCondition(among)} AND flag_type_scopes.is_exclusion = 0)`)
      .orderBy(flagTypes.sortKey, sql`lower(flag_types.name)`, flagTypes.id),
    flagTypeScopes: db.select().from(flagTypeScopes).where(scopesOfProductsCondition(among)),
  }
}

function readProducts(chosen: SQL, wanted: Wanted) {
  const needsType = wanted.default_bug_type ?? wanted.components?.default_bug_type
  return db
    .select({
      id: products.id,
      name: products.name,
      description: products.description,
      isActive: products.isActive,
      hasUnconfirmed: products.hasUnconfirmed,
      defaultType: when(needsType, typeName(sql`products.default_type_id`)).as('default_type'),
      defaultMilestone: when(
        wanted.default_milestone,
        sql<string>`(SELECT milestones.name FROM milestones
          WHERE milestones.product_id = products.id AND milestones.is_default = 1)`,
      ).as('default_milestone'),
      defaultVersion: when(
        wanted.default_version,
        sql<string>`(SELECT versions.name FROM versions
          WHERE versions.product_id = products.id AND versions.is_default = 1)`,
      ).as('default_version'),
      classification: when(
        wanted.classification,
        sql<string>`(SELECT classifications.name FROM classifications
          WHERE classifications.id = products.classification_id)`,
      ).as('classification'),
    })
    .from(products)
    .where(chosen)
    .orderBy(products.nameFold)
}

function readComponents(among: SQL, { components: wanted }: Wanted) {
  const type = typeName(sql`components.default_type_id`)
  const assignee = loginOf(sql`components.default_assignee_id`)
  const qaContact = loginOf(sql`components.default_qa_contact_id`)
  const triageOwner = loginOf(sql`components.triage_owner_id`)
  return db
    .select({
      id: components.id,
      productId: components.productId,
      name: components.name,
      description: components.description,
      sortKey: components.sortKey,
      isActive: components.isActive,
      teamName: components.teamName,
      defaultType: when(wanted?.default_bug_type, type).as('default_type'),
      assignee: when(wanted?.default_assigned_to, assignee).as('assignee'),
      qaContact: when(wanted?.default_qa_contact, qaContact).as('qa_contact'),
      triageOwner: when(wanted?.triage_owner, triageOwner).as('triage_owner'),
    })
    .from(components)
    .where(sql`components.product_id IN ${among}`)
    .orderBy(components.sortKey, components.nameFold)
}

function idsOf({ ids, names }: IdsAndNames): SQL {
  return sql`SELECT value FROM json_each(${JSON.stringify(ids)})
    UNION SELECT named.id FROM products named WHERE named.name_fold IN ${jsonList(names)}`
}

/** A lookup in another table that costs nothing unless somebody wants its result. */
function when<Value>(isWanted: true | undefined, lookup: SQL<Value>): SQL<Value | null> {
  return isWanted ? lookup : sql<null>`NULL`
}

function typeName(id: SQL): SQL<string | null> {
  return sql`(SELECT field_values.name FROM field_values WHERE field_values.id = ${id})`
}

function loginOf(id: SQL): SQL<string | null> {
  return sql`(SELECT users.login FROM users WHERE users.id = ${id})`
}
