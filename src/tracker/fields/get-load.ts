import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../platform/access/caller.ts'
import {
  selectableProductCondition,
  visibleClassificationCondition,
} from '../../platform/access/visibility.ts'
import {
  fields,
  fieldValues,
  fieldVisibility,
  keywords,
  statusTransitions,
  valueVisibility,
} from '../../platform/db/schema/fields.ts'
import {
  classifications,
  components,
  milestones,
  products,
  versions,
} from '../../platform/db/schema/products.ts'
import { aliasColumns, db, jsonList, sql } from '../../platform/db/sql.ts'
import type { IdsAndNames } from '../../platform/lib/id-or-name.ts'
import { pick } from '../../platform/lib/pick.ts'
import { LISTED_ROWS } from './listed-values.ts'

const named = aliasColumns(fields, 'named')
const t = aliasColumns(statusTransitions, 't')
const target = aliasColumns(fieldValues, 'target')
const f = aliasColumns(fields, 'f')
const v = aliasColumns(fieldValues, 'v')

/** Which parts of fields a request asks for; others need not be read. */
type FieldReadOptions = {
  readonly visibility: boolean
  readonly values: boolean
  readonly transitions: boolean
}

type FieldQueryBuilders = ReturnType<typeof fieldQueryBuilders>

type FieldQueries = {
  [Part in keyof FieldQueryBuilders]: ReturnType<FieldQueryBuilders[Part]>
}

/** The rows of fields; parts that the request does not ask for are missing. */
export type FieldRows = { fields: Awaited<FieldQueries['fields']> } & {
  [Part in Exclude<keyof FieldQueries, 'fields'>]?: Awaited<FieldQueries[Part]>
}

/**
 * Selects the fields of `refs` with the requested parts; null stands for all fields that are not obsolete.
 * Every list of values starts from these fields, so that the values of others cost next to nothing.
 */
