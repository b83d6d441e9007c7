import type { SQL } from 'drizzle-orm'
import { type BugSet, bugsById } from '../access/bug-set.ts'
import type { Caller } from '../access/caller.ts'
import { visibleCommentCondition } from '../access/visibility.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { limitExpression } from '../db/drizzle-internals.ts'
import { readBatch } from '../db/read-batch.ts'
import { comments } from '../db/schema/comments.ts'
import { allOf, jsonList, limitTo, sql } from '../db/sql.ts'
import { commentColumns } from './get-columns.ts'
import type { CommentRow } from './present.ts'

/** Bytes that are read at once. They decide, and not how many comments that is. */
const MAX_CHUNK_BYTES = 6_000_000
/** What a comment takes beside its body. */
const COMMENT_OVERHEAD_BYTES = 300
/** So many without a body are that many bytes. */
const MAX_CHUNK_COMMENTS = MAX_CHUNK_BYTES / COMMENT_OVERHEAD_BYTES
/** How many are looked at, at the least, to find out how many fit. */
const MIN_CANDIDATES = 100

/** Comments of some bugs, in the order of the bugs, the oldest first. */
export type CommentList = {
  readonly caller: Caller
  /** Unix seconds; only what is newer is in the list. */
  readonly newSince?: number | undefined
  /** Folded tags; comments that carry one are left out. */
  readonly excludedTags?: readonly string[]
}

/** Where a comment stands in such a list. */
export type CommentPosition = {
  readonly bugId: number
  readonly createdAt: number
  readonly number: number
}

/** `size` is that of the body, in bytes. */
export type SizedCommentRow = CommentRow & { readonly size: number }

/**
 * The comments of bugs that come first, to be read `together` with the bugs: as many as may be read at
 * once. `isCut` tells whether there may be more.
 */
export function selectFirstComments(list: CommentList, set: BugSet) {
  return selectComments(list, [bugsCondition(set)], MAX_CHUNK_COMMENTS)
}

/** Whether there may be more comments behind those that were read at once. */
export function isTruncated(rows: readonly SizedCommentRow[], most = MAX_CHUNK_COMMENTS): boolean {
  return rows.length >= most || sumBytes(rows) >= MAX_CHUNK_BYTES
}

/** What comments take in memory, about. */
export function sumBytes(rows: readonly SizedCommentRow[]): number {
  return rows.reduce((sum, { size }) => sum + size + COMMENT_OVERHEAD_BYTES, 0)
}

/**
 * What comes behind a comment in the list of these bugs, whose IDs ascend; from the beginning without
 * one. A trip for each part that may be read at once, and one more where a part ended inside a bug. `fit`
 * is how many could be read at once last.
 */
export async function* loadCommentsAfter(
  ctx: Ctx,
  list: CommentList,
  bugIds: readonly number[],
  behind: CommentPosition | null,
  fit: number,
): AsyncGenerator<SizedCommentRow> {
  let at = behind
  let left = bugIds.filter((id) => at === null || id > at.bugId)
  for (let most = estimateCandidates(fit); at !== null || left.length > 0; ) {
    const where =
      at === null
        ? [bugsCondition(bugsById(ctx.caller, left))]
        : [bugsCondition(bugsById(ctx.caller, [at.bugId])), afterCondition(at)]
    const { rows } = await readBatch(ctx, { rows: selectComments(list, where, most) })
    yield* rows
    const last = rows.at(-1)
    if (last !== undefined && isTruncated(rows, most)) {
      at = last
      left = left.filter((id) => id > last.bugId)
    } else {
      left = at === null ? [] : left
      at = null
    }
    most = estimateCandidates(rows.length)
  }
}

/** All that are tried are looked at: those must not be far more than fit. */
function estimateCandidates(fit: number): number {
  return Math.min(MAX_CHUNK_COMMENTS, Math.max(MIN_CANDIDATES, Math.ceil(1.5 * fit)))
}

function selectComments(list: CommentList, where: readonly SQL[], most: number) {
  const all = allOf([...where, ...listConditions(list)])
  return db
    .select({ ...commentColumns(list.caller), size: BODY_SIZE.as('size') })
    .from(comments)
    .where(all)
    .orderBy(...ORDER)
    .limit(limitToChunk(all, most))
}

const BODY_SIZE = sql<number>`octet_length(${comments.body})`

const ORDER = [comments.bugId, comments.createdAt, comments.number]

/**
 * As many of the comments that meet a condition as may be read at once: `most` when all of those fit,
 * which is found out by one look at each; else up to the one that passes the bound.
 */
function limitToChunk(where: SQL, most: number): ReturnType<typeof limitExpression> {
  const order = sql.join(ORDER, sql`, `)
  const first = (columns: SQL) =>
    sql`SELECT ${columns} FROM comments WHERE ${where} ORDER BY ${order} ${limitTo(most)}`
  const bytes = sql`${BODY_SIZE} + ${COMMENT_OVERHEAD_BYTES}`
  const upTo = sql`sum(${bytes}) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`
  const fitting = sql`(SELECT CASE
    WHEN (SELECT sum(bytes) FROM (${first(sql`${bytes} AS bytes`)})) < ${MAX_CHUNK_BYTES} THEN ${most}
    ELSE (SELECT count(*) FROM (${first(sql`${bytes} AS bytes, ${upTo} AS up_to`)})
      WHERE up_to - bytes < ${MAX_CHUNK_BYTES}) END)`
  return limitExpression(fitting)
}

function listConditions({ caller, newSince, excludedTags = [] }: CommentList): SQL[] {
  const collapsed = sql`EXISTS (SELECT 1 FROM comment_tags
    WHERE comment_tags.comment_id = comments.id AND comment_tags.name_fold IN ${jsonList(excludedTags)})`
  return [
    visibleCommentCondition(caller),
    ...(newSince === undefined ? [] : [sql`comments.created_at > ${newSince}`]),
    ...(excludedTags.length === 0 ? [] : [sql`NOT ${collapsed}`]),
  ]
}

function bugsCondition(set: BugSet): SQL {
  return sql`comments.bug_id IN (SELECT bugs.id FROM bugs WHERE ${set.condition})`
}

/** The moment stands alone as well, so that an index leads to it. */
function afterCondition({ createdAt, number }: CommentPosition): SQL {
  return sql`comments.created_at >= ${createdAt}
    AND (comments.created_at > ${createdAt} OR comments.number > ${number})`
}
