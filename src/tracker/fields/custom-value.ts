import type { SQL } from 'drizzle-orm'
import { customValues } from '../../platform/db/schema/bugs.ts'
import { FIELD_TYPE, type FieldTypeName, fieldValues } from '../../platform/db/schema/fields.ts'
import { aliasColumns, sql } from '../../platform/db/sql.ts'

const c = aliasColumns(customValues, 'c')
const v = aliasColumns(fieldValues, 'v')

const CHOICE_NAME = sql`(SELECT ${v.name} FROM field_values v WHERE ${v.id} = ${c.valueId})`
const DATETIME = sql`strftime('%Y-%m-%dT%H:%M:%SZ', ${c.number}, 'unixepoch')`
const WHOLE_NUMBER = sql`CAST(CAST(${c.number} AS INTEGER) AS TEXT)`
const TEXT = sql`${c.text}`

/** The value in a row `c` of `custom_values`, in the form of history. */
const HISTORY_FORMS: Readonly<Record<FieldTypeName, SQL>> = {
  freeText: TEXT,
  single: CHOICE_NAME,
  multi: CHOICE_NAME,
  largeText: TEXT,
  datetime: DATETIME,
  bugId: WHOLE_NUMBER,
  date: TEXT,
  integer: WHOLE_NUMBER,
}

/** The value in a row `c` of `custom_values`, of a field of this type, in the form of history. */
export function historyValueOf(type: SQL): SQL<string> {
  const names = Object.keys(HISTORY_FORMS) as FieldTypeName[]
  const byForm = Map.groupBy(names, (name) => HISTORY_FORMS[name])
  const cases = [...byForm]
    .filter(([form]) => form !== CHOICE_NAME && form !== TEXT)
    .map(([form, ofForm]) => {
      const numbers = ofForm.map((name) => FIELD_TYPE[name])
      return sql`WHEN ${type} IN (${sql.raw(numbers.join(', '))}) THEN ${form}`
    })
  // a row with a choice keeps it, even if the type of its field has changed
  return sql<string>`CASE WHEN ${c.valueId} IS NOT NULL THEN ${CHOICE_NAME}
    ${sql.join(cases, sql` `)} ELSE ${TEXT} END`
}