export function selectFieldsWithValues(
  caller: Caller,
  refs: IdsAndNames | null,
  options: FieldReadOptions,
): FieldQueries {
  const { visibility, values, transitions } = options
  const isRequested: Record<keyof FieldQueries, boolean> = {
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
  const builders = Object.entries(fieldQueryBuilders(caller, fieldRefsCondition(refs)))
  // The type is too wide; `FieldRows` declares the parts that are filtered out here as optional.
  return Object.fromEntries(
    builders.flatMap(([part, build]) =>
      isRequested[part as keyof FieldQueries] ? [[part, build()]] : [],
    ),
  ) as FieldQueries
}

/** The lists that grow with a tracker. */
export function listsOf(rows: Partial<FieldRows>) {
  const {
    values,
    controllers,
    keywords: words,
    versions: own,
    components: parts,
    milestones: ends,
  } = rows
  return [values, controllers, words, own, parts, ends]
}

/** Selects the field of an internal name with its values and their controllers. */
export function selectValuesOfField(caller: Caller, name: string) {
  const condition = fieldRefsCondition({ ids: [], names: [name] })
  return {
    fields: selectFields(condition),
    values: selectValues(condition),
    controllers: selectControllers(condition, caller),
  }
}

function fieldQueryBuilders(caller: Caller, condition: SQL) {
  const byProduct = ({ sortKey, nameFold }: PartTable) =>
    sql`${products.nameFold}, ${sortKey}, ${nameFold}`
  const bySortKey = ({ sortKey, nameFold }: PartTable) =>
    sql`${sortKey}, ${nameFold}, ${products.nameFold}`
  const selectVisibleParts = (table: PartTable, field: string, order: (part: PartTable) => SQL) =>
    selectParts(
      table,
      field,
      sql`${condition} AND ${selectableProductCondition(caller)}`,
      order(table),
    )
  return {
    fields: () => selectFields(condition),
    visibility: () => selectVisibility(condition, caller),
    values: () => selectValues(condition),
    controllers: () => selectControllers(condition, caller),
    transitions: () => selectTransitions(condition),
    keywords: () => selectKeywords(condition),
    classifications: () => selectClassifications(condition, caller),
    versions: () => selectVisibleParts(versions, 'version', byProduct),
    components: () => selectVisibleParts(components, 'component', byProduct),
    milestones: () => selectVisibleParts(milestones, 'target_milestone', bySortKey),
  }
}

/** Whether a row of `fields` is named; obsolete fields are read by name or ID only. */
function fieldRefsCondition(refs: IdsAndNames | null): SQL {
  if (refs === null) {
    return sql`${fields.isObsolete} = 0`
  }
  return sql`${fields.id} IN (SELECT value FROM json_each(${JSON.stringify(refs.ids)})
    UNION SELECT ${named.id} FROM fields named WHERE ${named.name} IN ${jsonList(refs.names)})`
}

function selectFields(condition: SQL) {
  return db
    .select({
      ...pick(fields, 'id', 'name', 'displayName', 'type'),
      ...pick(fields, 'isCustom', 'isMandatory', 'isOnBugEntry'),
      visibilityField: selectFieldName(sql`${fields.visibilityFieldId}`).as('visibility_field'),
      valueField: selectFieldName(sql`${fields.valueFieldId}`).as('value_field'),
    })
    .from(fields)
    .where(condition)
    .orderBy(fields.sortKey, fields.name)
}

function selectVisibility(condition: SQL, caller: Caller) {
  const name = selectControllerName(
    sql`${fields.visibilityFieldId}`,
    sql`${fieldVisibility.controllingId}`,
    caller,
  )
  return db
    .select({
      fieldId: sql<number>`${fields.id}`.as('field_id'),
      controller: name.as('controller'),
    })
    .from(sql`fields CROSS JOIN field_visibility`)
    .where(sql`${fieldVisibility.fieldId} = ${fields.id} AND ${condition}`)
    .orderBy(sql`controller`)
}

function selectValues(condition: SQL) {
  return db
    .select({
      id: sql<number>`${fieldValues.id}`.as('value_id'),
      fieldId: sql<number>`${fields.id}`.as('field_id'),
      name: sql<string>`${fieldValues.name}`.as('value_name'),
      sortKey: sql<number>`${fieldValues.sortKey}`.as('sort_key'),
      isActive: sql<boolean>`${fieldValues.isActive}`.mapWith(Boolean).as('is_active'),
      isOpen: sql<boolean>`coalesce(${fieldValues.isOpen}, 0)`.mapWith(Boolean).as('open_status'),
      description: sql<string>`${fieldValues.description}`.as('description'),
    })
    .from(sql`fields CROSS JOIN field_values`)
    .where(sql`${fieldValues.fieldId} = ${fields.id} AND ${condition}`)
    .orderBy(sql`${fields.id}, ${fieldValues.sortKey}, ${fieldValues.nameFold}`)
    .limit(LISTED_ROWS)
}

/** Selects under which values of the value field each value is offered; null for a hidden one. */
function selectControllers(condition: SQL, caller: Caller) {
  const name = selectControllerName(
    sql`${fields.valueFieldId}`,
    sql`${valueVisibility.controllingId}`,
    caller,
  )
  return db
    .select({
      valueId: sql<number>`${fieldValues.id}`.as('value_id'),
      controller: name.as('controller'),
    })
    .from(sql`fields CROSS JOIN field_values CROSS JOIN value_visibility`)
    .where(sql`${fieldValues.fieldId} = ${fields.id}
      AND ${valueVisibility.valueId} = ${fieldValues.id} AND ${condition}`)
    .orderBy(sql`controller`)
    .limit(LISTED_ROWS)
}

function selectTransitions(condition: SQL) {
  return db
    .select({
      fromId: sql<number>`${t.fromId}`.as('from_id'),
      name: sql<string>`${target.name}`.as('target_name'),
      commentRequired: sql<boolean>`${t.commentRequired}`.mapWith(Boolean).as('comment_required'),
    })
    .from(sql`fields CROSS JOIN field_values CROSS JOIN status_transitions t
      CROSS JOIN field_values target`)
    .where(sql`${fields.name} = 'bug_status' AND ${fieldValues.fieldId} = ${fields.id}
      AND ${t.fromId} = ${fieldValues.id} AND ${target.id} = ${t.toId} AND ${t.toId} <> ${t.fromId} AND ${condition}`)
    .orderBy(sql`${target.sortKey}, ${target.nameFold}`)
}

function selectKeywords(condition: SQL) {
  return db
    .select({
      name: sql<string>`${keywords.name}`.as('keyword_name'),
      description: sql<string>`${keywords.description}`.as('description'),
    })
    .from(sql`fields CROSS JOIN keywords`)
    .where(sql`${fields.name} = 'keywords' AND ${keywords.isActive} = 1 AND ${condition}`)
    .orderBy(sql`${keywords.nameFold}`)
    .limit(LISTED_ROWS)
}

function selectClassifications(condition: SQL, caller: Caller) {
  return db
    .select({
      name: sql<string>`${classifications.name}`.as('classification_name'),
      sortKey: sql<number>`${classifications.sortKey}`.as('sort_key'),
    })
    .from(sql`fields CROSS JOIN classifications`)
    .where(
      sql`${fields.name} = 'classification' AND ${visibleClassificationCondition(caller)} AND ${condition}`,
    )
    .orderBy(sql`${classifications.sortKey}, ${classifications.nameFold}`)
}

type PartTable = typeof versions | typeof components | typeof milestones

/** Selects the versions, components or milestones of all products that meet the condition. */
function selectParts(table: PartTable, field: string, condition: SQL, order: SQL) {
  return db
    .select({
      product: sql<string>`${products.name}`.as('product_name'),
      name: sql<string>`${table.name}`.as('part_name'),
      sortKey: sql<number>`${table.sortKey}`.as('sort_key'),
      isActive: sql<boolean>`${table.isActive}`.mapWith(Boolean).as('is_active'),
    })
    .from(sql`fields CROSS JOIN products CROSS JOIN ${table}`)
    .where(sql`${fields.name} = ${field} AND ${table.productId} = ${products.id} AND ${condition}`)
    .orderBy(order)
    .limit(LISTED_ROWS)
}

/** Selects the internal name of a field. */
export function selectFieldName(fieldId: SQL): SQL<string | null> {
  return sql`(SELECT ${f.name} FROM fields f WHERE ${f.id} = ${fieldId})`
}

/** Selects the name of a value of the controlling field `fieldId`; null when it is hidden from the caller. */
export function selectControllerName(fieldId: SQL, id: SQL, caller: Caller): SQL<string | null> {
  return sql`CASE ${selectFieldName(fieldId)}
    WHEN 'product' THEN (SELECT ${products.name} FROM products
      WHERE ${products.id} = ${id} AND ${selectableProductCondition(caller)})
    WHEN 'component' THEN (SELECT ${components.name} FROM components
      JOIN products ON ${products.id} = ${components.productId}
      WHERE ${components.id} = ${id} AND ${selectableProductCondition(caller)})
    WHEN 'classification' THEN (SELECT ${classifications.name} FROM classifications
      WHERE ${classifications.id} = ${id} AND ${visibleClassificationCondition(caller)})
    ELSE (SELECT ${v.name} FROM field_values v WHERE ${v.id} = ${id}) END`
}
