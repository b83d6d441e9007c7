import { eq } from 'drizzle-orm'
import type { Caller } from '../../platform/access/caller.ts'
import { bugNotVisible } from '../../platform/access/faults.ts'
import { visibleBugCondition, visibleCommentCondition } from '../../platform/access/visibility.ts'
import { bugs, comments } from '../../platform/db/schema/bugs.ts'
import { db, jsonList, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { parseId } from '../../platform/lib/id-or-name.ts'
import { commentPrivate, commentUnknown } from './faults.ts'

/** The bug of a comment and whether the caller sees both. */
type CommentAccess = { id: number; bugId: number; isVisible: boolean; isBugVisible: boolean }

export function parseCommentId(input: string): number {
  const id = parseId(input)
  if (id === null) {
    throw fault(commentUnknown, { id: input.trim().slice(0, 100) })
  }
  return id
}

/** Selects what `requireVisibleComment` needs, for the `readBatch` that reads the comment. */
export function selectCommentAccess(caller: Caller, ids: readonly number[]) {
  return db
    .select({
      id: comments.id,
      bugId: comments.bugId,
      isVisible: sql<boolean>`${visibleCommentCondition(caller)}`.mapWith(Boolean).as('is_visible'),
      isBugVisible: sql<boolean>`${visibleBugCondition(caller)}`
        .mapWith(Boolean)
        .as('is_bug_visible'),
    })
    .from(comments)
    .innerJoin(bugs, eq(bugs.id, comments.bugId))
    .where(sql`${comments.id} IN ${jsonList(ids)}`)
}

/** The comment, if the caller sees it. The message of a refusal does not name a hidden bug. */
export function requireVisibleComment(
  caller: Caller,
  id: number,
  rows: readonly CommentAccess[],
): CommentAccess {
  const access = rows.find((row) => row.id === id)
  if (access === undefined) {
    throw fault(commentUnknown, { id: String(id) })
  }
  if (!access.isBugVisible) {
    throw fault(bugNotVisible, {
      given: `of comment ${id}`,
      anonymous: caller.kind === 'anonymous',
    })
  }
  if (!access.isVisible) {
    throw fault(commentPrivate, { id: String(id) })
  }
  return access
}
