import type { SQL } from 'drizzle-orm'
import type { Person } from '../access/caller.ts'
import { inGroupOfSetting } from '../access/rights.ts'
import { db } from '../db/client.ts'
import type { Statement } from '../db/commit.ts'
import { jsonRows, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { fold, lengthOf } from '../lib/text.ts'
import type { Settings } from '../settings.ts'

/** A tag as it was typed, and in the form by which tags are told apart. */
export type CommentTag = { readonly name: string; readonly folded: string }

const MIN_TAG_LENGTH = 3
const MAX_TAG_LENGTH = 24
const MAX_TAGS = 100

/** Whether comments can be tagged here at all. */
export function areTagsEnabled({ COMMENT_TAGGERS_GROUP }: Settings): boolean {
  return COMMENT_TAGGERS_GROUP.trim() !== ''
}

/** Reads whether somebody may tag comments: to be sent `together` with the rest, and judged by `mayTag`. */
export function selectTagRight(person: Person, settings: Settings) {
  const isTagger = areTagsEnabled(settings)
    ? inGroupOfSetting(person, settings.COMMENT_TAGGERS_GROUP)
    : sql`0`
  return db
    .select({ isTagger: sql<number>`${isTagger}`.as('is_tagger') })
    .from(sql`(SELECT 1) AS one`)
}

/** What `tagRight` read. */
export function canTag([row]: readonly { isTagger: number }[]): boolean {
  return row?.isTagger === 1
}

/** Reads the right for a verb that may give tags along the way: nothing unless they are asked for. */
export function selectTagRightIfNeeded(
  person: Person,
  settings: Settings,
  asked: readonly string[] | undefined,
) {
  return asked === undefined || asked.length === 0 ? undefined : selectTagRight(person, settings)
}

/** The tags of a comment that such a verb makes: none from people who may not tag. Faults as below. */
export function parseTagsOfNewComment(
  asked: readonly string[] | undefined,
  right: Parameters<typeof canTag>[0] | undefined,
): CommentTag[] {
  return right !== undefined && canTag(right) ? parseCommentTags('comment_tags', asked) : []
}

/**
 * Tags as they are stored, each once. Contract "Errors", Update Comment Tags: 127 below 3 characters, 128
 * above 24, 126 for anything but letters, digits, `_`, `.` and `-`; 53 for more than a hundred.
 */
export function parseCommentTags(field: string, given: readonly string[] = []): CommentTag[] {
  if (given.length > MAX_TAGS) {
    throw fault('parameterInvalid', { field, reason: `may hold at most ${MAX_TAGS} tags` })
  }
  const tags = new Map<string, CommentTag>()
  for (const name of given) {
    const folded = fold(assertTagValid(name))
    tags.set(folded, tags.get(folded) ?? { name, folded })
  }
  return [...tags.values()]
}

function assertTagValid(name: string): string {
  const length = lengthOf(name)
  const tag = name.slice(0, 100)
  if (length < MIN_TAG_LENGTH) {
    throw fault('commentTagTooShort', { tag, least: MIN_TAG_LENGTH })
  }
  if (length > MAX_TAG_LENGTH) {
    throw fault('commentTagTooLong', { tag, most: MAX_TAG_LENGTH })
  }
  if (!/^[\p{L}\p{M}\p{N}_.-]+$/u.test(name)) {
    throw fault('commentTagInvalid', { tag })
  }
  return name
}

/**
 * Gives tags to the comments that `commentIds`, a select of one column named `comment_id`, answers. Tags
 * that a comment has already, in whatever case, stay as they are.
 */
export function addTagsStatements(commentIds: SQL, tags: readonly CommentTag[]): Statement[] {
  return tags.length === 0
    ? []
    : [
        sql`INSERT OR IGNORE INTO comment_tags (comment_id, name, name_fold)
          SELECT t.comment_id, r.value ->> 'name', r.value ->> 'folded'
          FROM (${commentIds}) t, ${jsonRows(tags)}`,
      ]
}
