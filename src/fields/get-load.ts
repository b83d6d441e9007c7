import type { SQL } from 'drizzle-orm'
import type { Caller } from '../access/caller.ts'
import { selectableProductCondition, visibleClassificationCondition } from '../access/visibility.ts'
import { db } from '../db/client.ts'
import { fields } from '../db/schema/fields.ts'
import { jsonList, sql } from '../db/sql.ts'
import type { IdsAndNames } from '../lib/id-or-name.ts'

/** What of the fields a caller wants; the rest need not be read. */
export type Wanted = {
  readonly visibility: boolean
  readonly values: boolean
  readonly transitions: boolean
}

type Readings = ReturnType<typeof allReadings>

/** What was read of the chosen fields; parts that nobody wants are missing. */
export type FieldRows = { fields: Awaited<Readings['fields']> } & {
  [Part in Exclude<keyof Readings, 'fields'>]?: Awaited<Readings[Part]>
}

/**
 * The reads that answer a question about fields, to be sent `together`. Every list of values starts from
 * the chosen fields, so that those of others cost next to nothing.
 */
export function readingsFor(caller: Caller, named: IdsAndNames | null, wanted: Wanted): Readings {
  const { visibility, values, transitions } = wanted
  const isWanted: Record<keyof Readings, boolean> = {
    fields: true,
    visibility,
    values,
    controllers: values,
    transitions: values && transitions,
    keywords: values,
    classifications: values,
    versions: values,
    components: values,
    milestones: values,
  }
  const readings = Object.entries(allReadings(caller, chosen(named)))
  // `FieldRows` says that the parts filtered out here may be missing.
  return Object.fromEntries(
    readings.filter(([part]) => isWanted[part as keyof Readings]),
  ) as Readings
}

/** The values of one select field and what they hang on, to be sent `together`. */
export function valueReadings(caller: Caller, name: string) {
  const where = chosen({ ids: [], names: [name] })
  return {
    fields: readFields(where),
    values: readValues(where),
    controllers: readControllers(where, caller),
  }
}

function allReadings(caller: Caller, where: SQL) {
  const byProduct = sql`products.name_fold, part.sort_key, part.name_fold`
  const bySortKey = sql`part.sort_key, part.name_fold, products.name_fold`
  const read = (table: string, field: string, order: SQL) =>
    readParts(table, field, sql`${where} AND ${selectableProductCondition(caller)}`, order)
  return {
    fields: readFields(where),
    visibility: readVisibility(where, caller),
    values: readValues(where),
    controllers: readControllers(where, caller),
    transitions: readTransitions(where),
    keywords: readKeywords(where),
    classifications: readClassifications(where, caller),
    versions: read('versions', 'version', byProduct),
    components: read('components', 'component', byProduct),
    milestones: read('milestones', 'target_milestone', bySortKey),
  }
}

/** A condition on the table `fields`; what is obsolete is found by those who name it alone. */
function chosen(named: IdsAndNames | null): SQL {
  if (named === null) {
    return sql`fields.is_obsolete = 0`
  }
  return sql`fields.id IN (SELECT value FROM json_each(${JSON.stringify(named.ids)})
    UNION SELECT named.id FROM fields named WHERE named.name IN ${jsonList(named.names)})`
}

function readFields(where: SQL) {
  return db
    .select({
      id: fields.id,
      name: fields.name,
      displayName: fields.displayName,
      type: fields.type,
      isCustom: fields.isCustom,
      isMandatory: fields.isMandatory,
      isOnBugEntry: fields.isOnBugEntry,
      visibilityField: nameOf(sql`fields.visibility_field_id`).as('visibility_field'),
      valueField: nameOf(sql`fields.value_field_id`).as('value_field'),
    })
    .from(fields)
    .where(where)
    .orderBy(fields.sortKey, fields.name)
}

function readVisibility(where: SQL, caller: Caller) {
  const name = controllerName(
    sql`fields.visibility_field_id`,
    sql`field_visibility.controlling_id`,
    caller,
  )
  return db
    .select({
      fieldId: sql<number>`fields.id`.as('field_id'),
      controller: name.as('controller'),
    })
    .from(sql`fields CROSS JOIN field_visibility`)
    .where(sql`field_visibility.field_id = fields.id AND ${where}`)
    .orderBy(sql`controller`)
}

