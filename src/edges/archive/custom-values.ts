import { customValues } from '../../platform/db/schema/bugs.ts'
import {
  BUG_TYPES,
  FIELD_TYPE,
  fields,
  fieldValues,
  MULTI_SELECT_TYPES,
  SELECT_TYPES,
  TEXT_TYPES,
} from '../../platform/db/schema/fields.ts'
import { aliasColumns, sql } from '../../platform/db/sql.ts'
import { fold } from '../../platform/lib/text.ts'
import {
  type Cell,
  days,
  integers,
  type JsonValue,
  rowIds,
  type StoredForm,
  texts,
  times,
} from './form.ts'

const c = aliasColumns(customValues, 'c')
const f = aliasColumns(fields, 'f')
const v = aliasColumns(fieldValues, 'v')

/** The values of the custom fields of a bug `t`, as a JSON list of field, type and value. */
export const CUSTOM_VALUES = sql`(SELECT json_group_array(json_array(${f.name}, ${f.type},
    coalesce(${v.name}, ${c.text}, ${c.number})) ORDER BY ${f.id}, ${c.valueId})
  FROM custom_values c JOIN fields f ON ${f.id} = ${c.fieldId}
  LEFT JOIN field_values v ON ${v.id} = ${c.valueId} WHERE ${c.bugId} = t.id)`

/** A custom field by what its values need. */
export type ArchivedField = { readonly id: number; readonly type: number }

/** A row of `custom_values`; `choice` is the name of a value of the field. */
type CustomRow = {
  readonly fieldId: number
  readonly text: Cell
  readonly textFold: Cell
  readonly number: Cell
  readonly choice: string | null
}

const CUSTOM_NAME = /^cf_/

export function isCustomName(name: string): boolean {
  return CUSTOM_NAME.test(name)
}

/** The members of a line, from what `CUSTOM_VALUES` selects. */
export function presentCustomValues(selected: string): Record<string, JsonValue> {
  const members: Record<string, JsonValue> = {}
  for (const [name, type, value] of JSON.parse(selected) as [string, number, string | number][]) {
    const presented = SELECT_TYPES.includes(type) ? value : formOfType(type).present(value)
    const before = members[name]
    members[name] = MULTI_SELECT_TYPES.includes(type)
      ? [...(Array.isArray(before) ? (before as JsonValue[]) : []), presented]
      : presented
  }
  return members
}

/** The rows of a custom field. Throws what is wrong as a text that completes "NAME …". */
export function parseCustomValue(
  value: JsonValue,
  { id: fieldId, type }: ArchivedField,
): CustomRow[] {
  const row = { fieldId, text: null, textFold: null, number: null, choice: null }
  if (SELECT_TYPES.includes(type)) {
    const isMulti = MULTI_SELECT_TYPES.includes(type)
    const names = isMulti ? value : [value]
    if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) {
      throw new Error(isMulti ? 'must be a list of names' : 'must be a name')
    }
    if (new Set(names.map(fold)).size < names.length) {
      throw new Error('has a value twice')
    }
    return names.map((choice) => ({ ...row, choice }))
  }
  const form = formOfType(type)
  const cell = form.parse(value)
  if (cell === undefined) {
    throw new Error(`must be ${form.expected}`)
  }
  return TEXT_TYPES.includes(type)
    ? [{ ...row, text: cell, textFold: fold(String(cell)) }]
    : [{ ...row, number: cell }]
}

function formOfType(type: number): StoredForm {
  switch (type) {
    case FIELD_TYPE.datetime:
      return times
    case FIELD_TYPE.date:
      return days
    case FIELD_TYPE.integer:
      return integers
    default:
      return BUG_TYPES.includes(type) ? rowIds : texts
  }
}
