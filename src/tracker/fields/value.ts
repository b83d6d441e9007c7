import type { SQL } from 'drizzle-orm'
import type { Ctx } from '../../platform/context.ts'
import { abortUnlessChanged, type Statement } from '../../platform/db/commit.ts'
import { idOrNameCondition, type NamedObjects } from '../../platform/db/id-or-name.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { customValues } from '../../platform/db/schema/bugs.ts'
import {
  fields,
  fieldValues,
  fieldVisibility,
  SELECT_TYPES,
  statusTransitions,
  valueVisibility,
} from '../../platform/db/schema/fields.ts'
import { components, products } from '../../platform/db/schema/products.ts'
import { aliasColumns, columnName, db, sql } from '../../platform/db/sql.ts'
import { fault, nameTaken, objectProtected } from '../../platform/faults/fault.ts'
import { pick } from '../../platform/lib/pick.ts'
import { fold } from '../../platform/lib/text.ts'
import { type Controller, fieldCondition, selectControllersByName } from './control.ts'
import { EMPTY_CHOICE, EMPTY_CHOICE_REASON, hasEmptyChoice } from './empty-choice.ts'
import { fieldNotSelect, fieldUnknown, fieldValueUnknown } from './faults.ts'
import { selectControllerName, selectFieldName } from './get-load.ts'
import { LIST_COLUMNS } from './names.ts'
import type { ExistingValue } from './value-plan.ts'
import { STATUS_FIELD } from './workflow.ts'

const f = aliasColumns(fields, 'f')
const c = aliasColumns(valueVisibility, 'c')
const s = aliasColumns(fieldVisibility, 's')
const o = aliasColumns(fieldValues, 'o')

/** Select fields whose values are objects with their own operations. */
const FIELDS_WITHOUT_OWN_VALUES = ['product', 'component', 'classification']

/** Digits are a name, or else an ID; `requireValue` decides when both exist. */
const VALUES: NamedObjects = {
  id: fieldValues.id,
  name: fieldValues.nameFold,
  digits: 'name-else-id',
}

/** What uses a value, with the reason that a fault gives. */
const USES = {
  bugs: 'bugs have it',
  defaults: 'products or components have it as their default',
  fields: 'other fields depend on it',
} as const

type ValueQuery = {
  readonly field: string
  /** A value by its name, or by its ID. */
  readonly value?: string
  /** Names of values of the value field that the input gives. */
  readonly controllerNames: readonly string[]
  /** Whether to load what uses the value. */
  readonly withUses: boolean
}

export type LoadedValues = Awaited<ReturnType<typeof loadValues>>

/** Loads a select field with all its values and what a change of them rests on. */
export async function loadValues(ctx: Ctx, query: ValueQuery) {
  const { caller } = ctx
  const condition = fieldCondition(query.field)
  const valueCondition = sql`${condition} AND ${idOrNameCondition(VALUES, query.value ?? '')}`
  const isStatusField = sql`EXISTS (SELECT 1 FROM fields WHERE ${condition} AND ${fields.name} = ${STATUS_FIELD})`
  const { owners, ...rest } = await readBatch(ctx, {
    owners: db
      .select({
        ...pick(fields, 'id', 'name', 'type', 'isCustom'),
        valueField: selectFieldName(sql`${fields.valueFieldId}`).as('value_field'),
        revision: fields.revision,
      })
      .from(fields)
      .where(condition),
    values: selectValues(condition),
    valueControllers: selectControllersOfValue(valueCondition, caller),
    controllers: selectControllersByName(
      caller,
      sql`(SELECT ${fields.valueFieldId} FROM fields WHERE ${condition})`,
      query.controllerNames,
    ),
    transitions: db.select().from(statusTransitions).where(isStatusField),
    uses: query.withUses ? selectUses(valueCondition) : undefined,
  })
  const [owner] = owners
  if (owner === undefined) {
    throw fault(fieldUnknown, { field: query.field })
  }
  if (!SELECT_TYPES.includes(owner.type) || FIELDS_WITHOUT_OWN_VALUES.includes(owner.name)) {
    throw fault(fieldNotSelect, { field: query.field })
  }
  return {
    ...rest,
    owner: { ...owner, controllers: rest.controllers, hasEmptyChoice: hasEmptyChoice(owner) },
  }
}

/** Refuses a name that another value of the field, or its empty choice, has. */
export function assertValueNameFree(
  { values, owner }: LoadedValues,
  name: string,
  ownId: number | null,
): void {
  const isTaken = values.some(({ id, nameFold }) => nameFold === fold(name) && id !== ownId)
  if (isTaken || (owner.hasEmptyChoice && name === EMPTY_CHOICE)) {
    throw fault(nameTaken, { kind: 'value', name })
  }
}

/**
 * The value of a path, by its name or else by its ID. Refuses the empty choice, which every field with one
 * choice keeps.
 */
export function requireValue({ values, owner }: LoadedValues, nameOrId: string): ExistingValue {
  const name = fold(nameOrId.trim())
  const match =
    values.find((value) => value.nameFold === name) ??
    values.find((value) => String(value.id) === name)
  if (match === undefined && owner.hasEmptyChoice && name === EMPTY_CHOICE) {
    throw fault(objectProtected, { kind: 'value', name, reason: EMPTY_CHOICE_REASON })
  }
  if (match === undefined) {
    throw fault(fieldValueUnknown, { field: owner.name, value: nameOrId })
  }
  return match
}

