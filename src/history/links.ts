import type { SQL } from 'drizzle-orm'
import { BUG_TYPES, fields } from '../db/schema/fields.ts'
import { history } from '../db/schema/history.ts'
import { aliasColumns, jsonList, sql } from '../db/sql.ts'

const f = aliasColumns(fields, 'f')

/** The fields whose history names other bugs, without custom fields. */
const LINKING_FIELDS = [
  'depends_on',
  'blocks',
  'regressed_by',
  'regressions',
  'duplicates',
  'dupe_of',
  'see_also',
]

/** Whether the history of this field, which is no custom one, names other bugs. */
export function isLinkingField(field: string): boolean {
  return LINKING_FIELDS.includes(field)
}

/** Whether a row of `history` names other bugs; those of custom fields that hold bugs do. */
export function namesBugsCondition(): SQL {
  return sql`(${history.field} IN ${jsonList(LINKING_FIELDS)} OR ${history.field} IN (
    SELECT ${f.name} FROM fields f WHERE ${f.isCustom} = 1 AND ${f.type} IN (${sql.raw(BUG_TYPES.join(', '))})))`
}

/** A table of the items of a list in a history row. No item contains a comma with a space. */
export function splitItems(list: SQL): SQL {
  return sql`json_each('[' || replace(json_quote(${list}), ', ', '","') || ']')`
}

/**
 * The ID of the bug that `item.value` names in a row of `history` that names bugs: null for links that do not
 * lead to this service. No bug needs to have that ID.
 */
export function itemBugId(baseUrl: string): SQL {
  return sql`CASE WHEN ${history.field} <> 'see_also' THEN CAST(item.value AS INTEGER)
    ELSE coalesce(${linkedBugId(baseUrl, '/bug/')}, ${linkedBugId(baseUrl, '/show_bug.cgi?id=')}) END`
}

/** Without a base URL every link with the path of a bug counts, so that nothing hidden is revealed. */
function linkedBugId(baseUrl: string, path: string): SQL {
  const address = `${baseUrl}${path}`
  const at = sql`instr(item.value, ${address})`
  return sql`CASE WHEN ${baseUrl === '' ? sql`${at} > 0` : sql`${at} = 1`}
    THEN CAST(substr(item.value, ${at} + length(${address})) AS INTEGER) END`
}
