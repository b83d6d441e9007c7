import type { SQL } from 'drizzle-orm'
import type { Viewer } from '../../../platform/access/caller.ts'
import { visibleBugCondition } from '../../../platform/access/visibility.ts'
import { bugs, customValues } from '../../../platform/db/schema/bugs.ts'
import { fields } from '../../../platform/db/schema/fields.ts'
import { aliasColumns, sql } from '../../../platform/db/sql.ts'
import { omitOnError } from '../model/omit-on-error.ts'
import { type CustomTuple, customFieldType, holdsBugCondition } from './types.ts'

const c = aliasColumns(customValues, 'c')
const f = aliasColumns(fields, 'f')
const other = aliasColumns(bugs, 'other')

/** What presenting a value needs of its field. */
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

/** A condition on `custom_values c` and its field `f`: the value is no bug that the viewer does not see. */
export function visibleValueCondition(viewer: Viewer): SQL {
  return sql`(NOT (${holdsBugCondition(f.type)}) OR EXISTS (SELECT 1 FROM bugs other
    WHERE ${other.id} = ${c.number} AND ${visibleBugCondition(viewer, 'other')}))`
}

/**
 * The custom fields of one bug under their own names. Obsolete fields are shown only while the bug holds a value.
 */
export function presentCustom(
  row: { readonly id: number; readonly custom: string | null },
  definitions: readonly CustomField[],
): Record<string, unknown> {
  if (definitions.length === 0) {
    return {}
  }
  const values: CustomTuple[] = JSON.parse(row.custom ?? '[]')
  const shown: Record<string, unknown> = {}
  for (const definition of definitions) {
    const own = values.filter(([fieldId]) => fieldId === definition.id)
    const value =
      own.length > 0 || !definition.isObsolete
        ? omitOnError({ bugId: row.id, field: definition.name }, () =>
            customFieldType(definition.type).present(own),
          )
        : undefined
    if (value !== undefined) {
      shown[definition.name] = value
    }
  }
  return shown
}
