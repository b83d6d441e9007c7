import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { assertLoggedIn, type Caller, type Person } from '../../platform/access/caller.ts'
import { notAuthorized } from '../../platform/access/faults.ts'
import { visibleBugCondition, visibleCommentCondition } from '../../platform/access/visibility.ts'
import type { Ctx } from '../../platform/context.ts'
import { abortBeyond, commit, type Statement } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugs, comments, commentTags, commentTagWeights } from '../../platform/db/schema/bugs.ts'
import {
  aliasColumns,
  containsText,
  db,
  jsonList,
  jsonRows,
  limitTo,
  sql,
} from '../../platform/db/sql.ts'
import { fault, invalidParameter } from '../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { count, textList } from '../../platform/http/operations/shapes.ts'
import { fold } from '../../platform/lib/text.ts'
import { changeTagsFaults, commentTagsDisabled } from './faults.ts'
import { parseCommentId, requireVisibleComment, selectCommentAccess } from './load-comment.ts'
import {
  addTagsStatements,
  areTagsEnabled,
  type CommentTag,
  canTag,
  MAX_TAGS,
  parseCommentTags,
  selectTagRight,
  TAG_HISTORY_COLUMNS,
} from './tagging.ts'

const t = aliasColumns(commentTags, 't')
const w = aliasColumns(commentTagWeights, 'w')

const DEFAULT_LIMIT = 10
/** Tags that one search examines, the most used first. */
const MAX_COMPARED_TAGS = 1000
/** Comments of a tag that one search examines for one that the caller sees; further ones do not count. */
const MAX_CHECKED_COMMENTS = 50

const tagsOutput = z.array(z.string())

/**
 * Adds tags to a comment, then removes tags, and returns the result, sorted. History records the change,
 * without mail.
 */
export const changeCommentTags = operation(
  {
    method: 'PUT',
    path: '/bug/comment/:comment_id/tags',
    summary: 'Add tags to a comment, or take them away',
    reference: 'comments.md#change-the-tags-of-a-comment',
    input: z.object({
      comment_id: z.string(),
      add: textList(),
      remove: textList(),
    }),
    output: tagsOutput,
    faults: changeTagsFaults,
    requires: loggedIn,
    scope: 'write',
  },
  async (ctx, input) => {
    const { caller, settings, now } = ctx
    const person = requireTagsEnabled(ctx)
    const id = parseCommentId(input.comment_id)
    const read = await readBatch(ctx, {
      right: selectTagRight(person, settings),
      access: selectCommentAccess(caller, [id]),
      current: db
        .select({ folded: commentTags.nameFold })
        .from(commentTags)
        .where(sql`${commentTags.commentId} = ${id}`)
        // of more than these, one request cannot remove so many that another one fits
        .limit(2 * MAX_TAGS),
    })
    assertTagger(read.right)
    const { bugId } = requireVisibleComment(caller, id, read.access)
    const add = parseCommentTags('add', input.add)
    const remove = parseCommentTags('remove', input.remove)
    const current = read.current.map(({ folded }) => folded)
    const edit = { id, bugId, authorId: person.id, now, grows: isGrowing(current, add, remove) }
    const { tags } = await commit(ctx, makeCommitParts(edit, add, remove))
    return tags.map(({ name }) => String(name))
  },
)

function requireTagsEnabled({ caller, settings }: Ctx): Person {
  const person = assertLoggedIn(caller)
  if (!areTagsEnabled(settings)) {
    throw fault(commentTagsDisabled)
  }
  return person
}

function assertTagger(right: Parameters<typeof canTag>[0]): void {
  if (!canTag(right)) {
    throw fault(notAuthorized, { action: 'tag comments' })
  }
}

/** Whether tags come to a comment that has others. Throws a fault where they are too many. */
function isGrowing(
  current: readonly string[],
  add: readonly CommentTag[],
  remove: readonly CommentTag[],
): boolean {
  const gone = new Set(remove.map(({ folded }) => folded))
  const before = new Set(current)
  const added = add.filter(({ folded }) => !before.has(folded) && !gone.has(folded)).length
  const kept = current.filter((folded) => !gone.has(folded)).length
  if (added > 0 && kept + added > MAX_TAGS) {
    throw invalidParameter('add', `may leave at most ${MAX_TAGS} tags on a comment`)
  }
  return added > 0
}

