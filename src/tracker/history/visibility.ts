import type { SQL } from 'drizzle-orm'
import type { Caller, Viewer } from '../../platform/access/caller.ts'
import { canTrackTime, isInsider } from '../../platform/access/rights.ts'
import {
  visibleAttachmentCondition,
  visibleBugCondition,
  visibleCommentCondition,
} from '../../platform/access/visibility.ts'
import { attachments } from '../../platform/db/schema/attachments.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { comments } from '../../platform/db/schema/comments.ts'
import { history } from '../../platform/db/schema/history.ts'
import { aliasColumns, sql } from '../../platform/db/sql.ts'
import { itemBugId, splitItems } from './links.ts'

const other = aliasColumns(bugs, 'other')

/**
 * The conditions on rows of `history`, which has no alias, that hide whole rows: private comments and
 * attachments, and hours. Private attachments are visible as they are to `attachmentViewer`.
 * Reference: history.md, "Hidden parts of history".
 */
export function visibleRowConditions(caller: Caller, attachmentViewer: Viewer = caller): SQL[] {
  const attachment = sql`(${history.attachmentId} IS NULL OR EXISTS (SELECT 1 FROM attachments
    WHERE ${attachments.id} = ${history.attachmentId} AND ${visibleAttachmentCondition(attachmentViewer)}))`
  const comment = sql`(${history.commentId} IS NULL OR EXISTS (SELECT 1 FROM comments
    WHERE ${comments.id} = ${history.commentId} AND ${visibleCommentCondition(caller)}))`
  const privacy = sql`${history.field} <> 'longdescs.isprivate'`
  const hours = sql`${history.field} NOT IN ('estimated_time', 'remaining_time', 'work_time')`
  return [
    ...(isInsider(caller) ? [] : [attachment, comment, privacy]),
    ...(canTrackTime(caller) ? [] : [hours]),
    ...(canTrackTime(caller) && !isInsider(caller) ? [publicWorkCondition()] : []),
  ]
}

/** Hides work time that was recorded with a private comment in the same commit. */
function publicWorkCondition(): SQL {
  return sql`NOT (${history.field} = 'work_time' AND EXISTS (SELECT 1 FROM comments
    WHERE ${comments.noticeId} = ${history.noticeId} AND ${comments.workTime} <> 0
      AND ${comments.isPrivate} = 1))`
}

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
