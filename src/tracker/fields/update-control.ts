import type { SQL } from 'drizzle-orm'
import type { Statement } from '../../platform/db/commit.ts'
import {
  fields,
  fieldVisibility,
  SELECT_TYPES,
  SINGLE_SELECT_TYPES,
} from '../../platform/db/schema/fields.ts'
import { columnNames, db, jsonList, sql } from '../../platform/db/sql.ts'
import { fault, invalidParameter, valueBlank } from '../../platform/faults/fault.ts'
import { parseIdOrName } from '../../platform/lib/id-or-name.ts'
import {
  abortIfControllersGone,
  type Controller,
  type ControllerRow,
  fieldCondition,
  requireControllers,
} from './control.ts'
import { fieldUnknown } from './faults.ts'
import { toInternalName } from './names.ts'

/** A field that may control when another one is shown or which of its values are offered. */
type ControllingField = { readonly id: number; readonly name: string; readonly type: number }

type FieldRef = { readonly id: number; readonly name: string }

/** The values of another field under which a field is shown; always, when `field` is null. */
export type VisibilityRule = {
  readonly field: FieldRef | null
  readonly controllers: readonly Controller[]
}

export const ALWAYS_VISIBLE: VisibilityRule = { field: null, controllers: [] }

type ControllingFieldsInput = {
  readonly visibility_field?: string | null | undefined
  readonly visibility_values?: readonly string[] | undefined
  readonly value_field?: string | null | undefined
}

/** Selects the fields that the input names as controlling ones. */
export function selectControllingFields(input: ControllingFieldsInput) {
  return db
    .select({ id: fields.id, name: fields.name, type: fields.type })
    .from(fields)
    .where(
      sql`${fieldCondition(input.visibility_field ?? '')} OR ${fieldCondition(input.value_field ?? '')}`,
    )
}

/** Decides when the field `ownName` is shown. */
export function decideVisibility(
  input: ControllingFieldsInput,
  before: VisibilityRule,
  references: { fields: readonly ControllingField[]; controllers: readonly ControllerRow[] },
  ownName: string,
): VisibilityRule {
  const field = decideControllingField(
    'visibility_field',
    input.visibility_field,
    before.field,
    references.fields,
    ownName,
  )
  const names = input.visibility_values
  if (field === null) {
    if ((names ?? []).length > 0) {
      throw invalidParameter('visibility_values', "needs a 'visibility_field'")
    }
    return ALWAYS_VISIBLE
  }
  const isSame = field.id === before.field?.id
  if (names === undefined && isSame) {
    return before
  }
  if (names === undefined || names.length === 0) {
    throw fault(valueBlank, { field: 'visibility_values' })
  }
  return {
    field,
    controllers: requireControllers(
      field.name,
      names,
      references.controllers,
      isSame ? before.controllers : [],
    ),
  }
}

/** Decides which field controls the values that are offered. */
export function decideValueField(
  input: ControllingFieldsInput,
  type: number,
  before: FieldRef | null,
  candidates: readonly ControllingField[],
  ownName: string,
): FieldRef | null {
  const field = decideControllingField(
    'value_field',
    input.value_field,
    before,
    candidates,
    ownName,
  )
  if (field !== null && !SELECT_TYPES.includes(type)) {
    const reason = `is for fields of the types ${SELECT_TYPES.join(' and ')} only`
    throw invalidParameter('value_field', reason)
  }
  return field
}

/** Replaces the stored visibility rule of a field. */
export function visibilityStatements(
  fieldId: SQL,
  { field, controllers }: VisibilityRule,
): Statement[] {
  return [
    sql`DELETE FROM field_visibility WHERE ${fieldVisibility.fieldId} = ${fieldId}`,
    sql`INSERT INTO field_visibility (${columnNames(fieldVisibility.fieldId, fieldVisibility.controllingId)})
      SELECT ${fieldId}, value FROM ${jsonList(controllers.map(({ id }) => id))}`,
    ...abortIfControllersGone(field?.name ?? '', controllers),
  ]
}

function decideControllingField(
  parameter: 'visibility_field' | 'value_field',
  text: string | null | undefined,
  before: FieldRef | null,
  candidates: readonly ControllingField[],
  ownName: string,
): FieldRef | null {
  if (text === undefined) {
    return before
  }
  const idOrName = text?.trim() ?? ''
  if (idOrName === '') {
    return null
  }
  const field = candidates.find((candidate) => hasIdOrName(candidate, idOrName))
  if (field === undefined) {
    throw fault(fieldUnknown, { field: idOrName })
  }
  // a bug has exactly one value of a field of this type
  if (!SINGLE_SELECT_TYPES.includes(field.type) || field.name === ownName) {
    const reason = 'must name another field with a list of values of which a bug has one'
    throw invalidParameter(parameter, reason)
  }
  return { id: field.id, name: field.name }
}

function hasIdOrName(field: FieldRef, idOrName: string): boolean {
  const { id, name } = parseIdOrName(idOrName)
  return id === null ? field.name === toInternalName(name) : field.id === id
}
