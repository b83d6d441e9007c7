import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Caller } from '../access/caller.ts'
import { allReachable, type BugSet, bugRefs, bugsNamed, resolveBugs } from '../access/reach.ts'
import { visibleAttachment, visibleBug, visibleComment } from '../access/visible.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { comments } from '../db/schema/comments.ts'
import { allOf, jsonList } from '../db/sql.ts'
import { together } from '../db/together.ts'
import { moment, names, selectionInput } from '../http/shapes.ts'
import { Selection } from '../lib/selection.ts'
import { People } from '../users/people.ts'
import { type CommentRow, commentShape, presentComment } from './present.ts'
import { commentNumber, placeOfComment, reachableComment } from './reach.ts'

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
 * GET /bug/{id_or_alias}/comment: the comments of bugs, oldest first; private ones for insiders alone.
 * Contract "Comments". Faults 56, 100, 101, 102.
 */
export async function getBugComments(ctx: Ctx, input: z.output<typeof bugCommentsInput>) {
  const { caller } = ctx
  const refs = bugRefs(input.id_or_alias, input.ids)
  const read = await together(ctx.door, {
    resolved: resolveBugs(caller, refs),
    rows: commentsWhere(caller, [
      inBugs(bugsNamed(caller, refs)),
      visibleComment(caller),
      ...newerThan(input.new_since),
    ]),
  })
  const show = shower(ctx, input)
  const byBug = Map.groupBy(read.rows, (row) => row.bugId)
  const bugs = allReachable(caller, refs, read.resolved).map((id) => [
    id,
    { comments: (byBug.get(id) ?? []).map(show) },
  ])
  return { bugs: Object.fromEntries(bugs), comments: {} }
}

export const commentInput = z.object({ comment_id: z.string(), ...selectionInput })

/**
 * GET /bug/comment/{comment_id}: one comment. Contract "Comments". Faults 111 when there is none, 102
 * when its bug is hidden from the caller, 110 when it is private and the caller is no insider.
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

/** Comments with everything that showing them needs. What a text would tell of hidden things is null. */
function commentsWhere(caller: Caller, conditions: readonly SQL[]) {
  return db
    .select({
      id: comments.id,
      bugId: comments.bugId,
      number: comments.number,
      author: sql<string>`(SELECT u.login FROM users u WHERE u.id = comments.author_id)`.as(
        'author',
      ),
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
    })
    .from(comments)
    .where(allOf(conditions))
    .orderBy(comments.bugId, comments.number)
}
