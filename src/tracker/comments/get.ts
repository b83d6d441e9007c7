import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import {
  bugsById,
  bugsNamed,
  parseBugRefs,
  requireVisibleBugs,
  resolveBugs,
} from '../../platform/access/bug-set.ts'
import type { Caller } from '../../platform/access/caller.ts'
import { bugAccessFaults } from '../../platform/access/faults.ts'
import { visibleBugCondition, visibleCommentCondition } from '../../platform/access/visibility.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugs as bugsTable, comments } from '../../platform/db/schema/bugs.ts'
import { allOf, db, jsonList, sql } from '../../platform/db/sql.ts'
import { invalidParameter } from '../../platform/faults/fault.ts'
import { turnOwner } from '../../platform/http/operations/caller-key.ts'
import { anyone, operation } from '../../platform/http/operations/operation.ts'
import {
  boolean,
  bugNames,
  count,
  datetime,
  ids,
  selectionInput,
} from '../../platform/http/operations/shapes.ts'
import { PagedAnswer, type PageInfo } from '../../platform/http/response/paged-answer.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { streamJson } from '../../platform/lib/stream.ts'
import {
  type ChunkLimit,
  countReader,
  countSender,
  limitChunk,
  readLarge,
} from '../../platform/load/readers.ts'
import { admitDiscussions, admitLength, areManyDiscussed } from '../history/discussion-bounds.ts'
import { discussionsTooLong } from '../history/faults.ts'
import { PeoplePresenter } from '../users/people.ts'
import {
  type CommentList,
  isTruncated,
  loadCommentsAfter,
  type SizedCommentRow,
  selectCommentPage,
  selectFirstComments,
  selectSize,
  sumBytes,
} from './chunks.ts'
import { commentAccessFaults } from './faults.ts'
import { commentColumns } from './get-columns.ts'
import { assertRenders, renderComments, sumLengths } from './linked.ts'
import { parseCommentId, requireVisibleComment, selectCommentAccess } from './load-comment.ts'
import { type CommentRow, commentShape, presentComment } from './present.ts'
import { canBuffer, type PresentedComment, writeComments } from './streamed-comments.ts'

const commentsOutput = z.strictObject({
  bugs: z.record(z.string(), z.strictObject({ comments: z.array(commentShape) })),
  comments: z.record(z.string(), commentShape),
})

/**
 * The comments of bugs, oldest first; private ones for insiders only. Costs one round trip for each 6 MB,
 * or for less while others read too, and long answers are streamed.
 */
export const getBugComments = operation(
  {
    method: 'GET',
    path: '/bug/:id_or_alias/comment',
    summary: 'Read the comments of bugs',
    reference: 'comments.md#list-comments',
    input: z.object({
      id_or_alias: z.string(),
      ids: bugNames(),
      new_since: datetime(),
      newest: count(),
      limit: count(),
      offset: count(),
      from_end: boolean(),
      ...selectionInput,
    }),
    output: commentsOutput,
    faults: [...bugAccessFaults, discussionsTooLong],
    requires: anyone,
    scope: 'read',
  },
  async (ctx, input) => {
    const { caller } = ctx
    const refs = parseBugRefs(input.id_or_alias, input.ids)
    const page = pageOf(input)
    if (page !== null && refs.length > 1) {
      throw invalidParameter(page.name, 'goes with one bug')
    }
    const list: CommentList = {
      caller,
      newSince: input.new_since,
      ...page?.list,
      // who asks for one comment wants to read it
      ...(ctx.shortensValues && page?.list.most !== 1 && { shortens: true }),
    }
    const present = createCommentPresenter(ctx, input)
    admitDiscussions(ctx, refs.length)
    const areMany = areManyDiscussed(refs.length)
    const { limit, ...read } = await countReader(() =>
      readLarge(turnOwner(ctx), async () => {
        const limit = limitChunk()
        const selects = {
          resolved: resolveBugs(caller, refs),
          rows: selectFirstComments(list, bugsNamed(caller, refs), limit),
          size:
            present.wantsHtml || areMany ? selectSize(list, bugsNamed(caller, refs)) : undefined,
          page:
            list.most === undefined ? undefined : selectCommentPage(list, bugsNamed(caller, refs)),
        }
        return { limit, ...(await readBatch(ctx, selects)) }
      }),
    )
    const bugIds = requireVisibleBugs(caller, refs, read.resolved).toSorted((a, b) => a - b)
    const isCut = isTruncated(read.rows, limit)
    const size = read.size?.[0] ?? (isCut ? await readSize(ctx, list, bugIds) : undefined)
    if (areMany || isCut) {
      admitLength(ctx, refs.length, [size])
    }
    assertRenders(ctx, present.wantsHtml ? (size?.bytes ?? 0) : 0)
    const info = list.most === undefined ? null : describePage(read.page?.[0], list)
    if (canBuffer(read.rows, limit)) {
      const presented: Awaited<ReturnType<PresentComments>> = []
      for await (const rows of inParts([read.rows])) {
        presented.push(...(await present(rows)))
      }
      const byBug = Map.groupBy(presented, ({ row }) => row.bugId)
      const commentsOf = (id: number) => (byBug.get(id) ?? []).map(({ comment }) => comment)
      const bugs = bugIds.map((id) => [id, { comments: commentsOf(id) }])
      const body = { bugs: Object.fromEntries(bugs), comments: {} }
      return info === null ? body : new PagedAnswer(body, info)
    }
    const presented = presentInOrder(ctx, { list, bugIds, limit }, read.rows, present)
    const stream = streamJson(countSender(writeComments(bugIds, presented)), 'comments')
    return info === null ? stream : new PagedAnswer(stream, info)
  },
)

