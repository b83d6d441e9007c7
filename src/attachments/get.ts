import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { allReachable, type BugSet, bugRefs, bugsNamed, resolveBugs } from '../access/bug-set.ts'
import type { Caller } from '../access/caller.ts'
import { visibleAttachmentCondition, visibleBugCondition } from '../access/visibility.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { readBatch } from '../db/read-batch.ts'
import { attachments } from '../db/schema/attachments.ts'
import { allOf, jsonList, sql } from '../db/sql.ts'
import { type Fault, fault } from '../faults.ts'
import { selectFlagTuples } from '../flags/present.ts'
import { id, ids, names, selectionInput } from '../http/shapes.ts'
import { Selection } from '../lib/selection.ts'
import { People } from '../users/people.ts'
import { attachmentShape, presentAttachment } from './present.ts'
import { StreamedBytes } from './streamed-bytes.ts'

export const bugAttachmentsInput = z.object({
  id_or_alias: z.string(),
  ids: names(),
  ...selectionInput,
})

export const attachmentsOutput = z.strictObject({
  bugs: z.record(z.string(), z.array(attachmentShape)),
  attachments: z.record(z.string(), attachmentShape),
})

/** What is known of an attachment, with the place of its bytes. */
export type StoredAttachment = Awaited<ReturnType<typeof selectAttachments>>[number]

/**
 * GET /bug/{id_or_alias}/attachment: the attachments of bugs, each bug's by their IDs; private ones for
 * insiders and for who submitted them. Contract "Attachments". Faults 100, 101, 102.
 */
export async function getBugAttachments(ctx: Ctx, input: z.output<typeof bugAttachmentsInput>) {
  const { caller } = ctx
  const refs = bugRefs(input.id_or_alias, input.ids)
  const read = await readBatch(ctx, {
    resolved: resolveBugs(caller, refs),
    rows: selectAttachmentsOfBugs(caller, bugsNamed(caller, refs)),
  })
  const gaps = new StreamedBytes()
  const show = createAttachmentPresenter(ctx, new Selection(input), gaps)
  const byBug = Map.groupBy(read.rows, (row) => row.bugId)
  const bugs = allReachable(caller, refs, read.resolved).map((bugId) => [
    bugId,
    (byBug.get(bugId) ?? []).map(show),
  ])
  return gaps.respond(ctx.env.FILES, { bugs: Object.fromEntries(bugs), attachments: {} })
}

export const attachmentInput = z.object({
  attachment_id: id(),
  attachment_ids: ids(),
  ...selectionInput,
})

/**
 * GET /bug/attachment/{attachment_id}: attachments by their IDs; one that does not exist is left out.
 * Contract "Attachments". Faults 52, 102 when its bug is hidden from the caller, 304 when it is private
 * and the caller neither an insider nor who submitted it.
 */
export async function getAttachments(ctx: Ctx, input: z.output<typeof attachmentInput>) {
  const wanted = [input.attachment_id, ...(input.attachment_ids ?? [])]
  const rows = await loadVisibleAttachments(ctx, wanted)
  const gaps = new StreamedBytes()
  const show = createAttachmentPresenter(ctx, new Selection(input), gaps)
  const shown = rows.map((row) => [row.id, show(row)])
  return gaps.respond(ctx.env.FILES, { bugs: {}, attachments: Object.fromEntries(shown) })
}

/** The attachments with these IDs, all of which the caller may see, or fault 102 or 304. */
export async function loadVisibleAttachments(
  ctx: Ctx,
  wanted: readonly number[],
): Promise<StoredAttachment[]> {
  const { caller } = ctx
  const named = sql`attachments.id IN ${jsonList(wanted)}`
  const visible = sql`${visibleBugOfAttachmentCondition(caller)} AND ${visibleAttachmentCondition(caller)}`
  const { rows, hidden } = await readBatch(ctx, {
    rows: selectAttachments([named, visible]),
    hidden: db
      .select({
        id: attachments.id,
        isBugVisible: sql<boolean>`${visibleBugOfAttachmentCondition(caller)}`
          .mapWith(Boolean)
          .as('is_bug_visible'),
      })
      .from(attachments)
      .where(sql`${named} AND NOT (${visible})`),
  })
  const [first] = wanted.flatMap((one) => hidden.find((row) => row.id === one) ?? [])
  if (first !== undefined) {
    throw first.isBugVisible
      ? fault('attachmentPrivate', { id: first.id })
      : hiddenBugFault(caller, first.id)
  }
  return rows
}

/** Which bug it is on is not for this caller to know. */
export function hiddenBugFault(caller: Caller, attachmentId: number): Fault {
  const anonymous = caller.kind === 'anonymous'
  return fault('bugNotVisible', { given: `of attachment ${attachmentId}`, anonymous })
}

/** Shows attachments of one answer; bytes leave a gap where they are wanted. */
function createAttachmentPresenter(
  { caller, settings }: Ctx,
  selection: Selection,
  gaps: StreamedBytes,
) {
  const people = new People(caller, settings)
  const wantsData = selection.includes('data')
  return (row: StoredAttachment) =>
    presentAttachment(row, selection, people, wantsData ? gaps.addPlaceholder(row) : undefined)
}

/**
 * The attachments of bugs that the caller may see, to be read `together` with the bugs. Contract "Bug",
 * attachments.
 */
export function selectAttachmentsOfBugs(caller: Caller, set: BugSet) {
  const inBugs = sql`attachments.bug_id IN (SELECT bugs.id FROM bugs WHERE ${set.condition})`
  return selectAttachments([inBugs, visibleAttachmentCondition(caller)])
}

/** Whether the caller sees the bug of an attachment. */
export function visibleBugOfAttachmentCondition(caller: Caller): SQL {
  return sql`EXISTS (SELECT 1 FROM bugs WHERE bugs.id = attachments.bug_id AND ${visibleBugCondition(caller)})`
}

function selectAttachments(conditions: readonly SQL[]) {
  return db
    .select({
      id: attachments.id,
      bugId: attachments.bugId,
      size: attachments.size,
      createdAt: attachments.createdAt,
      changedAt: attachments.changedAt,
      fileName: attachments.fileName,
      summary: attachments.summary,
      contentType: attachments.contentType,
      isPrivate: attachments.isPrivate,
      isObsolete: attachments.isObsolete,
      isPatch: attachments.isPatch,
      objectKey: attachments.objectKey,
      sha256: attachments.sha256,
      linkUrl: attachments.linkUrl,
      submitter: sql<string>`(SELECT json_array(u.id, u.login, u.real_name, u.nick)
        FROM users u WHERE u.id = attachments.submitter_id)`.as('submitter'),
      flags: selectAttachmentFlagTuples().as('flags'),
    })
    .from(attachments)
    .where(allOf(conditions))
    .orderBy(attachments.bugId, attachments.id)
}

/** The flags of the attachment at hand, as JSON that `presentAttachment` reads. */
export function selectAttachmentFlagTuples(): SQL<string> {
  return selectFlagTuples(sql`f.bug_id = attachments.bug_id AND f.attachment_id = attachments.id`)
}
