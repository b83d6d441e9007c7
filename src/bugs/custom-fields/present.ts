import type { SQL } from 'drizzle-orm'
import { FIELD_TYPE } from '../../db/schema/fields.ts'
import { aliasColumns, sql } from '../../db/sql.ts'
import { toDatetime } from '../../lib/time.ts'
import { omitOnError } from '../model/omit-on-error.ts'

const c = aliasColumns(customValues, 'c')

import { customValues } from '../../db/schema/bug-sets.ts'

/** A value as a row of bugs holds it: field ID, text, number, name of the choice. */
export type CustomTuple = readonly [number, string | null, number | null, string | null]

/** The definition of a custom field as far as showing a value needs it. */
export type CustomField = { id: number; name: string; type: number; isObsolete: boolean }

/**
 * A condition on `custom_values c`: the values of a bug, of one field if that is named. Texts and choices have
 * an index each, and only a condition that names both is answered by them.
 */
export function storedValuesCondition(bugId: SQL, fieldId?: SQL): SQL {
  const here = fieldId === undefined ? sql`1` : sql`${c.fieldId} = ${fieldId}`
  return sql`((${c.bugId} = ${bugId} AND ${here} AND ${c.valueId} IS NULL)
    OR (${c.bugId} = ${bugId} AND ${here} AND ${c.valueId} IS NOT NULL))`
}

/**
 * The custom fields of one bug under their own names. Obsolete fields are shown only while the bug holds
 * a value. Reference: bugs.md, "Custom fields".
 */
export function presentCustom(
  row: { readonly id: number; readonly custom: string },
  definitions: readonly CustomField[],
): Record<string, unknown> {
  if (definitions.length === 0) {
    return {}
  }
  const values = JSON.parse(row.custom) as CustomTuple[]
  const shown: Record<string, unknown> = {}
  for (const definition of definitions) {
    const own = values.filter(([fieldId]) => fieldId === definition.id)
    const value =
      own.length > 0 || !definition.isObsolete
        ? omitOnError({ bugId: row.id, field: definition.name }, () =>
            presentValue(definition.type, own),
          )
        : undefined
    if (value !== undefined) {
      shown[definition.name] = value
    }
  }
  return shown
}

function presentValue(type: number, own: readonly CustomTuple[]): unknown {
  const [, text, number, choice] = own[0] ?? [0, null, null, null]
  switch (type) {
    case FIELD_TYPE.multi:
      return own.map(([, , , name]) => name)
    case FIELD_TYPE.single:
      return choice ?? '---'
    case FIELD_TYPE.datetime:
      return number === null ? null : toDatetime(number)
    case FIELD_TYPE.date:
      return text === null ? null : `${text}T00:00:00Z`
    case FIELD_TYPE.bugId:
      return number
    case FIELD_TYPE.integer:
      return number === null ? null : String(number)
    default:
      return text ?? ''
  }
}
