import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from '../db/commit.ts'
import { jsonRows } from '../db/sql.ts'
import { fold } from '../lib/text.ts'

/** One changed field of one bug, under its API name, in the words of the contract ("History record"). */
export type Change = {
  readonly bugId: number
  readonly field: string
  readonly removed: string
  readonly added: string
}

/** Who changed something, when, and which notice tells of it, given the column that holds the bug. */
export type Recording = {
  readonly authorId: number
  /** Unix seconds. */
  readonly at: number
  readonly noticeOf: (bugId: SQL) => SQL
}

/** The history rows of a change, for the commit that makes it. Contract "History record". */
export function recordChanges(changes: readonly Change[], recording: Recording): Statement[] {
  if (changes.length === 0) {
    return []
  }
  const rows = changes.map((change) => ({
    ...change,
    removedFold: fold(change.removed),
    addedFold: fold(change.added),
  }))
  const column = (name: string) => sql`r.value ->> ${name}`
  return [
    sql`INSERT INTO history (bug_id, author_id, changed_at, field, removed, removed_fold, added,
        added_fold, notice_id)
      SELECT ${column('bugId')}, ${recording.authorId}, ${recording.at}, ${column('field')},
        ${column('removed')}, ${column('removedFold')}, ${column('added')}, ${column('addedFold')},
        ${recording.noticeOf(sql`(r.value ->> 'bugId')`)}
      FROM ${jsonRows(rows)} ORDER BY r.key`,
  ]
}