function readValues(where: SQL) {
  return db
    .select({
      id: sql<number>`field_values.id`.as('value_id'),
      fieldId: sql<number>`fields.id`.as('field_id'),
      name: sql<string>`field_values.name`.as('value_name'),
      sortKey: sql<number>`field_values.sort_key`.as('sort_key'),
      isActive: sql<boolean>`field_values.is_active`.mapWith(Boolean).as('is_active'),
      isOpen: sql<boolean>`coalesce(field_values.is_open, 0)`.mapWith(Boolean).as('open_status'),
      description: sql<string>`field_values.description`.as('description'),
    })
    .from(sql`fields CROSS JOIN field_values`)
    .where(sql`field_values.field_id = fields.id AND ${where}`)
    .orderBy(sql`fields.id, field_values.sort_key, field_values.name_fold`)
}

/** Under which values of the value field each value is offered; null for one the caller may not know. */
function readControllers(where: SQL, caller: Caller) {
  const name = controllerName(
    sql`fields.value_field_id`,
    sql`value_visibility.controlling_id`,
    caller,
  )
  return db
    .select({
      valueId: sql<number>`field_values.id`.as('value_id'),
      controller: name.as('controller'),
    })
    .from(sql`fields CROSS JOIN field_values CROSS JOIN value_visibility`)
    .where(sql`field_values.field_id = fields.id
      AND value_visibility.value_id = field_values.id AND ${where}`)
    .orderBy(sql`controller`)
}

function readTransitions(where: SQL) {
  return db
    .select({
      fromId: sql<number>`t.from_id`.as('from_id'),
      name: sql<string>`target.name`.as('target_name'),
      commentRequired: sql<boolean>`t.comment_required`.mapWith(Boolean).as('comment_required'),
    })
    .from(sql`fields CROSS JOIN field_values CROSS JOIN status_transitions t
      CROSS JOIN field_values target`)
    .where(sql`fields.name = 'bug_status' AND field_values.field_id = fields.id
      AND t.from_id = field_values.id AND target.id = t.to_id AND t.to_id <> t.from_id AND ${where}`)
    .orderBy(sql`target.sort_key, target.name_fold`)
}

function readKeywords(where: SQL) {
  return db
    .select({
      name: sql<string>`keywords.name`.as('keyword_name'),
      description: sql<string>`keywords.description`.as('description'),
    })
    .from(sql`fields CROSS JOIN keywords`)
    .where(sql`fields.name = 'keywords' AND keywords.is_active = 1 AND ${where}`)
    .orderBy(sql`keywords.name_fold`)
}

function readClassifications(where: SQL, caller: Caller) {
  return db
    .select({
      name: sql<string>`classifications.name`.as('classification_name'),
      sortKey: sql<number>`classifications.sort_key`.as('sort_key'),
    })
    .from(sql`fields CROSS JOIN classifications`)
    .where(
      sql`fields.name = 'classification' AND ${visibleClassificationCondition(caller)} AND ${where}`,
    )
    .orderBy(sql`classifications.sort_key, classifications.name_fold`)
}

/** The versions, components or milestones of all products that `where` leaves. */
function readParts(table: string, field: string, where: SQL, order: SQL) {
  return db
    .select({
      product: sql<string>`products.name`.as('product_name'),
      name: sql<string>`part.name`.as('part_name'),
      sortKey: sql<number>`part.sort_key`.as('sort_key'),
      isActive: sql<boolean>`part.is_active`.mapWith(Boolean).as('is_active'),
    })
    .from(sql`fields CROSS JOIN products CROSS JOIN ${sql.raw(table)} part`)
    .where(sql`fields.name = ${field} AND part.product_id = products.id AND ${where}`)
    .orderBy(order)
}

/** The internal name of the field with that ID. */
export function nameOf(fieldId: SQL): SQL<string | null> {
  return sql`(SELECT f.name FROM fields f WHERE f.id = ${fieldId})`
}

/** The name of a value of the controlling field; null when the caller may not know of it. */
export function controllerName(fieldId: SQL, id: SQL, caller: Caller): SQL<string | null> {
  return sql`CASE ${nameOf(fieldId)}
    WHEN 'product' THEN (SELECT products.name FROM products
      WHERE products.id = ${id} AND ${selectableProductCondition(caller)})
    WHEN 'component' THEN (SELECT components.name FROM components
      JOIN products ON products.id = components.product_id
      WHERE components.id = ${id} AND ${selectableProductCondition(caller)})
    WHEN 'classification' THEN (SELECT classifications.name FROM classifications
      WHERE classifications.id = ${id} AND ${visibleClassificationCondition(caller)})
    ELSE (SELECT v.name FROM field_values v WHERE v.id = ${id}) END`
}
