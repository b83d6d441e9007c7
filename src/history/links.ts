import type { SQL } from 'drizzle-orm'
import { FIELD_TYPE } from '../db/schema/fields.ts'
import { jsonList, sql } from '../db/sql.ts'

/** The fields whose history names other bugs, custom ones aside. */
const LINKING_FIELDS = [
  'depends_on',
  'blocks',
  'regressed_by',
  'regressions',
  'duplicates',
  'dupe_of',
  'see_also',
]

/** Whether a row of `history` names other bugs: custom fields that hold bugs do, too. */
export function namesBugsCondition(): SQL {
  return sql`(history.field IN ${jsonList(LINKING_FIELDS)} OR history.field IN (
    SELECT f.name FROM fields f WHERE f.is_custom = 1 AND f.type = ${sql.raw(String(FIELD_TYPE.bugId))}))`
}

/** The items of a list in a history row, one row each, to select from. Items hold no comma and blank. */
export function splitItems(list: SQL): SQL {
  return sql`json_each('[' || replace(json_quote(${list}), ', ', '","') || ']')`
}

/**
 * The number of the bug that `item.value` stands for in a row of `history` that names bugs; see-also
 * links count when they lead to this service. No bug needs to have that number.
 */
export function itemBugId(baseUrl: string): SQL {
  return sql`CASE WHEN history.field <> 'see_also' THEN CAST(item.value AS INTEGER)
    ELSE coalesce(${linkedBugId(baseUrl, '/bug/')}, ${linkedBugId(baseUrl, '/show_bug.cgi?id=')}) END`
}

/** A service that does not know its own address takes any link that looks like a bug for one of its bugs. */
function linkedBugId(baseUrl: string, path: string): SQL {
  const address = `${baseUrl}${path}`
  const at = sql`instr(item.value, ${address})`
  return sql`CASE WHEN ${baseUrl === '' ? sql`${at} > 0` : sql`${at} = 1`}
    THEN CAST(substr(item.value, ${at} + length(${address})) AS INTEGER) END`
}