type TagEdit = { id: number; bugId: number; authorId: number; now: number; grows: boolean }

/**
 * History stands first, because it reads the previous tags. A tag that is added and removed ends up
 * removed.
 */
function makeCommitParts(edit: TagEdit, add: readonly CommentTag[], remove: readonly CommentTag[]) {
  const removedFolds = remove.map(({ folded }) => folded)
  const added = add.filter(({ folded }) => !removedFolds.includes(folded))
  const currentFolds = sql`SELECT ${t.nameFold} FROM comment_tags t WHERE ${t.commentId} = ${edit.id}`
  return {
    history: recordTagChange(
      edit,
      sql`SELECT ${t.name}, ${t.nameFold} FROM comment_tags t
        WHERE ${t.commentId} = ${edit.id} AND ${t.nameFold} IN ${jsonList(removedFolds)}`,
      sql`SELECT r.value ->> 'name' AS name, r.value ->> 'folded' AS name_fold FROM ${jsonRows(added)}
        WHERE r.value ->> 'folded' NOT IN (${currentFolds})`,
    ),
    added: addTagsStatements(sql`SELECT ${edit.id} AS comment_id`, added),
    removed: sql`DELETE FROM comment_tags
      WHERE ${commentTags.commentId} = ${edit.id} AND ${commentTags.nameFold} IN ${jsonList(removedFolds)}`,
    limit: abortBeyond(MAX_TAGS, edit.grows ? [edit.id] : [], () => currentFolds),
    tags: sql`SELECT ${t.name} AS name FROM comment_tags t WHERE ${t.commentId} = ${edit.id} ORDER BY ${t.nameFold}`,
  }
}

/** Records history without a notice and without changing the time of the bug, because tags send no mail. */
function recordTagChange(
  { id, bugId, authorId, now }: TagEdit,
  removed: SQL,
  added: SQL,
): Statement {
  const joinColumn = (column: string, of: SQL) =>
    sql`(SELECT coalesce(group_concat(${sql.raw(column)}, ', ' ORDER BY name_fold), '') FROM (${of}))`
  return sql`INSERT INTO history (${TAG_HISTORY_COLUMNS})
    SELECT ${bugs.id}, ${authorId}, max(${bugs.changedAt}, ${now}), 'comment_tag', ${joinColumn('name', removed)},
      ${joinColumn('name_fold', removed)}, ${joinColumn('name', added)}, ${joinColumn('name_fold', added)}, ${id}
    FROM bugs WHERE ${bugs.id} = ${bugId} AND (EXISTS (${removed}) OR EXISTS (${added}))`
}

/** The tags that contain a text, the most used first. Tags that only hidden comments have are left out. */
export const searchCommentTags = operation(
  {
    method: 'GET',
    path: '/bug/comment/tags/:query',
    summary: 'Search the tags of comments',
    reference: 'comments.md#search-tags-of-comments',
    input: z.object({ query: z.string(), limit: count() }),
    output: tagsOutput,
    faults: [commentTagsDisabled, notAuthorized],
    requires: loggedIn,
    scope: 'read',
  },
  async (ctx, input) => {
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
  },
)

function selectMatchingTags(caller: Caller, text: string, limit: number) {
  const matching = sql`SELECT ${w.name}, ${w.nameFold}, ${w.weight} FROM comment_tag_weights w
    WHERE ${containsText(sql`${w.nameFold}`, text)} ORDER BY ${w.weight} DESC, ${w.nameFold} ${limitTo(MAX_COMPARED_TAGS)}`
  const carriers = sql`SELECT ${t.commentId} FROM comment_tags t
    WHERE ${t.nameFold} = found.name_fold ORDER BY ${t.commentId} DESC ${limitTo(MAX_CHECKED_COMMENTS)}`
  return db
    .select({
      name: sql<string>`found.name`.as('name'),
      folded: sql<string>`found.name_fold`.as('folded'),
      weight: sql<number>`found.weight`.as('weight'),
    })
    .from(sql`(${matching}) AS found`)
    .where(
      sql`EXISTS (SELECT 1 FROM (${carriers}) AS carrier
        JOIN comments ON ${comments.id} = carrier.comment_id JOIN bugs ON ${bugs.id} = ${comments.bugId}
        WHERE ${visibleCommentCondition(caller)} AND ${visibleBugCondition(caller)})`,
    )
    .limit(limit)
}
