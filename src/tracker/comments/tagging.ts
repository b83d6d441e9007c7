import type { SQL } from 'drizzle-orm'
import { groupOfSettingCondition, type Person } from '../../platform/access/caller.ts'
import type { Statement } from '../../platform/db/commit.ts'
import { commentTags, history } from '../../platform/db/schema/bugs.ts'
import { columnNames, db, jsonRows, sql } from '../../platform/db/sql.ts'
import { fault, invalidParameter } from '../../platform/faults/fault.ts'
import { fold, lengthOf } from '../../platform/lib/text.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { bugChangedAt } from '../history/record.ts'
import { commentTagInvalid, commentTagTooLong, commentTagTooShort } from './faults.ts'
import { newestCommentId, selectNewestComments } from './plan.ts'

/** A tag as typed, and folded for comparison. */
export type CommentTag = { readonly name: string; readonly folded: string }

/** What history holds of a change of the tags of a comment: no notice, because tags send no mail. */
export const TAG_HISTORY_COLUMNS = columnNames(
  history.bugId,
  history.authorId,
  history.changedAt,
  history.field,
  history.removed,
  history.removedFold,
  history.added,
  history.addedFold,
  history.commentId,
)

const MIN_TAG_LENGTH = 3
const MAX_TAG_LENGTH = 24
/** Of a comment that takes another one: everybody who reads it pays for all of them. */
export const MAX_TAGS = 100

export function areTagsEnabled({ COMMENT_TAGGERS_GROUP }: Settings): boolean {
  return COMMENT_TAGGERS_GROUP.trim() !== ''
}

export function selectTagRight(person: Person, settings: Settings) {
  const isTagger = areTagsEnabled(settings)
    ? groupOfSettingCondition(person, settings.COMMENT_TAGGERS_GROUP)
    : sql`0`
  return db
    .select({ isTagger: sql<number>`${isTagger}`.as('is_tagger') })
    .from(sql`(SELECT 1) AS one`)
}

/** Whether the row of `selectTagRight` gives the right to tag. */
export function canTag([row]: readonly { isTagger: number }[]): boolean {
  return row?.isTagger === 1
}

/** Selects the right to tag for a verb that adds a comment, if the comment has tags at all. */
export function selectTagRightIfNeeded(
  person: Person,
  settings: Settings,
  tags: readonly string[] | undefined,
) {
  return tags === undefined || tags.length === 0 ? undefined : selectTagRight(person, settings)
}

/** The tags of a new comment; none without the right to tag. Faults as of `parseCommentTags`. */
export function parseTagsOfNewComment(
  tags: readonly string[] | undefined,
  right: Parameters<typeof canTag>[0] | undefined,
): CommentTag[] {
  return right !== undefined && canTag(right) ? parseCommentTags('comment_tags', tags) : []
}

/** Parses tags and drops duplicates. */
export function parseCommentTags(field: string, input: readonly string[] = []): CommentTag[] {
  if (input.length > MAX_TAGS) {
    throw invalidParameter(field, `may hold at most ${MAX_TAGS} tags`)
  }
  const tags = new Map<string, CommentTag>()
  for (const name of input) {
    assertTagValid(name)
    const folded = fold(name)
    tags.set(folded, tags.get(folded) ?? { name, folded })
  }
  return [...tags.values()]
}

function assertTagValid(name: string): void {
  const length = lengthOf(name)
  const tag = name.slice(0, 100)
  if (length < MIN_TAG_LENGTH) {
    throw fault(commentTagTooShort, { tag, least: MIN_TAG_LENGTH })
  }
  if (length > MAX_TAG_LENGTH) {
    throw fault(commentTagTooLong, { tag, most: MAX_TAG_LENGTH })
  }
  if (!/^[\p{L}\p{M}\p{N}_.-]+$/u.test(name)) {
    throw fault(commentTagInvalid, { tag })
  }
}

/**
 * Adds tags to the comments of `commentIds`, a select of `comment_id`. A tag that a comment has already, in
 * any case, stays as it is.
 */
export function addTagsStatements(commentIds: SQL, tags: readonly CommentTag[]): Statement[] {
  return tags.length === 0
    ? []
    : [
        sql`INSERT OR IGNORE INTO comment_tags (${columnNames(commentTags.commentId, commentTags.name, commentTags.nameFold)})
          SELECT t.comment_id, r.value ->> 'name', r.value ->> 'folded'
          FROM (${commentIds}) t, ${jsonRows(tags)}`,
      ]
}

/**
 * Tags the newest comment of each bug of `bugIds`, a select of `bug_id`, with its history: in the commit that
 * inserts these comments, behind them.
 */
export function tagNewCommentsStatements(
  bugIds: SQL,
  tags: readonly CommentTag[],
  authorId: number,
): Statement[] {
  if (tags.length === 0) {
    return []
  }
  const sorted = tags.toSorted((a, b) => (a.folded < b.folded ? -1 : 1))
  const names = sorted.map(({ name }) => name).join(', ')
  const folds = sorted.map(({ folded }) => folded).join(', ')
  return [
    ...addTagsStatements(selectNewestComments(bugIds), tags),
    sql`INSERT INTO history (${TAG_HISTORY_COLUMNS})
      SELECT n.bug_id, ${authorId}, ${bugChangedAt(sql`n.bug_id`)}, 'comment_tag', '', '', ${names}, ${folds},
        ${newestCommentId(sql`n.bug_id`)}
      FROM (${bugIds}) n`,
  ]
}
