import { eq } from 'drizzle-orm'
import type { Caller } from '../access/caller.ts'
import { visibleBugCondition, visibleCommentCondition } from '../access/visibility.ts'
import { db } from '../db/client.ts'
import { bugs } from '../db/schema/bugs.ts'
import { comments } from '../db/schema/comments.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { parseId } from '../lib/id-or-name.ts'

/** Where a comment is and who may read it. */
export type CommentAccess = { id: number; bugId: number; isVisible: boolean; isBugVisible: boolean }

/** The number of a comment as somebody gave it; fault 111 for what cannot be one. */
export function parseCommentId(given: string): number {
  const id = parseId(given)
  if (id === null) {
    throw fault('commentUnknown', { id: given.trim().slice(0, 100) })
  }
  return id
}

/** Reads where a comment is: to be sent `together` with what is wanted of it, and judged by `reachableComment`. */
export function selectCommentAccess(caller: Caller, id: number) {
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
    .where(eq(comments.id, id))
}

/**
 * The comment, if the caller may read it. Contract "Errors", Get Comments: 111 when there is none, 102 when
 * its bug is hidden, which the message does not name, 110 when it, or the attachment that it is about, is private.
 */
export function requireVisibleComment(
  caller: Caller,
  id: number,
  [place]: readonly CommentAccess[],
): CommentAccess {
  if (place === undefined) {
    throw fault('commentUnknown', { id: String(id) })
  }
  if (!place.isBugVisible) {
    throw fault('bugNotVisible', {
      given: `of comment ${id}`,
      anonymous: caller.kind === 'anonymous',
    })
  }
  if (!place.isVisible) {
    throw fault('commentPrivate', { id: String(id) })
  }
  return place
}
