import type { SQL } from 'drizzle-orm'
import type { Caller } from '../access/caller.ts'
import { selectableProductCondition, visibleClassificationCondition } from '../access/visibility.ts'
import { db } from '../db/client.ts'
import { abortIf, type Statement } from '../db/commit.ts'
import { idOrNameCondition, type NamedObjects } from '../db/id-or-name.ts'
import { fields } from '../db/schema/fields.ts'
import { jsonList, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { fold } from '../lib/text.ts'
import { controllerName, nameOf } from './get-load.ts'
import { internalName } from './names.ts'

/** A value of a controlling field; null instead of the name of one that the caller may not know of. */
export type Held = { readonly id: number; readonly name: string | null }

export type Controller = { readonly id: number; readonly name: string; readonly nameFold: string }

const FIELDS: NamedObjects = {
  id: fields.id,
  name: fields.name,
  toComparable: internalName,
  digits: 'id',
}

/** Tables of the values that are things of their own; those of other fields are in `field_values`. */
const TABLES: Readonly<Record<string, string>> = {
  product: 'products',
  component: 'components',
  classification: 'classifications',
}

/** A condition on the table `fields`: the one with this ID, or with this name in whatever spelling. */
export function fieldCondition(idOrName: string): SQL {
  return idOrNameCondition(FIELDS, idOrName)
}

/**
 * Reads the values with these names of the field whose ID `controller` is, as far as the caller may know of
 * them. Components of several products may have one name.
 */
export function controllersNamed(caller: Caller, controller: SQL, names: readonly string[]) {
  const folded = jsonList(names.map((name) => fold(name.trim())))
  const isOf = (field: string) => sql`${nameOf(controller)} = ${field}`
  return db
    .select({
      id: sql<number>`c.id`.as('controlling_id'),
      name: sql<string>`c.name`.as('controlling_name'),
      nameFold: sql<string>`c.name_fold`.as('controlling_fold'),
    })
    .from(sql`(SELECT products.id, products.name, products.name_fold FROM products
        WHERE products.name_fold IN ${folded} AND ${isOf('product')} AND ${selectableProductCondition(caller)}
      UNION ALL
      SELECT components.id, components.name, components.name_fold FROM components
        JOIN products ON products.id = components.product_id
        WHERE components.name_fold IN ${folded} AND ${isOf('component')}
          AND ${selectableProductCondition(caller)}
      UNION ALL
      SELECT classifications.id, classifications.name, classifications.name_fold
        FROM classifications
        WHERE classifications.name_fold IN ${folded} AND ${isOf('classification')}
          AND ${visibleClassificationCondition(caller)}
      UNION ALL
      SELECT v.id, v.name, v.name_fold FROM field_values v
        WHERE v.field_id = ${controller} AND v.name_fold IN ${folded}) AS c`)
    .orderBy(sql`c.name_fold, c.id`)
}

/** Reads under which values of its controlling field a field is shown. */
export function visibilityHeld(caller: Caller, isField: SQL) {
  return db
    .select({
      id: sql<number>`field_visibility.controlling_id`.as('controlling_id'),
      name: controllerName(
        sql`fields.visibility_field_id`,
        sql`field_visibility.controlling_id`,
        caller,
      ).as('controlling_name'),
    })
    .from(sql`fields CROSS JOIN field_visibility`)
    .where(sql`field_visibility.field_id = fields.id AND ${isField}`)
    .orderBy(sql`controlling_name`)
}

/**
 * The values that are to decide, of those that were read for these names. What the caller may not know of
 * among `held` stays. Fault 51 naming the first that does not exist.
 */
export function chosenControllers(
  controller: string,
  names: readonly string[],
  known: readonly Controller[],
  held: readonly Held[],
): Held[] {
  const chosen = names.flatMap((name) => {
    const called = known.filter((one) => one.nameFold === fold(name.trim()))
    if (called.length === 0) {
      throw fault('fieldValueUnknown', { field: controller, value: name.trim() })
    }
    return called
  })
  const hidden = held.filter(({ name }) => name === null)
  const unique = new Map([...hidden, ...chosen].map(({ id, name }) => [id, { id, name }]))
  return [...unique.values()]
}

/** The names among values that decide, for people to read. */
export function listed(held: readonly Held[]): string {
  const names = new Set(held.flatMap(({ name }) => name ?? []))
  return [...names].toSorted((a, b) => (fold(a) < fold(b) ? -1 : 1)).join(', ')
}

/** Fails the commit as stale when one of the values of the controlling field is there no more. */
export function whileThere(controller: string, held: readonly Held[]): Statement[] {
  if (held.length === 0) {
    return []
  }
  const table = sql.raw(TABLES[controller] ?? 'field_values')
  const ids = [...new Set(held.map(({ id }) => id))]
  return [
    abortIf(sql`(SELECT count(*) FROM ${table} WHERE id IN ${jsonList(ids)}) <> ${ids.length}`),
  ]
}
