import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import type { Caller, Person } from '../access/caller.ts'
import { assertLoggedIn } from '../access/rights.ts'
import { visibleBugCondition, visibleCommentCondition } from '../access/visibility.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { commit, type Statement } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { containsText, jsonList, jsonRows, limitTo, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { count, criteria } from '../http/shapes.ts'
import { fold } from '../lib/text.ts'
import { parseCommentId, requireVisibleComment, selectCommentAccess } from './load-comment.ts'
import {
  addTagsStatements,
  areTagsEnabled,
  type CommentTag,
  canTag,
  parseCommentTags,
  selectTagRight,
} from './tagging.ts'

const DEFAULT_LIMIT = 10
/** Tags that one search compares, the most used first. */
const MAX_COMPARED_TAGS = 1000
/** Comments that are looked at for one that the caller may see, before a tag counts as unknown to them. */
const MAX_CHECKED_COMMENTS = 50

export const tagsOutput = z.array(z.string())

export const changeTagsInput = z.object({
  comment_id: z.string(),
  add: criteria(),
  remove: criteria(),
})

/**
 * PUT /bug/comment/{comment_id}/tags: adds tags to a comment, then takes tags away; answers those it has
 * then, sorted. The change is in the history of the bug and tells nobody. Contract "Comments". Faults 410,
 * 125, 304, 111, 102, 110, and 126, 127, 128 for tags.
 */
export async function changeCommentTags(ctx: Ctx, input: z.output<typeof changeTagsInput>) {
  const { caller, settings, now } = ctx
  const person = requireTagsEnabled(ctx)
  const id = parseCommentId(input.comment_id)
  const read = await readBatch(ctx, {
    right: selectTagRight(person, settings),
    place: selectCommentAccess(caller, id),
  })
  assertTagger(read.right)
  const { bugId } = requireVisibleComment(caller, id, read.place)
  const add = parseCommentTags('add', input.add)
  const remove = parseCommentTags('remove', input.remove)
  const edit = { id, bugId, authorId: person.id, now }
  const { tags } = await commit(ctx, makeCommitParts(edit, add, remove))
  return tags.map(({ name }) => String(name))
}

function requireTagsEnabled({ caller, settings }: Ctx): Person {
  const person = assertLoggedIn(caller)
  if (!areTagsEnabled(settings)) {
    throw fault('commentTagsDisabled')
  }
  return person
}

function assertTagger(right: Parameters<typeof canTag>[0]): void {
  if (!canTag(right)) {
    throw fault('notAuthorized', { action: 'tag comments' })
  }
}

type TagEdit = { id: number; bugId: number; authorId: number; now: number }

/** History first, since it tells what really changes; what is both added and removed ends up removed. */
function makeCommitParts(edit: TagEdit, add: readonly CommentTag[], remove: readonly CommentTag[]) {
  const removed = remove.map(({ folded }) => folded)
  const stays = add.filter(({ folded }) => !removed.includes(folded))
  const held = sql`SELECT t.name_fold FROM comment_tags t WHERE t.comment_id = ${edit.id}`
  return {
    history: recordTagChange(
      edit,
      sql`SELECT t.name, t.name_fold FROM comment_tags t
        WHERE t.comment_id = ${edit.id} AND t.name_fold IN ${jsonList(removed)}`,
      sql`SELECT r.value ->> 'name' AS name, r.value ->> 'folded' AS name_fold FROM ${jsonRows(stays)}
        WHERE r.value ->> 'folded' NOT IN (${held})`,
    ),
    added: addTagsStatements(sql`SELECT ${edit.id} AS comment_id`, stays),
    removed: sql`DELETE FROM comment_tags
      WHERE comment_id = ${edit.id} AND name_fold IN ${jsonList(removed)}`,
    tags: sql`SELECT t.name AS name FROM comment_tags t WHERE t.comment_id = ${edit.id} ORDER BY t.name_fold`,
  }
}

/** Without a notice, and without touching the time of the bug: tags tidy up, they are no news. */
function recordTagChange(
  { id, bugId, authorId, now }: TagEdit,
  removed: SQL,
  added: SQL,
): Statement {
  const list = (column: string, of: SQL) =>
    sql`(SELECT coalesce(group_concat(${sql.raw(column)}, ', ' ORDER BY name_fold), '') FROM (${of}))`
  return sql`INSERT INTO history (bug_id, author_id, changed_at, field, removed, removed_fold, added,
      added_fold, comment_id)
    SELECT bugs.id, ${authorId}, max(bugs.changed_at, ${now}), 'comment_tag', ${list('name', removed)},
      ${list('name_fold', removed)}, ${list('name', added)}, ${list('name_fold', added)}, ${id}
    FROM bugs WHERE bugs.id = ${bugId} AND (EXISTS (${removed}) OR EXISTS (${added}))`
}

export const searchTagsInput = z.object({ query: z.string(), limit: count() })

/**
 * GET /bug/comment/tags/{query}: tags that contain a text, the most used first. A tag that only comments
 * carry which the caller may not see is left out. Contract "Comments". Faults 410, 125, 304, and 52 for a
 * limit that is no number.
 */
export async function searchCommentTags(ctx: Ctx, input: z.output<typeof searchTagsInput>) {
  const person = requireTagsEnabled(ctx)
  const limit = Math.min(input.limit || DEFAULT_LIMIT, MAX_COMPARED_TAGS)
  const read = await readBatch(ctx, {
    right: selectTagRight(person, ctx.settings),
    tags: selectMatchingTags(ctx.caller, fold(input.query), limit),
  })
  assertTagger(read.right)
  return read.tags
    .toSorted((a, b) => b.weight - a.weight || (a.folded < b.folded ? -1 : 1))
    .map(({ name }) => name)
}

function selectMatchingTags(caller: Caller, text: string, limit: number) {
  const found = sql`SELECT w.name, w.name_fold, w.weight FROM comment_tag_weights w
    WHERE ${containsText(sql`w.name_fold`, text)} ORDER BY w.weight DESC, w.name_fold ${limitTo(MAX_COMPARED_TAGS)}`
  const carriers = sql`SELECT t.comment_id FROM comment_tags t
    WHERE t.name_fold = found.name_fold ORDER BY t.comment_id DESC ${limitTo(MAX_CHECKED_COMMENTS)}`
  return db
    .select({
      name: sql<string>`found.name`.as('name'),
      folded: sql<string>`found.name_fold`.as('folded'),
      weight: sql<number>`found.weight`.as('weight'),
    })
    .from(sql`(${found}) AS found`)
    .where(
      sql`EXISTS (SELECT 1 FROM (${carriers}) AS carrier
        JOIN comments ON comments.id = carrier.comment_id JOIN bugs ON bugs.id = comments.bug_id
        WHERE ${visibleCommentCondition(caller)} AND ${visibleBugCondition(caller)})`,
    )
    .limit(limit)
}
