import type { SQL } from 'drizzle-orm'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { abortUnlessChanged, type Statement } from '../db/commit.ts'
import { idOrNameCondition, type NamedObjects } from '../db/id-or-name.ts'
import { readBatch } from '../db/read-batch.ts'
import { fields, fieldValues, SELECT_TYPES, statusTransitions } from '../db/schema/fields.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { fold } from '../lib/text.ts'
import { controllersNamed, fieldCondition, type Held } from './control.ts'
import { controllerName, nameOf } from './get-load.ts'
import { LIST_COLUMNS } from './names.ts'
import type { Existing } from './value-plan.ts'
import { STATUS_FIELD } from './workflow.ts'

/** Select fields whose values are things of their own, with operations of their own. */
const NO_LISTS = ['product', 'component', 'classification']

/** The values that a text may name; `valueIn` finds the one that it does. */
const VALUES: NamedObjects = {
  id: fieldValues.id,
  name: fieldValues.nameFold,
  digits: 'name-else-id',
}

/** What holds on to a value: bugs, products and components that begin with it, or other fields. */
const USES = {
  bugs: 'bugs have it',
  defaults: 'products or components have it as their default',
  fields: 'other fields depend on it',
} as const

type Asked = {
  readonly field: string
  /** A value by its name, or by its ID. */
  readonly value?: string
  /** Names of values of the value field. */
  readonly under: readonly string[]
  /** Whether to find out what holds on to the value. */
  readonly use: boolean
}

export type Known = Awaited<ReturnType<typeof loadValues>>

/**
 * A field with a list of values, all of them, and what a change of them may need. Faults 51 for a field
 * that does not exist and 108 for one whose values are no list of its own.
 */
export async function loadValues(ctx: Ctx, asked: Asked) {
  const { caller } = ctx
  const isIt = fieldCondition(asked.field)
  const isValue = sql`${isIt} AND ${idOrNameCondition(VALUES, asked.value ?? '')}`
  const isStatus = sql`EXISTS (SELECT 1 FROM fields WHERE ${isIt} AND fields.name = ${STATUS_FIELD})`
  const { owners, ...rest } = await readBatch(ctx, {
    owners: db
      .select({
        id: fields.id,
        name: fields.name,
        type: fields.type,
        valueField: nameOf(sql`fields.value_field_id`).as('value_field'),
        revision: fields.revision,
      })
      .from(fields)
      .where(isIt),
    values: valuesOf(isIt),
    held: heldBy(isValue, caller),
    controllers: controllersNamed(
      caller,
      sql`(SELECT fields.value_field_id FROM fields WHERE ${isIt})`,
      asked.under,
    ),
    edges: db.select().from(statusTransitions).where(isStatus),
    uses: asked.use ? usesOf(isValue) : undefined,
  })
  const [owner] = owners
  if (owner === undefined) {
    throw fault('fieldUnknown', { field: asked.field })
  }
  if (!SELECT_TYPES.includes(owner.type) || NO_LISTS.includes(owner.name)) {
    throw fault('fieldNotSelect', { field: asked.field })
  }
  return { ...rest, owner: { ...owner, controllers: rest.controllers } }
}

/** The value that a path calls for, by its name or else by its ID; fault 51 when there is none. */
export function valueIn({ values, owner }: Known, asked: string): Existing {
  const name = fold(asked.trim())
  const found =
    values.find((value) => value.nameFold === name) ??
    values.find((value) => String(value.id) === name)
  if (found === undefined) {
    throw fault('fieldValueUnknown', { field: owner.name, value: asked })
  }
  return found
}

/** What holds on to the value, in words; null when nothing does. */
export function useOf({ uses }: Known, value: Existing): keyof typeof USES | null {
  const use = uses?.find(({ id }) => id === value.id)?.use ?? null
  return use as keyof typeof USES | null
}

export function toldUse(use: keyof typeof USES): string {
  return USES[use]
}