/** What uses the value; null when nothing does. */
export function findUse({ uses }: LoadedValues, value: ExistingValue): keyof typeof USES | null {
  const use = uses?.find(({ id }) => id === value.id)?.use ?? null
  return use as keyof typeof USES | null
}

export function describeUse(use: keyof typeof USES): string {
  return USES[use]
}

/** Selects all values of a field, in order. */
export function selectValues(condition: SQL) {
  return db
    .select({
      id: sql<number>`${fieldValues.id}`.as('value_id'),
      name: sql<string>`${fieldValues.name}`.as('value_name'),
      nameFold: sql<string>`${fieldValues.nameFold}`.as('value_fold'),
      sortKey: sql<number>`${fieldValues.sortKey}`.as('value_place'),
      isActive: sql<boolean>`${fieldValues.isActive}`.mapWith(Boolean).as('is_active'),
      description: sql<string>`${fieldValues.description}`.as('description'),
      isOpen: sql<boolean | null>`${fieldValues.isOpen}`
        .mapWith((open: number | null) => (open === null ? null : open === 1))
        .as('open_status'),
      revision: sql<number>`${fieldValues.revision}`.as('value_revision'),
    })
    .from(sql`fields CROSS JOIN field_values`)
    .where(sql`${fieldValues.fieldId} = ${fields.id} AND ${condition}`)
    .orderBy(sql`${fieldValues.sortKey}, ${fieldValues.nameFold}`)
}

/**
 * Steps the revision of the field, and aborts when it has changed, because a decision about one value rests on
 * all values of the field.
 */
export function ownerRevisionStatements({ owner }: LoadedValues): Statement[] {
  return [
    sql`UPDATE fields SET ${columnName(fields.revision)} = ${fields.revision} + 1
      WHERE ${fields.id} = ${owner.id} AND ${fields.revision} = ${owner.revision}`,
    abortUnlessChanged(),
  ]
}

/** Whether the value controls other fields or values. */
export function controllerInUseCondition(fieldId: SQL, valueId: SQL): SQL {
  return sql`(EXISTS (SELECT 1 FROM fields f JOIN field_visibility s ON ${s.fieldId} = ${f.id}
        WHERE ${f.visibilityFieldId} = ${fieldId} AND ${s.controllingId} = ${valueId})
      OR EXISTS (SELECT 1 FROM value_visibility c JOIN field_values o ON ${o.id} = ${c.valueId}
        JOIN fields f ON ${f.id} = ${o.fieldId}
        WHERE ${c.controllingId} = ${valueId} AND ${f.valueFieldId} = ${fieldId}))`
}

function selectControllersOfValue(condition: SQL, caller: Ctx['caller']) {
  return db
    .select({
      valueId: sql<number>`${fieldValues.id}`.as('value_id'),
      id: sql<number>`${valueVisibility.controllingId}`.as('controlling_id'),
      name: selectControllerName(
        sql`${fields.valueFieldId}`,
        sql`${valueVisibility.controllingId}`,
        caller,
      ).as('controlling_name'),
    })
    .from(sql`fields CROSS JOIN field_values CROSS JOIN value_visibility`)
    .where(sql`${fieldValues.fieldId} = ${fields.id}
      AND ${valueVisibility.valueId} = ${fieldValues.id} AND ${condition}`)
}

/** The controllers of a value among the loaded ones. */
export function findControllers(
  { valueControllers }: LoadedValues,
  value: ExistingValue,
): Controller[] {
  return valueControllers.flatMap(({ valueId, id, name }) =>
    valueId === value.id ? [{ id, name }] : [],
  )
}

function selectUses(condition: SQL) {
  const inBugs = Object.entries(LIST_COLUMNS).map(
    ([field, column]) => sql`WHEN ${field} THEN EXISTS (SELECT 1 FROM bugs
      WHERE ${column} = ${fieldValues.id})`,
  )
  return db
    .select({
      id: sql<number>`${fieldValues.id}`.as('value_id'),
      use: sql<string | null>`CASE
        WHEN CASE ${fields.name} ${sql.join(inBugs, sql` `)} ELSE EXISTS (SELECT 1 FROM custom_values
          WHERE ${customValues.valueId} = ${fieldValues.id}) END THEN 'bugs'
        WHEN ${fields.name} = 'bug_type' AND (
          EXISTS (SELECT 1 FROM products WHERE ${products.defaultTypeId} = ${fieldValues.id})
          OR EXISTS (SELECT 1 FROM components
            WHERE ${components.defaultTypeId} = ${fieldValues.id})) THEN 'defaults'
        WHEN ${controllerInUseCondition(sql`${fields.id}`, sql`${fieldValues.id}`)} THEN 'fields' END`.as(
        'value_use',
      ),
    })
    .from(sql`fields CROSS JOIN field_values`)
    .where(sql`${fieldValues.fieldId} = ${fields.id} AND ${condition}`)
}
