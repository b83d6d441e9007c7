import type { SQL } from 'drizzle-orm'
import { type BugSet, bugsById } from '../../platform/access/bug-set.ts'
import type { Caller } from '../../platform/access/caller.ts'
import { visibleCommentCondition, visibleCommentCount } from '../../platform/access/visibility.ts'
import type { Ctx } from '../../platform/context.ts'
import { limitExpression } from '../../platform/db/drizzle-internals.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugs, comments, commentTags } from '../../platform/db/schema/bugs.ts'
import { allOf, db, jsonList, limitTo, sql } from '../../platform/db/sql.ts'
import {
  type ChunkLimit,
  COMMENT_OVERHEAD_BYTES,
  limitChunk,
  readLarge,
} from '../../platform/lib/chunk-limit.ts'
import { commentColumns } from './get-columns.ts'
import type { CommentRow } from './present.ts'

/** The least number of comments whose sizes are read to find out how many lastCount. */
const MIN_CANDIDATES = 100

/** The comments of some bugs that the caller sees, in the order of the bugs, oldest first. */
export type CommentList = {
  readonly caller: Caller
  /** Unix seconds; older comments are left out. */
  readonly newSince?: number | undefined
  /** How many of the newest comments of each bug, beside its description. */
  readonly newest?: number | undefined
  /** A page of the comments of one bug: how many, and from which number on, or from the end those before it. */
  readonly most?: number | undefined
  readonly from?: number | undefined
  readonly fromEnd?: boolean | undefined
  /** Of many long comments only the beginnings; see `BEGINNING_LENGTH`. */
  readonly shortens?: boolean
  /** Folded tags; comments with any of them are left out. */
  readonly excludedTags?: readonly string[]
}

/** The position of a comment in the order of such a list. */
export type CommentPosition = {
  readonly bugId: number
  readonly createdAt: number
  readonly number: number
}

/** A comment with the size of its body in bytes. */
export type SizedCommentRow = CommentRow & { readonly size: number }

/**
 * Selects the first comments of bugs, as many as lastCount into one read, for the `readBatch` that reads
 * the bugs. `isTruncated` says whether there may be more.
 */
export function selectFirstComments(list: CommentList, set: BugSet, limit: ChunkLimit) {
  return selectComments(list, [bugsCondition(set)], limit)
}

/** Whether there may be more comments than one read with this limit returned. */
export function isTruncated(rows: readonly SizedCommentRow[], limit: ChunkLimit): boolean {
  return rows.length >= limit.comments || sumBytes(rows) >= limit.bytes
}

/** Estimates the memory that comments take, in bytes. */
export function sumBytes(rows: readonly SizedCommentRow[]): number {
  return rows.reduce((sum, { size }) => sum + size + COMMENT_OVERHEAD_BYTES, 0)
}

/**
 * Reads the comments behind a position in the list of bugs with ascending IDs, or all of them for null.
 * Costs a round trip for each chunk, and one more where a chunk ended inside a bug. `lastCount` is the
 * length of the last chunk, from which the next one is estimated.
 */
export async function* loadCommentsAfter(
  ctx: Ctx,
  list: CommentList,
  bugIds: readonly number[],
  position: CommentPosition | null,
  lastCount: number,
): AsyncGenerator<SizedCommentRow> {
  let at = position
  let left = bugIds.filter((id) => at === null || id > at.bugId)
  for (let count = lastCount; at !== null || left.length > 0; ) {
    const where: readonly [SQL, ...SQL[]] =
      at === null
        ? [bugsCondition(bugsById(ctx.caller, left))]
        : [bugsCondition(bugsById(ctx.caller, [at.bugId])), afterCondition(at)]
    const { rows, limit } = await readLarge(async () => {
      const limit = limitCandidates(count)
      return { limit, ...(await readBatch(ctx, { rows: selectComments(list, where, limit) })) }
    })
    const last = rows.at(-1)
    const isMore = isTruncated(rows, limit)
    count = rows.length
    yield* rows
    if (last !== undefined && isMore) {
      at = last
      left = left.filter((id) => id > last.bugId)
    } else {
      left = at === null ? [] : left
      at = null
    }
  }
}

