import type { SQL } from 'drizzle-orm'
import { history } from '../../platform/db/schema/bugs.ts'
import { BUG_TYPES, fields } from '../../platform/db/schema/fields.ts'
import { aliasColumns, jsonList, sql } from '../../platform/db/sql.ts'

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
  return sql`(${history.field} IN ${jsonList(LINKING_FIELDS)} OR ${history.field} IN (${selectLinkingCustomFields()}))`
}

/** Selects the names in `history` of all fields that name bugs. */
export function selectLinkingFields(): SQL {
  return sql`SELECT value FROM json_each(${JSON.stringify(LINKING_FIELDS)}) UNION ALL ${selectLinkingCustomFields()}`
}

function selectLinkingCustomFields(): SQL {
  return sql`SELECT ${f.name} FROM fields f
    WHERE ${f.isCustom} = 1 AND ${f.type} IN (${sql.raw(BUG_TYPES.join(', '))})`
}

/** A table of the items of a list in a history row. No item contains a comma with a space. */
export function splitItems(list: SQL): SQL {
  return sql`json_each('[' || replace(json_quote(${list}), ', ', '","') || ']')`
}

/**
 * How a link to a bug of this service is stored, ahead of its number: without the host, which is what a
 * client says it is. No other link begins like this.
 */
export const LOCAL_LINK = '/bug/'

/** A link of `see_also` as it is stored, with the address of the service when it leads to a bug of it. */
export function expandLink(link: string, baseUrl: string): string {
  return link.startsWith(LOCAL_LINK) ? `${baseUrl}${link}` : link
}

/** What a row of history removes or adds, with the address of the service in links to its bugs. */
export function expandLinks(field: string, list: string, baseUrl: string): string {
  return field === 'see_also'
    ? list
        .split(', ')
        .map((link) => expandLink(link, baseUrl))
        .join(', ')
    : list
}

/**
 * The ID of the bug that `item.value` names in a row of `history` that names bugs: null for links that do not
 * lead to this service. Older rows hold whole addresses. No bug needs to have that ID.
 */
export function itemBugId(baseUrl: string): SQL {
  return sql`CASE WHEN ${history.field} <> 'see_also' THEN CAST(item.value AS INTEGER)
    WHEN instr(item.value, ${LOCAL_LINK}) = 1 THEN CAST(substr(item.value, ${LOCAL_LINK.length + 1}) AS INTEGER)
    ELSE coalesce(${linkedBugId(baseUrl, '/bug/')}, ${linkedBugId(baseUrl, '/show_bug.cgi?id=')}) END`
}

/** Without a base URL every link with the path of a bug counts, so that nothing hidden is revealed. */
function linkedBugId(baseUrl: string, path: string): SQL {
  const address = `${baseUrl}${path}`
  const at = sql`instr(item.value, ${address})`
  return sql`CASE WHEN ${baseUrl === '' ? sql`${at} > 0` : sql`${at} = 1`}
    THEN CAST(substr(item.value, ${at} + length(${address})) AS INTEGER) END`
}
