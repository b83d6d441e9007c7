import { eq, type SQL } from 'drizzle-orm'
import type { BugSet } from '../../access/bug-set.ts'
import type { Caller } from '../../access/caller.ts'
import { enterableProductCondition, selectableProductCondition } from '../../access/visibility.ts'
import { db } from '../../db/client.ts'
import { components } from '../../db/schema/components.ts'
import { milestones, products, versions } from '../../db/schema/products.ts'
import { sql } from '../../db/sql.ts'
import { fold } from '../../lib/text.ts'
import { controlsOf } from '../model/field-values.ts'

/** What an update says of the place of its bugs. Undefined: nothing. */
export type AskedPlace = {
  readonly product?: string | null
  readonly component?: string | null
  readonly version?: string | null
  readonly target_milestone?: string | null
  readonly groups?: object
}

/**
 * What deciding on the place of bugs needs: the product that is asked for; of it, or of the products the
 * bugs are in, what is asked for by name; and of a new product also what bears the names that the bugs
 * bring along, what it gives by default, and its group controls.
 */
export function readingsOfPlace(caller: Caller, set: BugSet, asked: AskedPlace) {
  const moves = Boolean(asked.product?.trim())
  const scope = {
    set,
    moves,
    home: moves
      ? sql`(${productCalled(asked.product)})`
      : sql`(SELECT bugs.product_id FROM bugs WHERE ${set.condition})`,
  }
  const isAsked = (given: string | null | undefined) => moves || given?.trim()
  return {
    destinations: moves ? productNamed(caller, asked.product) : undefined,
    components: isAsked(asked.component) ? componentsIn(scope, asked.component) : undefined,
    versions: isAsked(asked.version)
      ? partsIn(versions, 'versions', 'version_id', scope, asked.version)
      : undefined,
    milestones: isAsked(asked.target_milestone)
      ? partsIn(milestones, 'milestones', 'milestone_id', scope, asked.target_milestone)
      : undefined,
    groupControls: moves || asked.groups !== undefined ? controlsOf(scope.home) : undefined,
  }
}

type Scope = { readonly set: BugSet; readonly moves: boolean; readonly home: SQL }

/** A select of the ID of the product that is asked for. */
export function productCalled(given: AskedPlace['product']): SQL {
  return sql`SELECT p.id FROM products p WHERE p.name_fold = ${foldOf(given)}`
}

function foldOf(given: AskedPlace['product']): string {
  return fold((given ?? '').trim())
}

function productNamed(caller: Caller, given: AskedPlace['product']) {
  return db
    .select({
      id: products.id,
      name: products.name,
      nameFold: products.nameFold,
      isActive: products.isActive,
      hasUnconfirmed: products.hasUnconfirmed,
      isEnterable: sql<boolean>`${enterableProductCondition(caller)}`
        .mapWith(Boolean)
        .as('is_enterable'),
      isSelectable: sql<boolean>`${selectableProductCondition(caller)}`
        .mapWith(Boolean)
        .as('is_selectable'),
      revision: products.revision,
    })
    .from(products)
    .where(eq(products.nameFold, foldOf(given)))
}

function componentsIn(scope: Scope, given?: string | null) {
  return db
    .select({
      id: components.id,
      productId: components.productId,
      name: components.name,
      nameFold: components.nameFold,
      isActive: components.isActive,
      revision: components.revision,
      people: defaultPeople('components').as('people'),
      /** JSON: the people who are on the CC list of each of its bugs. */
      cc: sql<string>`(SELECT json_group_array(c.user_id) FROM component_cc c
        WHERE c.component_id = components.id)`.as('default_cc'),
    })
    .from(components)
    .where(sql`components.id IN (${partsCalled('components', 'component_id', scope, given)})`)
}

function partsIn<Table extends typeof versions | typeof milestones>(
  table: Table,
  name: string,
  column: string,
  scope: Scope,
  given?: string | null,
) {
  const byName = partsCalled(name, column, scope, given)
  const byDefault = sql`SELECT d.id FROM ${sql.raw(name)} d
    WHERE d.product_id IN ${scope.home} AND d.is_default = 1`
  return db
    .select({
      id: table.id,
      productId: table.productId,
      name: table.name,
      nameFold: table.nameFold,
      isActive: table.isActive,
      isDefault: table.isDefault,
      revision: table.revision,
    })
    .from(table as typeof versions)
    .where(sql`${table.id} IN (${scope.moves ? sql`${byName} UNION ${byDefault}` : byName})`)
}

/** The IDs of what has the given name, and for bugs that move also of what is called as theirs is. */
function partsCalled(table: string, column: string, scope: Scope, given?: string | null): SQL {
  const asked = sql`SELECT ${fold((given ?? '').trim())}`
  const brought = sql`SELECT held.name_fold FROM bugs
    JOIN ${sql.raw(table)} held ON held.id = bugs.${sql.raw(column)} WHERE ${scope.set.condition}`
  return sql`SELECT part.id FROM ${sql.raw(table)} part WHERE part.product_id IN ${scope.home}
    AND part.name_fold IN (${scope.moves ? sql`${asked} UNION ${brought}` : asked})`
}

/** JSON: default assignee and QA contact of a component, each with ID and login; nulls for nobody. */
export function defaultPeople(component: string): SQL<string> {
  const c = sql.raw(component)
  const login = (id: SQL) => sql`(SELECT u.login FROM users u WHERE u.id = ${id})`
  return sql<string>`json_array(${c}.default_assignee_id, ${login(sql`${c}.default_assignee_id`)},
    ${c}.default_qa_contact_id, ${login(sql`${c}.default_qa_contact_id`)})`
}
