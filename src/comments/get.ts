import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Caller } from '../access/caller.ts'
import {
  allReachable,
  type BugSet,
  bugRefs,
  bugsById,
  bugsNamed,
  resolveBugs,
} from '../access/reach.ts'
import { visibleAttachment, visibleBug, visibleComment } from '../access/visible.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { comments } from '../db/schema/comments.ts'
import { allOf, jsonList } from '../db/sql.ts'
import { together } from '../db/together.ts'
import { moment, names, selectionInput } from '../http/shapes.ts'
import { Selection } from '../lib/selection.ts'
import { streamJson } from '../lib/stream.ts'
import { People } from '../users/people.ts'
import { type CommentList, chunk, fitting, isFull, type Shown, writtenOut } from './chunks.ts'
import { type CommentRow, commentShape, presentComment } from './present.ts'
import { commentNumber, placeOfComment, reachableComment } from './reach.ts'

/** Characters of text; the answer holds most of them twice. */
const LONGEST_HELD = 400_000

export const bugCommentsInput = z.object({
  id_or_alias: z.string(),
  ids: names(),
  new_since: moment(),
  ...selectionInput,
})

export const commentsOutput = z.strictObject({
  bugs: z.record(z.string(), z.strictObject({ comments: z.array(commentShape) })),
  comments: z.record(z.string(), commentShape),
})

/**
 * GET /bug/{id_or_alias}/comment: the comments of bugs, oldest first; private ones for insiders alone. Up
 * to 500 of them, and 4 MB of text, cost one trip; behind that there is a trip for each such part, and what
 * is too long to be held as a whole is streamed.
 * Contract "Comments". Faults 56, 100, 101, 102.
 */
export async function getBugComments(ctx: Ctx, input: z.output<typeof bugCommentsInput>) {
  const { caller } = ctx
  const refs = bugRefs(input.id_or_alias, input.ids)
  const list = { caller, newSince: input.new_since }
  const read = await together(ctx.door, {
    resolved: resolveBugs(caller, refs),
    rows: commentsIn(caller, chunk(list, bugsNamed(caller, refs))),
  })
  const bugIds = allReachable(caller, refs, read.resolved).toSorted((a, b) => a - b)
  const show = shower(ctx, input)
  if (!isFull(read.rows) && isShort(read.rows)) {
    const byBug = Map.groupBy(read.rows, (row) => row.bugId)
    const bugs = bugIds.map((id) => [id, { comments: (byBug.get(id) ?? []).map(show) }])
    return { bugs: Object.fromEntries(bugs), comments: {} }
  }
  return streamJson(writtenOut(bugIds, shownInTurn(ctx, list, bugIds, read.rows, show)), 'comments')
}

type ListedRow = CommentRow & { bytes: number }

/** Whether the answer is short enough to be held as a whole, which is what a tag of it takes. */
function isShort(rows: readonly CommentRow[]): boolean {
  return rows.reduce((sum, { body }) => sum + body.length, 0) <= LONGEST_HELD
}

/** The comments that were read, and all behind them, a trip for each part. */
async function* shownInTurn(
  ctx: Ctx,
  list: CommentList,
  bugIds: readonly number[],
  first: readonly ListedRow[],
  show: (row: CommentRow) => object,
): AsyncGenerator<Shown> {
  const { caller, door } = ctx
  for (let rows = first; ; ) {
    for (const row of rows) {
      yield { bugId: row.bugId, comment: show(row) }
    }
    const last = rows.at(-1)
    if (last === undefined || !isFull(rows)) {
      return
    }
    const rest = {
      bug: bugsById(caller, [last.bugId]),
      behind: last,
      others: bugsById(
        caller,
        bugIds.filter((id) => id > last.bugId),
      ),
    }
    const read = await together(door, { rows: commentsIn(caller, chunk(list, rest)) })
    rows = read.rows
  }
}

export const commentInput = z.object({ comment_id: z.string(), ...selectionInput })

/**
 * GET /bug/comment/{comment_id}: one comment. Contract "Comments". Faults 111 when there is none, 102
 * when its bug is hidden from the caller, 110 when it, or the attachment that it is
 * about, is private and the caller is no insider.
 */
