import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../platform/access/caller.ts'
import { visibleBugCondition } from '../../platform/access/visibility.ts'
import { bugs, history } from '../../platform/db/schema/bugs.ts'
import { aliasColumns, sql } from '../../platform/db/sql.ts'
import { itemBugId, splitItems } from './links.ts'

const other = aliasColumns(bugs, 'other')

/**
 * A list of bugs, or of links to bugs, in a row of `history`, without those that are hidden from the
 * caller.
 */
export function omitHiddenBugs(caller: Caller, baseUrl: string, list: SQL): SQL {
  return sql`(SELECT coalesce(group_concat(item.value, ', ' ORDER BY item.key), '')
    FROM ${splitItems(list)} item WHERE ${visibleItemCondition(caller, baseUrl)})`
}

/**
 * Selects both lists of a row of `history` that names bugs, as `omitHiddenBugs` leaves them: `removed`, `added`,
 * and the same folded as `removed_fold` and `added_fold`. One row.
 */
export function selectVisibleLists(caller: Caller, baseUrl: string): SQL {
  const items = (side: number, list: SQL, folded: SQL) =>
    sql`SELECT ${sql.raw(String(side))} AS side, i.key, i.value, f.value AS folded
      FROM ${splitItems(list)} i JOIN ${splitItems(folded)} f ON f.key = i.key`
  const join = (column: string, side: number) =>
    sql.raw(`coalesce(group_concat(item.${column}, ', ' ORDER BY item.key)
      FILTER (WHERE item.side = ${side}), '')`)
  return sql`SELECT ${join('value', 0)} AS removed, ${join('value', 1)} AS added,
      ${join('folded', 0)} AS removed_fold, ${join('folded', 1)} AS added_fold
    FROM (${items(0, sql`${history.removed}`, sql`${history.removedFold}`)}
      UNION ALL ${items(1, sql`${history.added}`, sql`${history.addedFold}`)}) item
    WHERE ${visibleItemCondition(caller, baseUrl)}`
}

/** Whether `item.value` leads to no bug that is hidden from the caller. */
function visibleItemCondition(caller: Caller, baseUrl: string): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM bugs other
    WHERE ${other.id} = ${itemBugId(baseUrl)} AND NOT ${visibleBugCondition(caller, 'other')})`
}
