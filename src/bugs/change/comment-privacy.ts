import type { SQL } from 'drizzle-orm'
import type { BugSet } from '../../access/bug-set.ts'
import type { Caller, Person } from '../../access/caller.ts'
import { isInsider } from '../../access/rights.ts'
import { visibleCommentCondition } from '../../access/visibility.ts'
import { db } from '../../db/client.ts'
import type { Statement } from '../../db/commit.ts'
import { comments } from '../../db/schema/comments.ts'
import { jsonList, jsonRows, sql } from '../../db/sql.ts'
import { fault } from '../../faults.ts'
import { type HistoryOrigin, recordHistory } from '../../history/record.ts'

/** Comments by their IDs, and whether each is to be private. */
export type AskedPrivacy = Readonly<Record<string, boolean | undefined>> | undefined

/** A comment that becomes private, or public: 1 or 0. */
export type PrivacyEdit = { readonly id: number; readonly isPrivate: 0 | 1 }

/** Reads the comments named, of the bugs of the request, as far as the caller sees them. */
export function commentsToSwitch(caller: Caller, set: BugSet, asked: AskedPrivacy) {
  const ids = Object.keys(asked ?? {}).filter(isId)
  return ids.length === 0
    ? undefined
    : db
        .select({ id: comments.id, isPrivate: comments.isPrivate })
        .from(comments)
        .where(sql`comments.id IN ${jsonList(ids.map(Number))} AND ${visibleCommentCondition(caller)}
          AND comments.bug_id IN (SELECT bugs.id FROM bugs WHERE ${set.condition})`)
}

/**
 * The comments whose privacy an update changes. Pure. Contract "Bugs", comment_is_private. Faults 117 for
 * what is no comment of these bugs that the caller sees, 113 when somebody else than an insider would
 * change one.
 */
export function decidePrivacy(
  person: Person,
  asked: AskedPrivacy,
  read: readonly { readonly id: number; readonly isPrivate: boolean }[] = [],
): PrivacyEdit[] {
  const byId = new Map(read.map((comment) => [comment.id, comment]))
  return Object.entries(asked ?? {}).flatMap(([key, wanted]) => {
    const comment = isId(key) ? byId.get(Number(key)) : undefined
    if (comment === undefined) {
      throw fault('commentNotOnBug', { id: key.slice(0, 100) })
    }
    if (wanted === undefined || wanted === comment.isPrivate) {
      return []
    }
    if (!isInsider(person)) {
      throw fault('privacyDenied')
    }
    return [{ id: comment.id, isPrivate: wanted ? (1 as const) : (0 as const) }]
  })
}

/** The bugs that have a comment whose privacy the edits really change, as a select of `bug_id`. */
export function bugsWithSwitchedComments(edits: readonly PrivacyEdit[]): SQL {
  return sql`SELECT c.bug_id FROM ${differing(edits)}`
}

/** Switches comments where they are not yet so, and tells of it. Returns what `record` does. */
export function switchPrivacy(
  edits: readonly PrivacyEdit[],
  recording: HistoryOrigin,
): Statement[] {
  const held = sql`CAST(c.is_private AS TEXT)`
  const wanted = sql`CAST(r.value ->> 'isPrivate' AS TEXT)`
  return [
    recordHistory(
      {
        field: 'longdescs.isprivate',
        from: differing(edits),
        bugId: sql`c.bug_id`,
        commentId: sql`c.id`,
        removed: held,
        removedFolded: held,
        added: wanted,
        addedFolded: wanted,
      },
      recording,
    ),
    sql`UPDATE comments SET is_private = r.value ->> 'isPrivate' FROM ${jsonRows(edits)}
      WHERE comments.id = r.value ->> 'id' AND comments.is_private <> r.value ->> 'isPrivate'`,
  ]
}

function differing(edits: readonly PrivacyEdit[]): SQL {
  return sql`${jsonRows(edits)} JOIN comments c
    ON c.id = r.value ->> 'id' AND c.is_private <> r.value ->> 'isPrivate'`
}

function isId(key: string): boolean {
  return /^\d{1,15}$/.test(key)
}