export async function getComment(ctx: Ctx, input: z.output<typeof commentInput>) {
  const { caller } = ctx
  const id = commentNumber(input.comment_id)
  const read = await together(ctx.door, {
    place: placeOfComment(caller, id),
    rows: commentsWhere(caller, [
      sql`comments.id = ${id}`,
      seenBug(caller),
      visibleComment(caller),
    ]),
  })
  reachableComment(caller, id, read.place)
  const show = shower(ctx, input)
  return { bugs: {}, comments: Object.fromEntries(read.rows.map((row) => [row.id, show(row)])) }
}

function shower({ caller, settings }: Ctx, input: ConstructorParameters<typeof Selection>[0]) {
  const selection = new Selection(input)
  const people = new People(caller, settings)
  return (row: CommentRow) => presentComment(row, selection, people)
}

/**
 * The comments of bugs that the caller may see, to be read `together` with the bugs; those that carry one
 * of the folded tags in `without` are left out, and so are those no newer than `newSince`. Contract "Bug",
 * comments.
 */
export function commentsOfBugs(
  caller: Caller,
  set: BugSet,
  without: readonly string[],
  newSince?: number,
) {
  const collapsed = sql`EXISTS (SELECT 1 FROM comment_tags
    WHERE comment_tags.comment_id = comments.id AND comment_tags.name_fold IN ${jsonList(without)})`
  const shown = without.length === 0 ? [] : [sql`NOT ${collapsed}`]
  return commentsWhere(caller, [
    inBugs(set),
    visibleComment(caller),
    ...newerThan(newSince),
    ...shown,
  ])
}

function newerThan(newSince: number | undefined): SQL[] {
  return newSince === undefined ? [] : [sql`comments.created_at > ${newSince}`]
}

function inBugs(set: BugSet): SQL {
  return sql`comments.bug_id IN (SELECT bugs.id FROM bugs WHERE ${set.condition})`
}

function seenBug(caller: Caller): SQL {
  return sql`EXISTS (SELECT 1 FROM bugs WHERE bugs.id = comments.bug_id AND ${visibleBug(caller)})`
}

/** Comments with everything that showing them needs. */
function commentsWhere(caller: Caller, conditions: readonly SQL[]) {
  return db
    .select(commentColumns(caller))
    .from(comments)
    .where(allOf(conditions))
    .orderBy(comments.bugId, comments.number)
}

/** The comments of a chunk. */
function commentsIn(caller: Caller, part: SQL) {
  return db
    .select({ ...commentColumns(caller), bytes: sql<number>`chunk.bytes`.as('bytes') })
    .from(comments)
    .innerJoin(sql`${part} AS chunk`, sql`chunk.id = comments.id AND ${fitting('chunk')}`)
    .orderBy(comments.bugId, comments.createdAt, comments.number)
}

/** What a text would tell of hidden things is null. */
function commentColumns(caller: Caller) {
  return {
    id: comments.id,
    bugId: comments.bugId,
    number: comments.number,
    author: sql<string>`(SELECT u.login FROM users u WHERE u.id = comments.author_id)`.as('author'),
    createdAt: comments.createdAt,
    body: comments.body,
    isPrivate: comments.isPrivate,
    isMarkdown: comments.isMarkdown,
    kind: comments.kind,
    attachmentId: comments.attachmentId,
    attachmentSummary: sql<string | null>`(SELECT attachments.summary FROM attachments
        WHERE attachments.id = comments.attachment_id AND ${visibleAttachment(caller)})`.as(
      'attachment_summary',
    ),
    relatedBugId: sql<number | null>`(SELECT other.id FROM bugs other
        WHERE other.id = comments.related_bug_id AND ${visibleBug(caller, 'other')})`.as(
      'related_id',
    ),
    tags: sql<string>`(SELECT json_group_array(t.name ORDER BY t.name_fold) FROM comment_tags t
        WHERE t.comment_id = comments.id)`.as('tags'),
  }
}