/** The size of every candidate is read, so that there should not be many more than fit. */
function limitCandidates(lastCount: number): ChunkLimit {
  const limit = limitChunk()
  const candidates = Math.max(MIN_CANDIDATES, Math.ceil(1.5 * lastCount))
  return { ...limit, comments: Math.min(limit.comments, candidates) }
}

function selectComments(
  list: CommentList,
  [ofBugs, ...where]: readonly [SQL, ...SQL[]],
  limit: ChunkLimit,
) {
  const all = allOf([ofBugs, ...where, ...listConditions(list, ofBugs)])
  return db
    .select({
      ...commentColumns(list.caller),
      ...(list.shortens && { body: beginningOf(all).as('beginning') }),
      size: sizeIn(list).as('size'),
    })
    .from(comments)
    .where(all)
    .orderBy(...ORDER)
    .limit(limitToChunk(all, limit, sizeIn(list)))
}

/** Characters of a comment that a page shows of it where all of them have more than `LONG_BYTES`. */
const BEGINNING_LENGTH = 2000
const LONG_BYTES = 200_000
const CHARACTER_BYTES = 2

const BODY_SIZE = sql<number>`octet_length(${comments.body})`

/** The size of what is read of a comment; that of a beginning is estimated. */
function sizeIn({ shortens = false }: CommentList) {
  return shortens
    ? sql<number>`min(${BODY_SIZE}, ${CHARACTER_BYTES * BEGINNING_LENGTH})`
    : BODY_SIZE
}

/** Whether a text is the beginning of a longer one. */
export function isBeginning(text: string): boolean {
  return text.length > BEGINNING_LENGTH && text.endsWith('…')
}

function beginningOf(where: SQL) {
  const { body } = comments
  return sql<string>`CASE WHEN ${BODY_SIZE} > ${BEGINNING_LENGTH}
      AND length(substr(${body}, 1, ${BEGINNING_LENGTH + 1})) > ${BEGINNING_LENGTH}
      AND (SELECT sum(${BODY_SIZE}) FROM comments WHERE ${where}) > ${LONG_BYTES}
    THEN substr(${body}, 1, ${BEGINNING_LENGTH}) || '…' ELSE ${body} END`
}

const ORDER = [comments.bugId, comments.createdAt, comments.number]

/**
 * The number of comments that fit into one read: the most when all of those fit, which one pass over their
 * sizes finds out; otherwise up to the comment that exceeds the limit.
 */
function limitToChunk(
  where: SQL,
  limit: ChunkLimit,
  size: SQL,
): ReturnType<typeof limitExpression> {
  const { bytes: maxBytes, comments: max } = limit
  const order = sql.join(ORDER, sql`, `)
  const first = (columns: SQL) =>
    sql`SELECT ${columns} FROM comments WHERE ${where} ORDER BY ${order} ${limitTo(max)}`
  const bytes = sql`${size} + ${COMMENT_OVERHEAD_BYTES}`
  const upTo = sql`sum(${bytes}) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`
  const fitting = sql`(SELECT CASE
    WHEN (SELECT sum(bytes) FROM (${first(sql`${bytes} AS bytes`)})) < ${maxBytes} THEN ${max}
    ELSE (SELECT count(*) FROM (${first(sql`${bytes} AS bytes, ${upTo} AS up_to`)})
      WHERE up_to - bytes < ${maxBytes}) END)`
  return limitExpression(fitting)
}

/** Selects the bytes of all comments of a list. */
export function selectSize(list: CommentList, set: BugSet) {
  const ofBugs = bugsCondition(set)
  return db
    .select({ bytes: sql<number>`coalesce(sum(${sizeIn(list)}), 0)`.as('bytes') })
    .from(comments)
    .where(allOf([ofBugs, ...listConditions(list, ofBugs)]))
}

