import type { SQL } from 'drizzle-orm'
import type { Statement } from '../../platform/db/commit.ts'
import { bugs, history } from '../../platform/db/schema/bugs.ts'
import { aliasColumns, columnNames, sql } from '../../platform/db/sql.ts'

const b = aliasColumns(bugs, 'b')

const HISTORY_COLUMNS = columnNames(
  history.bugId,
  history.authorId,
  history.changedAt,
  history.field,
  history.removed,
  history.removedFold,
  history.added,
  history.addedFold,
  history.attachmentId,
  history.noticeId,
  history.commentId,
)

/**
 * A change of one field as SQL expressions over `from`: the bug, and what is removed and added, in the form of
 * the API and folded.
 */
export type HistoryChange = {
  /** The API name of the field, or a column of `from` that holds it. */
  readonly field: string | SQL
  readonly from: SQL
  readonly bugId: SQL
  /** Nothing, if it is not said; and folded the same. */
  readonly removed?: SQL
  readonly removedFolded?: SQL
  readonly added?: SQL
  readonly addedFolded?: SQL
  /** The attachment that changes; its rows are returned with `attachment_id` instead of `bug_id`. */
  readonly attachmentId?: SQL
  /** The comment whose privacy changed; none when absent. */
  readonly commentId?: SQL
}

const NOTHING = sql`''`

/** The author of a change and what it belongs to; functions take the column of the bug ID. */
export type HistoryOrigin = {
  readonly authorId: number
  readonly noticeOf: (bugId: SQL) => SQL
  /** The comment that the change came with: the row is visible to those alone who see the comment. */
  readonly commentOf?: (bugId: SQL) => SQL
  /** Unix seconds, for a change that leaves the time of its bug as it is; that time is the minimum. */
  readonly at?: number
}

/**
 * Records the history of a change in the same commit: behind `recordNotice`, and ahead of the change, because
 * it reads the removed values from the state before it. Rows without a difference are not written. Returns
 * `bug_id` or `attachment_id`, `field`, `removed` and `added`.
 */
export function recordHistory(change: HistoryChange, origin: HistoryOrigin): Statement {
  const { authorId, noticeOf, at, commentOf = () => sql`NULL` } = origin
  const { field, from, bugId, removed = NOTHING, added = NOTHING, attachmentId } = change
  const { removedFolded = removed, addedFolded = added } = change
  const changedAt = bugChangedAt(sql`t.bug_id`)
  return sql`INSERT INTO history (${HISTORY_COLUMNS})
    SELECT t.bug_id, ${authorId}, ${at === undefined ? changedAt : sql`max(${changedAt}, ${at})`}, t.field,
      t.removed, t.removed_fold, t.added, t.added_fold, t.attachment_id, ${noticeOf(sql`t.bug_id`)},
      coalesce(t.comment_id, ${commentOf(sql`t.bug_id`)})
    FROM (SELECT ${bugId} AS bug_id, ${field} AS field, ${removed} AS removed,
        ${removedFolded} AS removed_fold, ${added} AS added, ${addedFolded} AS added_fold,
        ${attachmentId ?? sql`NULL`} AS attachment_id,
        ${change.commentId ?? sql`NULL`} AS comment_id FROM ${from}) t
    WHERE t.removed <> t.added
    RETURNING ${columnNames(attachmentId === undefined ? history.bugId : history.attachmentId, history.field, history.removed, history.added)}`
}

/** The time of the current change of the bug with the ID in `column`; `recordNotice` sets it. */
export function bugChangedAt(column: SQL): SQL {
  return sql`(SELECT ${b.changedAt} FROM bugs b WHERE ${b.id} = ${column})`
}