type Given = {
  readonly newest?: number | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly from_end?: boolean | undefined
}

/** The page of one bug that is asked for, and the name of what makes it one; null for all comments. */
function pageOf({ newest, limit, offset, from_end: fromEnd }: Given) {
  const most = limit || undefined
  if (newest !== undefined) {
    if (most !== undefined || offset !== undefined || fromEnd === true) {
      throw invalidParameter('newest', "goes without 'limit', 'offset' and 'from_end'")
    }
    return { name: 'newest', list: { most: newest, fromEnd: true, withDescription: true } }
  }
  // before the first comment there is nothing, so that 0 is the end
  const from = fromEnd === true ? offset || undefined : offset
  if ((most ?? from) === undefined) {
    return null
  }
  return { name: most === undefined ? 'offset' : 'limit', list: { most, from, fromEnd } }
}

function describePage(
  page: { next: number | null; total: number } | undefined,
  { newSince, most, withDescription = false }: CommentList,
): PageInfo {
  const isCounted = page !== undefined && newSince === undefined
  const offset = String(page?.next)
  const next: PageInfo['next'] = withDescription
    ? { newest: null, limit: String(most), from_end: 'true', offset }
    : { offset }
  return {
    ...(isCounted ? { total: { count: page.total, isExact: true } } : {}),
    ...(typeof page?.next === 'number' ? { next } : {}),
  }
}

/** All comments of bugs that the caller sees, with ascending IDs, oldest first; read while they are taken. */
export async function* readComments(
  ctx: Ctx,
  bugIds: readonly number[],
): AsyncGenerator<{ bugId: number; comment: z.output<typeof commentShape> }> {
  const present = createCommentPresenter(ctx, {})
  for await (const rows of inParts(
    loadCommentsAfter(ctx, { caller: ctx.caller }, bugIds, null, 0),
  )) {
    yield* presentEach(await present(rows))
  }
}

/** Refuses more comments than one request may read by `readComments`. */
export async function admitBugComments(ctx: Ctx, bugIds: readonly number[]): Promise<void> {
  admitLength(ctx, bugIds.length, [await readSize(ctx, { caller: ctx.caller }, bugIds)])
}

async function readSize(ctx: Ctx, list: CommentList, bugIds: readonly number[]) {
  const { sizes } = await readBatch(ctx, {
    sizes: selectSize(list, bugsById(ctx.caller, bugIds)),
  })
  return sizes[0]
}