/** Reads every value of the chosen fields, in order. */
export function valuesOf(isField: SQL) {
  return db
    .select({
      id: sql<number>`field_values.id`.as('value_id'),
      name: sql<string>`field_values.name`.as('value_name'),
      nameFold: sql<string>`field_values.name_fold`.as('value_fold'),
      sortKey: sql<number>`field_values.sort_key`.as('value_place'),
      isActive: sql<boolean>`field_values.is_active`.mapWith(Boolean).as('is_active'),
      description: sql<string>`field_values.description`.as('description'),
      isOpen: sql<boolean | null>`field_values.is_open`
        .mapWith((open: number | null) => (open === null ? null : open === 1))
        .as('open_status'),
      revision: sql<number>`field_values.revision`.as('value_revision'),
    })
    .from(sql`fields CROSS JOIN field_values`)
    .where(sql`field_values.field_id = fields.id AND ${isField}`)
    .orderBy(sql`field_values.sort_key, field_values.name_fold`)
}

/**
 * Steps the revision of a field whose values change: what must hold among its values was decided on all of
 * them as they were.
 */
export function stepOwner({ owner }: Known): Statement[] {
  return [
    sql`UPDATE fields SET revision = revision + 1
      WHERE id = ${owner.id} AND revision = ${owner.revision}`,
    abortUnlessChanged(),
  ]
}

/** Whether other fields or values hang on the value of this row of `field_values`. */
export function decidesElsewhere(fieldId: SQL, valueId: SQL): SQL {
  return sql`(EXISTS (SELECT 1 FROM fields f JOIN field_visibility c ON c.field_id = f.id
        WHERE f.visibility_field_id = ${fieldId} AND c.controlling_id = ${valueId})
      OR EXISTS (SELECT 1 FROM value_visibility c JOIN field_values o ON o.id = c.value_id
        JOIN fields f ON f.id = o.field_id
        WHERE c.controlling_id = ${valueId} AND f.value_field_id = ${fieldId}))`
}

function heldBy(isValue: SQL, caller: Ctx['caller']) {
  return db
    .select({
      valueId: sql<number>`field_values.id`.as('value_id'),
      id: sql<number>`value_visibility.controlling_id`.as('controlling_id'),
      name: controllerName(
        sql`fields.value_field_id`,
        sql`value_visibility.controlling_id`,
        caller,
      ).as('controlling_name'),
    })
    .from(sql`fields CROSS JOIN field_values CROSS JOIN value_visibility`)
    .where(sql`field_values.field_id = fields.id
      AND value_visibility.value_id = field_values.id AND ${isValue}`)
}

/** Of the values that are called by what stands in `held`, those under which this one is offered. */
export function heldUnder({ held }: Known, value: Existing): Held[] {
  return held.flatMap(({ valueId, id, name }) => (valueId === value.id ? [{ id, name }] : []))
}

function usesOf(isValue: SQL) {
  const inBugs = Object.entries(LIST_COLUMNS).map(
    ([field, column]) => sql`WHEN ${field} THEN EXISTS (SELECT 1 FROM bugs
      WHERE bugs.${sql.raw(column)} = field_values.id)`,
  )
  return db
    .select({
      id: sql<number>`field_values.id`.as('value_id'),
      use: sql<string | null>`CASE
        WHEN CASE fields.name ${sql.join(inBugs, sql` `)} ELSE EXISTS (SELECT 1 FROM custom_values
          WHERE custom_values.value_id = field_values.id) END THEN 'bugs'
        WHEN fields.name = 'bug_type' AND (
          EXISTS (SELECT 1 FROM products WHERE products.default_type_id = field_values.id)
          OR EXISTS (SELECT 1 FROM components
            WHERE components.default_type_id = field_values.id)) THEN 'defaults'
        WHEN ${decidesElsewhere(sql`fields.id`, sql`field_values.id`)} THEN 'fields' END`.as(
        'value_use',
      ),
    })
    .from(sql`fields CROSS JOIN field_values`)
    .where(sql`field_values.field_id = fields.id AND ${isValue}`)
}
