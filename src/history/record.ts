import type { SQL } from 'drizzle-orm'
import type { Statement } from '../db/commit.ts'
import { sql } from '../db/sql.ts'

/**
 * A change of one field, told in SQL over `from`: of which bug, and what was removed and added, in the
 * words of the contract and in their folded form.
 */
export type HistoryChange = {
  /** The API name of the field, or a column of `from` that holds it. */
  readonly field: string | SQL
  readonly from: SQL
  readonly bugId: SQL
  readonly removed: SQL
  readonly removedFolded: SQL
  readonly added: SQL
  readonly addedFolded: SQL
  /** The attachment whose change this is; its rows are returned under `attachment_id` alone. */
  readonly attachmentId?: SQL
  /** The comment whose privacy changed; none when absent. */
  readonly commentId?: SQL
}

/** Who changed something, and which notice tells of it, given the column that holds the bug. */
export type HistoryOrigin = {
  readonly authorId: number
  readonly noticeOf: (bugId: SQL) => SQL
  /** The comment that the change hangs on, given the column that holds the bug: who may not see that may not see this. */
  readonly commentOf?: (bugId: SQL) => SQL
  /** Unix seconds, for a change that does not move the time of its bug, which it still does not precede. */
  readonly at?: number
}

/**
 * The history of a change, for the commit that makes it: behind `announce`, and ahead of the change, since
 * what is removed is read from the state that is about to be left. Where nothing differs nothing is
 * written. Returns `bug_id` or `attachment_id`, `field`, `removed` and `added`. Contract "History record".
 */
export function recordHistory(telling: HistoryChange, recording: HistoryOrigin): Statement {
  const { authorId, noticeOf, at, commentOf = () => sql`NULL` } = recording
  const { field, from, bugId, removed, removedFolded, added, addedFolded, attachmentId } = telling
  const moment = bugChangedAt(sql`t.bug_id`)
  return sql`INSERT INTO history (bug_id, author_id, changed_at, field, removed, removed_fold, added,
      added_fold, attachment_id, notice_id, comment_id)
    SELECT t.bug_id, ${authorId}, ${at === undefined ? moment : sql`max(${moment}, ${at})`}, t.field,
      t.removed, t.removed_fold, t.added, t.added_fold, t.attachment_id, ${noticeOf(sql`t.bug_id`)},
      coalesce(t.comment_id, ${commentOf(sql`t.bug_id`)})
    FROM (SELECT ${bugId} AS bug_id, ${field} AS field, ${removed} AS removed,
        ${removedFolded} AS removed_fold, ${added} AS added, ${addedFolded} AS added_fold,
        ${attachmentId ?? sql`NULL`} AS attachment_id,
        ${telling.commentId ?? sql`NULL`} AS comment_id FROM ${from}) t
    WHERE t.removed <> t.added
    RETURNING ${sql.raw(attachmentId === undefined ? 'bug_id' : 'attachment_id')}, field, removed, added`
}

/** The moment of the change that a commit makes to the bug whose ID is in `column`, once it is announced. */
export function bugChangedAt(column: SQL): SQL {
  return sql`(SELECT b.changed_at FROM bugs b WHERE b.id = ${column})`
}
