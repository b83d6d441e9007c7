import type { SQL } from 'drizzle-orm'
import { db } from '../db/client.ts'
import type { Statement } from '../db/commit.ts'
import { FIELD_TYPE, fields, SELECT_TYPES } from '../db/schema/fields.ts'
import { jsonList, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { parseIdOrName } from '../lib/id-or-name.ts'
import {
  type Controller,
  chosenControllers,
  fieldCondition,
  type Held,
  whileThere,
} from './control.ts'
import { internalName } from './names.ts'

/** A field that may decide about another one. */
type Deciding = { readonly id: number; readonly name: string; readonly type: number }

type Named = { readonly id: number; readonly name: string }

/** While which values of which field a field is shown; always, without a field. */
export type Control = { readonly field: Named | null; readonly held: readonly Held[] }

export const NO_CONTROL: Control = { field: null, held: [] }

type Given = {
  readonly visibility_field?: string | null | undefined
  readonly visibility_values?: readonly string[] | undefined
  readonly value_field?: string | null | undefined
}

/** Reads the fields that are named to decide about another one. */
export function controllersIn({ visibility_field: shown, value_field: offered }: Given) {
  return db
    .select({ id: fields.id, name: fields.name, type: fields.type })
    .from(fields)
    .where(sql`${fieldCondition(shown ?? '')} OR ${fieldCondition(offered ?? '')}`)
}

/**
 * While which values of which field the field `own` is to be shown. Faults 50 for a field to decide without
 * values, 51 for what does not exist, 53 for a field that cannot decide, and for values without one.
 */
export function decideControl(
  given: Given,
  before: Control,
  known: { fields: readonly Deciding[]; controllers: readonly Controller[] },
  own: string,
): Control {
  const field = decidedBy('visibility_field', given.visibility_field, before.field, known, own)
  const names = given.visibility_values
  if (field === null) {
    if ((names ?? []).length > 0) {
      const reason = "needs a 'visibility_field'"
      throw fault('parameterInvalid', { field: 'visibility_values', reason })
    }
    return NO_CONTROL
  }
  const isSame = field.id === before.field?.id
  if (names === undefined && isSame) {
    return before
  }
  if (names === undefined || names.length === 0) {
    throw fault('valueBlank', { field: 'visibility_values' })
  }
  return {
    field,
    held: chosenControllers(field.name, names, known.controllers, isSame ? before.held : []),
  }
}

/** Which field is to decide what values are offered. Faults 51 and 53. */
export function decideValueField(
  given: Given,
  type: number,
  before: Named | null,
  known: readonly Deciding[],
  own: string,
): Named | null {
  const field = decidedBy('value_field', given.value_field, before, { fields: known }, own)
  if (field !== null && !SELECT_TYPES.includes(type)) {
    const reason = 'is for fields of the types 2 and 3 only'
    throw fault('parameterInvalid', { field: 'value_field', reason })
  }
  return field
}

/** Writes while which values a field is shown, in place of what was said before. */
export function showWhile(fieldId: SQL, { field, held }: Control): Statement[] {
  return [
    sql`DELETE FROM field_visibility WHERE field_id = ${fieldId}`,
    sql`INSERT INTO field_visibility (field_id, controlling_id)
      SELECT ${fieldId}, value FROM ${jsonList(held.map(({ id }) => id))}`,
    ...whileThere(field?.name ?? '', held),
  ]
}

function decidedBy(
  parameter: 'visibility_field' | 'value_field',
  given: string | null | undefined,
  before: Named | null,
  { fields: known }: { fields: readonly Deciding[] },
  own: string,
): Named | null {
  if (given === undefined) {
    return before
  }
  const asked = given?.trim() ?? ''
  if (asked === '') {
    return null
  }
  const found = known.find((field) => isCalled(field, asked))
  if (found === undefined) {
    throw fault('fieldUnknown', { field: asked })
  }
  // a bug has exactly one value of such a field
  if (found.type !== FIELD_TYPE.single || found.name === own) {
    const reason = 'must name another field with a list of values of which a bug has one'
    throw fault('parameterInvalid', { field: parameter, reason })
  }
  return { id: found.id, name: found.name }
}

function isCalled(field: Named, asked: string): boolean {
  const { id, name } = parseIdOrName(asked)
  return id === null ? field.name === internalName(name) : field.id === id
}
