import type { SQL } from 'drizzle-orm'
import { type BugSet, bugsById } from '../../platform/access/bug-set.ts'
import type { Caller } from '../../platform/access/caller.ts'
import { visibleCommentCondition, visibleCommentCount } from '../../platform/access/visibility.ts'
import type { Ctx } from '../../platform/context.ts'
import { limitExpression } from '../../platform/db/drizzle-internals.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugs, comments, commentTags } from '../../platform/db/schema/bugs.ts'
import { allOf, db, directionOf, jsonList, limitTo, sql } from '../../platform/db/sql.ts'
import { turnOwner } from '../../platform/http/operations/caller-key.ts'
import {
  type ChunkLimit,
  COMMENT_OVERHEAD_BYTES,
  limitChunk,
  readLarge,
} from '../../platform/load/readers.ts'
import { commentColumns } from './get-columns.ts'
import type { CommentRow } from './present.ts'

/** The least number of comments whose sizes are read to find out how many lastCount. */
const MIN_CANDIDATES = 100

/** The comments of some bugs that the caller sees, in the order of the bugs, oldest first. */
export type CommentList = {
  readonly caller: Caller
  /** Unix seconds; older comments are left out. */
  readonly newSince?: number | undefined
  /** A page of the comments of one bug: how many, and from which number on, or from the end those before it. */
  readonly most?: number | undefined
  readonly from?: number | undefined
  readonly fromEnd?: boolean | undefined
  /** Whether the description comes with it in any case. */
  readonly withDescription?: boolean
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
  return selectComments(list, [bugsCondition(list, set)], limit)
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
 * Reads the comments behind a position in the list of bugs with ascending IDs, or all of them for null, in chunks.
 * Costs a round trip for each, and one more where a chunk ended inside a bug. `lastCount` is the length of the last
 * chunk, from which the next one is estimated.
 */
export async function* loadCommentsAfter(
  ctx: Ctx,
  list: CommentList,
  bugIds: readonly number[],
  position: CommentPosition | null,
  lastCount: number,
): AsyncGenerator<SizedCommentRow[]> {
  let at = position
  let left = bugIds.filter((id) => at === null || id > at.bugId)
  for (let count = lastCount; at !== null || left.length > 0; ) {
    const where: readonly [SQL, ...SQL[]] =
      at === null
        ? [bugsCondition(list, bugsById(ctx.caller, left))]
        : [bugsCondition(list, bugsById(ctx.caller, [at.bugId])), afterCondition(list, at)]
    const { rows, limit } = await readLarge(turnOwner(ctx), async () => {
      const limit = limitCandidates(count)
      return { limit, ...(await readBatch(ctx, { rows: selectComments(list, where, limit) })) }
    })
    const last = rows.at(-1)
    const isMore = isTruncated(rows, limit)
    count = rows.length
    yield rows
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
  const all = allOf([ofBugs, ...where, ...listConditions(list)])
  return db
    .with(...tablesOf(list, ofBugs))
    .select({
      ...commentColumns(list.caller),
      ...(list.shortens && { body: beginningOf(all).as('beginning') }),
      size: sizeIn(list).as('size'),
    })
    .from(comments)
    .where(all)
    .orderBy(...orderOf(list))
    .limit(limitToChunk(all, limit, list))
}

/** Characters of a comment that a page shows of it where all of them have more than `LONG_BYTES`. */
const BEGINNING_LENGTH = 1000
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
  return text.endsWith('…') && [...text].length === BEGINNING_LENGTH + 1
}

function beginningOf(where: SQL) {
  const { body } = comments
  return sql<string>`CASE WHEN ${BODY_SIZE} > ${BEGINNING_LENGTH}
      AND length(substr(${body}, 1, ${BEGINNING_LENGTH + 1})) > ${BEGINNING_LENGTH}
      AND (SELECT sum(${BODY_SIZE}) FROM comments WHERE ${where}) > ${LONG_BYTES}
    THEN substr(${body}, 1, ${BEGINNING_LENGTH}) || '…' ELSE ${body} END`
}

/** Pages count in numbers, so that an import whose times are in another order leaves none out. */
function orderOf(list: CommentList) {
  return isPage(list)
    ? [comments.bugId, comments.number]
    : [comments.bugId, comments.createdAt, comments.number]
}

function isPage({ most, from }: CommentList): boolean {
  return (most ?? from) !== undefined
}

/**
 * The number of comments that fit into one read: the most when all of those fit, which one pass over their
 * sizes finds out; otherwise up to the comment that exceeds the limit.
 */
function limitToChunk(
  where: SQL,
  limit: ChunkLimit,
  list: CommentList,
): ReturnType<typeof limitExpression> {
  const { bytes: maxBytes, comments: max } = limit
  const order = sql.join(orderOf(list), sql`, `)
  const first = (columns: SQL) =>
    sql`SELECT ${columns} FROM comments WHERE ${where} ORDER BY ${order} ${limitTo(max)}`
  const bytes = sql`${sizeIn(list)} + ${COMMENT_OVERHEAD_BYTES}`
  const upTo = sql`sum(${bytes}) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`
  const fitting = sql`(SELECT CASE
    WHEN (SELECT sum(bytes) FROM (${first(sql`${bytes} AS bytes`)})) < ${maxBytes} THEN ${max}
    ELSE (SELECT count(*) FROM (${first(sql`${bytes} AS bytes, ${upTo} AS up_to`)})
      WHERE up_to - bytes < ${maxBytes}) END)`
  return limitExpression(fitting)
}

/** Selects the bytes of all comments of a list, and what `sumBytes` would say of all but the longest discussion. */
export function selectSize(list: CommentList, set: BugSet) {
  const ofBugs = bugsCondition(list, set)
  const discussions = db
    .select({
      bytes: sql<number>`sum(${sizeIn(list)})`.as('bytes'),
      memory: sql<number>`sum(${sizeIn(list)} + ${COMMENT_OVERHEAD_BYTES})`.as('memory'),
    })
    .from(comments)
    .where(allOf([ofBugs, ...listConditions(list)]))
    .groupBy(comments.bugId)
    .as('discussions')
  const { bytes, memory } = discussions
  return db
    .with(...tablesOf(list, ofBugs))
    .select({
      bytes: sql<number>`coalesce(sum(${bytes}), 0)`.as('all_bytes'),
      memory: sql<number>`coalesce(sum(${memory}) - max(${memory}), 0)`.as('other_memory'),
    })
    .from(discussions)
}

/** Which `from` the next page of one bug has, null where there is none, and how many comments the bug has. */
export function selectCommentPage(list: CommentList, set: BugSet) {
  const behind = sql`(${numbersOf(list, bugsCondition(list, set))} LIMIT 1 OFFSET ${list.most})`
  return db
    .select({
      next: sql<number | null>`${list.fromEnd === true ? sql`${behind} + 1` : behind}`.as('next'),
      total: sql<number>`${visibleCommentCount(list.caller)}`.as('total'),
    })
    .from(bugs)
    .where(set.condition)
}

/** The table `page` of the numbers on a page of one bug. Statements name them several times. */
function tablesOf(list: CommentList, ofBug: SQL) {
  if (!isPage(list)) {
    return []
  }
  const numbers = sql`SELECT * FROM (${numbersOf(list, ofBug)} ${limitTo(list.most ?? -1)})`
  const description = sql`SELECT 0 AS place UNION ALL ${numbers}`
  return [
    db
      .$with('page', { place: sql<number>`place`.as('place') })
      .as(list.withDescription === true ? description : numbers),
  ]
}

/** Selects the numbers of a page in its direction, and those behind it. */
function numbersOf(
  { caller, withDescription, fromEnd = false, ...list }: CommentList,
  ofBug: SQL,
): SQL {
  const { newSince, from } = list
  const firstSince = sql`(SELECT ${comments.number} FROM comments
    WHERE ${ofBug} AND ${comments.createdAt} > ${newSince ?? 0}
    ORDER BY ${comments.createdAt}, ${comments.number} LIMIT 1)`
  const conditions = [
    ...(newSince === undefined ? [] : [sql`${comments.number} >= ${firstSince}`]),
    ...(from === undefined
      ? []
      : [sql`${comments.number} ${sql.raw(fromEnd ? '<' : '>=')} ${from}`]),
    ...(withDescription ? [sql`${comments.number} > 0`] : []),
  ]
  return sql`SELECT ${comments.number} AS place FROM comments
    WHERE ${allOf([ofBug, visibleCommentCondition(caller), ...conditions])}
    ORDER BY ${comments.number} ${directionOf(fromEnd)}`
}

function listConditions(list: CommentList): SQL[] {
  const { caller, newSince, excludedTags = [] } = list
  const isExcluded = sql`EXISTS (SELECT 1 FROM comment_tags
    WHERE ${commentTags.commentId} = ${comments.id} AND ${commentTags.nameFold} IN ${jsonList(excludedTags)})`
  return [
    visibleCommentCondition(caller),
    ...(newSince === undefined ? [] : [sql`${comments.createdAt} > ${newSince}`]),
    ...(isPage(list) ? [sql`${comments.number} IN (SELECT place FROM page)`] : []),
    ...(excludedTags.length === 0 ? [] : [sql`NOT ${isExcluded}`]),
  ]
}

/** Equality with the one bug of a page, so that an index holds its comments by number. */
function bugsCondition(list: CommentList, set: BugSet): SQL {
  const operator = isPage(list) ? sql`=` : sql`IN`
  return sql`${comments.bugId} ${operator} (SELECT ${bugs.id} FROM bugs WHERE ${set.condition})`
}

/** The first comparison repeats a part of the second, because the index can only use a simple one. */
function afterCondition(list: CommentList, { createdAt, number }: CommentPosition): SQL {
  if (isPage(list)) {
    return sql`${comments.number} > ${number}`
  }
  return sql`${comments.createdAt} >= ${createdAt}
    AND (${comments.createdAt} > ${createdAt} OR ${comments.number} > ${number})`
}