/** Which `from` the next page of one bug has, null where there is none, and how many comments the bug has. */
export function selectPage(list: CommentList, set: BugSet) {
  const behind = numberBehind(list, bugsCondition(set))
  return db
    .select({
      next: sql<number | null>`${list.fromEnd === true ? sql`${behind} + 1` : behind}`.as('next'),
      total: sql<number>`${visibleCommentCount(list.caller)}`.as('total'),
    })
    .from(bugs)
    .where(set.condition)
}

/** The number of the first comment behind a page of one bug, in its direction. */
function numberBehind(list: CommentList, ofBug: SQL): SQL {
  const { caller, most = 0, fromEnd = false } = list
  return sql`(SELECT ${comments.number} FROM comments
    WHERE ${allOf([ofBug, visibleCommentCondition(caller), ...startConditions(list, ofBug)])}
    ORDER BY ${comments.number} ${sql.raw(fromEnd ? 'DESC' : 'ASC')} LIMIT 1 OFFSET ${most})`
}

/** Where a page begins, and before what moment it does not. */
function startConditions(list: CommentList, ofBug: SQL): SQL[] {
  const { newSince, from, fromEnd = false } = list
  const firstSince = sql`(SELECT ${comments.number} FROM comments
    WHERE ${ofBug} AND ${comments.createdAt} > ${newSince ?? 0}
    ORDER BY ${comments.createdAt}, ${comments.number} LIMIT 1)`
  return [
    ...(newSince === undefined ? [] : [sql`${comments.number} >= ${firstSince}`]),
    ...(from === undefined
      ? []
      : [sql`${comments.number} ${sql.raw(fromEnd ? '<' : '>=')} ${from}`]),
  ]
}

function pageConditions(list: CommentList, ofBug: SQL): SQL[] {
  const { most, fromEnd = false } = list
  const behind = numberBehind(list, ofBug)
  const end = fromEnd
    ? sql`${comments.number} > coalesce(${behind}, -1)`
    : sql`${comments.number} < coalesce(${behind}, 1e9)`
  return [...startConditions(list, ofBug), ...(most === undefined ? [] : [end])]
}

function listConditions(list: CommentList, ofBugs: SQL): SQL[] {
  const { caller, newSince, newest, from, most, excludedTags = [] } = list
  const isExcluded = sql`EXISTS (SELECT 1 FROM comment_tags
    WHERE ${commentTags.commentId} = ${comments.id} AND ${commentTags.nameFold} IN ${jsonList(excludedTags)})`
  return [
    visibleCommentCondition(caller),
    ...(newSince === undefined ? [] : [sql`${comments.createdAt} > ${newSince}`]),
    ...(newest === undefined ? [] : [newestCondition(newest)]),
    ...((from ?? most) === undefined ? [] : pageConditions(list, ofBugs)),
    ...(excludedTags.length === 0 ? [] : [sql`NOT ${isExcluded}`]),
  ]
}

/** Numbers count private comments too, so that some readers get fewer. */
function newestCondition(newest: number): SQL {
  return sql`(${comments.number} = 0 OR ${comments.number} >=
    (SELECT ${bugs.commentCount} FROM bugs WHERE ${bugs.id} = ${comments.bugId}) - ${newest})`
}

function bugsCondition(set: BugSet): SQL {
  return sql`${comments.bugId} IN (SELECT ${bugs.id} FROM bugs WHERE ${set.condition})`
}

/** The first comparison repeats a part of the second, because the index can only use a simple one. */
function afterCondition({ createdAt, number }: CommentPosition): SQL {
  return sql`${comments.createdAt} >= ${createdAt}
    AND (${comments.createdAt} > ${createdAt} OR ${comments.number} > ${number})`
}