/** Presents the comments of the first read and then all that follow, in parts. */
async function* presentInOrder(
  ctx: Ctx,
  wanted: { list: CommentList; bugIds: readonly number[]; limit: ChunkLimit },
  firstRows: SizedCommentRow[],
  present: PresentComments,
): AsyncGenerator<PresentedComment[]> {
  const last = firstRows.at(-1)
  const count = firstRows.length
  const isMore = isTruncated(firstRows, wanted.limit)
  const { list, bugIds } = wanted
  const all = async function* () {
    yield firstRows
    if (last !== undefined && isMore) {
      yield* loadCommentsAfter(ctx, list, bugIds, last, count)
    }
  }
  for await (const rows of inParts(all())) {
    yield presentEach(await present(rows))
  }
}

/** Comments whose HTML is rendered together, and their bytes, which an answer holds while its client does not read. */
const PRESENTED_AT_ONCE = 100
const BYTES_AT_ONCE = 100_000

/** Empties each chunk part by part, because the rest of an answer may wait long for its client. */
async function* inParts(
  chunks: Iterable<SizedCommentRow[]> | AsyncIterable<SizedCommentRow[]>,
): AsyncGenerator<SizedCommentRow[]> {
  for await (const chunk of chunks) {
    while (chunk.length > 0) {
      yield chunk.splice(0, countPart(chunk))
    }
  }
}

function countPart(rows: readonly SizedCommentRow[]): number {
  let bytes = 0
  const full = rows.slice(0, PRESENTED_AT_ONCE).findIndex((row) => {
    bytes += sumBytes([row])
    return bytes >= BYTES_AT_ONCE
  })
  return full < 0 ? PRESENTED_AT_ONCE : full + 1
}

function presentEach(presented: Awaited<ReturnType<PresentComments>>) {
  return presented.map(({ row, comment }) => ({ bugId: row.bugId, comment }))
}

/** As many as fit into one round trip when all have the largest text. */
const MAX_COMMENTS = 100

export const getComments = operation(
  {
    method: 'GET',
    path: '/bug/comment/:comment_id',
    summary: 'Read comments by their IDs',
    reference: 'comments.md#get-comments',
    input: z.object({
      comment_id: z.string(),
      comment_ids: ids(),
      ...selectionInput,
    }),
    output: commentsOutput,
    faults: commentAccessFaults,
    requires: anyone,
    scope: 'read',
  },
  async (ctx, input) => {
    const { caller } = ctx
    const ids = [...new Set([parseCommentId(input.comment_id), ...(input.comment_ids ?? [])])]
    if (ids.length > MAX_COMMENTS) {
      const reason = `may name at most ${MAX_COMMENTS} comments with the one in the path`
      throw invalidParameter('comment_ids', reason)
    }
    const read = await readBatch(ctx, {
      access: selectCommentAccess(caller, ids),
      rows: db
        .select(commentColumns(caller))
        .from(comments)
        .where(
          allOf([
            sql`${comments.id} IN ${jsonList(ids)}`,
            visibleBugOfCommentCondition(caller),
            visibleCommentCondition(caller),
          ]),
        ),
    })
    for (const id of ids) {
      requireVisibleComment(caller, id, read.access)
    }
    const present = createCommentPresenter(ctx, input)
    assertRenders(ctx, present.wantsHtml ? sumLengths(read.rows) : 0)
    const presented = await present(read.rows)
    return {
      bugs: {},
      comments: Object.fromEntries(presented.map(({ row, comment }) => [row.id, comment])),
    }
  },
)

type PresentComments = ReturnType<typeof createCommentPresenter>

function createCommentPresenter(ctx: Ctx, input: ConstructorParameters<typeof Selection>[0]) {
  const selection = new Selection(input)
  const people = new PeoplePresenter(ctx.caller, ctx.settings)
  const wantsHtml = selection.includes('html', 'named')
  const present = async (rows: readonly CommentRow[]) => {
    const html = wantsHtml ? await renderComments(ctx, rows) : undefined
    return rows.map((row) => ({
      row,
      comment: presentComment(row, selection, people, html?.get(row.id)),
    }))
  }
  return Object.assign(present, { wantsHtml })
}

function visibleBugOfCommentCondition(caller: Caller): SQL {
  return sql`EXISTS (SELECT 1 FROM bugs WHERE ${bugsTable.id} = ${comments.bugId} AND ${visibleBugCondition(caller)})`
}
