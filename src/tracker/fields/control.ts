import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../platform/access/caller.ts'
import {
  selectableProductCondition,
  visibleClassificationCondition,
} from '../../platform/access/visibility.ts'
import { abortIf, type Statement } from '../../platform/db/commit.ts'
import { idOrNameCondition, type NamedObjects } from '../../platform/db/id-or-name.ts'
import { fields, fieldValues, fieldVisibility } from '../../platform/db/schema/fields.ts'
import { classifications, components, products } from '../../platform/db/schema/products.ts'
import { aliasColumns, db, jsonList, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { fold } from '../../platform/lib/text.ts'
import { fieldValueUnknown } from './faults.ts'
import { selectControllerName, selectFieldName } from './get-load.ts'
import { toInternalName } from './names.ts'

const v = aliasColumns(fieldValues, 'v')

/** A value of another field that shows a field or offers a value; `name` is null for a hidden one. */
export type Controller = { readonly id: number; readonly name: string | null }

export type ControllerRow = {
  readonly id: number
  readonly name: string
  readonly nameFold: string
}

const FIELDS: NamedObjects = {
  id: fields.id,
  name: fields.name,
  toComparable: toInternalName,
  digits: 'id',
}

/** Controlling fields whose values have their own tables; others have theirs in `field_values`. */
const CONTROLLER_TABLES: Readonly<
  Record<string, typeof products | typeof components | typeof classifications>
> = {
  product: products,
  component: components,
  classification: classifications,
}

/** Whether a row of `fields` has that ID, or that name, internal or public, in either case. */
export function fieldCondition(idOrName: string): SQL {
  return idOrNameCondition(FIELDS, idOrName)
}

/**
 * Selects the values of the field `fieldId` that have these names and are visible to the caller. Several may
 * have one name: components of different products.
 */
export function selectControllersByName(caller: Caller, fieldId: SQL, names: readonly string[]) {
  const foldedNames = jsonList(names.map((name) => fold(name.trim())))
  const isField = (name: string) => sql`${selectFieldName(fieldId)} = ${name}`
  return db
    .select({
      id: sql<number>`c.id`.as('controlling_id'),
      name: sql<string>`c.name`.as('controlling_name'),
      nameFold: sql<string>`c.name_fold`.as('controlling_fold'),
    })
    .from(sql`(SELECT ${products.id}, ${products.name}, ${products.nameFold} FROM products
        WHERE ${products.nameFold} IN ${foldedNames} AND ${isField('product')} AND ${selectableProductCondition(caller)}
      UNION ALL
      SELECT ${components.id}, ${components.name}, ${components.nameFold} FROM components
        JOIN products ON ${products.id} = ${components.productId}
        WHERE ${components.nameFold} IN ${foldedNames} AND ${isField('component')}
          AND ${selectableProductCondition(caller)}
      UNION ALL
      SELECT ${classifications.id}, ${classifications.name}, ${classifications.nameFold}
        FROM classifications
        WHERE ${classifications.nameFold} IN ${foldedNames} AND ${isField('classification')}
          AND ${visibleClassificationCondition(caller)}
      UNION ALL
      SELECT ${v.id}, ${v.name}, ${v.nameFold} FROM field_values v
        WHERE ${v.fieldId} = ${fieldId} AND ${v.nameFold} IN ${foldedNames}) AS c`)
    .orderBy(sql`c.name_fold, c.id`)
}

/** Selects the values of the visibility field under which a field is shown. */
export function selectVisibilityControllers(caller: Caller, condition: SQL) {
  return db
    .select({
      id: sql<number>`${fieldVisibility.controllingId}`.as('controlling_id'),
      name: selectControllerName(
        sql`${fields.visibilityFieldId}`,
        sql`${fieldVisibility.controllingId}`,
        caller,
      ).as('controlling_name'),
    })
    .from(sql`fields CROSS JOIN field_visibility`)
    .where(sql`${fieldVisibility.fieldId} = ${fields.id} AND ${condition}`)
    .orderBy(sql`controlling_name`)
}

/**
 * The controllers with these names among the loaded `rows`, and those of `before` that are hidden from the
 * caller.
 */
export function requireControllers(
  fieldName: string,
  names: readonly string[],
  rows: readonly ControllerRow[],
  before: readonly Controller[],
): Controller[] {
  const matches = names.flatMap((name) => {
    const sameName = rows.filter((row) => row.nameFold === fold(name.trim()))
    if (sameName.length === 0) {
      throw fault(fieldValueUnknown, { field: fieldName, value: name.trim() })
    }
    return sameName
  })
  const hidden = before.filter(({ name }) => name === null)
  const unique = new Map([...hidden, ...matches].map(({ id, name }) => [id, { id, name }]))
  return [...unique.values()]
}

/** Joins the visible names for the audit log, sorted and without duplicates. */
export function joinControllerNames(controllers: readonly Controller[]): string {
  const names = new Set(controllers.flatMap(({ name }) => name ?? []))
  return [...names].toSorted((a, b) => (fold(a) < fold(b) ? -1 : 1)).join(', ')
}

/** Aborts the commit when one of the controllers has been removed since it was read. */
export function abortIfControllersGone(
  fieldName: string,
  controllers: readonly Controller[],
): Statement[] {
  if (controllers.length === 0) {
    return []
  }
  const table = CONTROLLER_TABLES[fieldName] ?? fieldValues
  const ids = [...new Set(controllers.map(({ id }) => id))]
  return [
    abortIf(
      sql`(SELECT count(*) FROM ${table} WHERE ${table.id} IN ${jsonList(ids)}) <> ${ids.length}`,
    ),
  ]
}
