import { eq, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { BugSet } from '../../../platform/access/bug-set.ts'
import type { Caller } from '../../../platform/access/caller.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import {
  componentCc,
  components,
  milestones,
  products,
  versions,
} from '../../../platform/db/schema/products.ts'
import { aliasColumns, columnName, db, sql } from '../../../platform/db/sql.ts'
import { pick } from '../../../platform/lib/pick.ts'
import { fold } from '../../../platform/lib/text.ts'
import { defaultPeople } from '../model/current-bug.ts'
import { obstacleOf } from '../model/obstacle.ts'

const p = aliasColumns(products, 'p')
const c = aliasColumns(componentCc, 'c')

/** The parameters of an update that say where its bugs are to be. */
export type PlaceInput = {
  readonly product?: string | null | undefined
  readonly component?: string | null | undefined
  readonly version?: string | null | undefined
  readonly target_milestone?: string | null | undefined
}

/**
 * Reads the named product and, of it or of the present products, the named parts. For a new product it also
 * reads the parts with the names of the present ones, and the default version and milestone.
 */
export function loadPlaces(caller: Caller, set: BugSet, input: PlaceInput) {
  const moves = namesProduct(input)
  const scope = { set, moves, products: productsOf(set, input) }
  const isNeeded = (given: string | null | undefined) => moves || given?.trim()
  return {
    destinations: moves ? productNamed(caller, input.product) : undefined,
    components: isNeeded(input.component) ? componentsIn(scope, input.component) : undefined,
    versions: isNeeded(input.version)
      ? partsIn(versions, bugs.versionId, scope, input.version)
      : undefined,
    milestones: isNeeded(input.target_milestone)
      ? partsIn(milestones, bugs.milestoneId, scope, input.target_milestone)
      : undefined,
  }
}

/** Whether the input names a product, even the present one. */
export function namesProduct({ product }: Pick<PlaceInput, 'product'>): boolean {
  return Boolean(product?.trim())
}

/** The IDs of the products where the bugs are to be, as a select in brackets. */
export function productsOf(set: BugSet, input: Pick<PlaceInput, 'product'>): SQL {
  return namesProduct(input)
    ? sql`(${productIdNamed(input.product)})`
    : sql`(SELECT ${bugs.productId} FROM bugs WHERE ${set.condition})`
}

/** Where components, versions and milestones are looked up. */
type Scope = { readonly set: BugSet; readonly moves: boolean; readonly products: SQL }

export function productIdNamed(given: PlaceInput['product']): SQL {
  return sql`SELECT ${p.id} FROM products p WHERE ${p.nameFold} = ${foldOf(given)}`
}

function foldOf(given: PlaceInput['product']): string {
  return fold((given ?? '').trim())
}

function productNamed(caller: Caller, given: PlaceInput['product']) {
  return db
    .select({
      ...pick(products, 'id', 'name', 'nameFold', 'hasUnconfirmed'),
      obstacle: obstacleOf(caller).as('obstacle'),
      revision: products.revision,
    })
    .from(products)
    .where(eq(products.nameFold, foldOf(given)))
}

function componentsIn(scope: Scope, given?: string | null) {
  return db
    .select({
      ...pick(components, 'id', 'productId', 'name', 'nameFold', 'isActive', 'revision'),
      people: defaultPeople(components).as('people'),
      /** The people who are on the CC list of each of its bugs. */
      cc: sql`(SELECT json_group_array(${c.userId}) FROM component_cc c
        WHERE ${c.componentId} = ${components.id})`
        .mapWith((json): number[] => JSON.parse(String(json)))
        .as('default_cc'),
    })
    .from(components)
    .where(sql`${components.id} IN (${partsCalled(components, bugs.componentId, scope, given)})`)
}

function partsIn<Table extends typeof versions | typeof milestones>(
  table: Table,
  bugColumn: SQLiteColumn,
  scope: Scope,
  given?: string | null,
) {
  const byName = partsCalled(table, bugColumn, scope, given)
  const byDefault = sql`SELECT ${table.id} FROM ${table}
    WHERE ${table.productId} IN ${scope.products} AND ${table.isDefault} = 1`
  return db
    .select(pick(table, 'id', 'productId', 'name', 'nameFold', 'isActive', 'isDefault', 'revision'))
    .from(table as typeof versions)
    .where(sql`${table.id} IN (${scope.moves ? sql`${byName} UNION ${byDefault}` : byName})`)
}

/** The IDs of what has the given name, and for bugs that move also of what has the same name as theirs. */
function partsCalled(
  table: typeof components | typeof versions | typeof milestones,
  bugColumn: SQLiteColumn,
  scope: Scope,
  given?: string | null,
): SQL {
  const named = sql`SELECT ${fold((given ?? '').trim())}`
  const brought = sql`SELECT own.${columnName(table.nameFold)} FROM bugs
    JOIN ${table} own ON own.${columnName(table.id)} = ${bugColumn} WHERE ${scope.set.condition}`
  return sql`SELECT ${table.id} FROM ${table} WHERE ${table.productId} IN ${scope.products}
    AND ${table.nameFold} IN (${scope.moves ? sql`${named} UNION ${brought}` : named})`
}
