import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import {
  type BugSet,
  bugsNamed,
  parseBugRefs,
  requireVisibleBugs,
  resolveBugs,
} from '../../platform/access/bug-set.ts'
import type { Caller } from '../../platform/access/caller.ts'
import { bugAccessFaults, bugNotVisible } from '../../platform/access/faults.ts'
import {
  visibleAttachmentCondition,
  visibleBugCondition,
} from '../../platform/access/visibility.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { attachments, bugs as bugsTable } from '../../platform/db/schema/bugs.ts'
import { flags } from '../../platform/db/schema/flags.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, allOf, db, jsonList, sql } from '../../platform/db/sql.ts'
import { type Fault, fault } from '../../platform/faults/fault.ts'
import { anyone, operation } from '../../platform/http/operations/operation.ts'
import { runInReadTurn } from '../../platform/http/operations/read-turns.ts'
import { bugNames, id, ids, selectionInput } from '../../platform/http/operations/shapes.ts'
import { pick } from '../../platform/lib/pick.ts'
import { type SelectedFields, Selection } from '../../platform/lib/selection.ts'
import { selectFlagTuples } from '../flags/present.ts'
import { admitDiscussions } from '../history/discussion-bounds.ts'
import { discussionsTooLong } from '../history/faults.ts'
import { PeoplePresenter } from '../users/people.ts'
import {
  attachmentBytesFaults,
  attachmentListFaults,
  attachmentPrivate,
  attachmentsTooMany,
} from './faults.ts'
import { attachmentShape, presentAttachment } from './present.ts'
import { StreamedBytes } from './streamed-bytes.ts'

const u = aliasColumns(users, 'u')
const f = aliasColumns(flags, 'f')

const attachmentsOutput = z.strictObject({
  bugs: z.record(z.string(), z.array(attachmentShape)),
  attachments: z.record(z.string(), attachmentShape),
})

/** An attachment with the key of its bytes. */
export type StoredAttachment = Awaited<ReturnType<typeof selectAttachments>>[number]

/** The attachments of bugs, sorted by ID; private ones for insiders and for their submitters. */
export const getBugAttachments = operation(
  {
    method: 'GET',
    path: '/bug/:id_or_alias/attachment',
    summary: 'Read the attachments of bugs',
    reference: 'attachments.md#list-attachments-of-bugs',
    input: z.object({
      id_or_alias: z.string(),
      ids: bugNames(),
      ...selectionInput,
    }),
    output: attachmentsOutput,
    faults: [...bugAccessFaults, ...attachmentListFaults, discussionsTooLong],
    requires: anyone,
    scope: 'read',
  },
  async (ctx, input) => {
    const { caller } = ctx
    const refs = parseBugRefs(input.id_or_alias, input.ids)
    admitDiscussions(ctx, refs.length)
    const read = await readBatch(ctx, {
      resolved: resolveBugs(caller, refs),
      rows: selectAttachmentsOfBugs(caller, bugsNamed(caller, refs)),
    })
    assertFewAttachments(read.rows)
    const ids = requireVisibleBugs(caller, refs, read.resolved)
    const byBug = Map.groupBy(read.rows, (row) => row.bugId)
    return answerInTurn(ctx, input, read.rows.length, (present) => ({
      bugs: Object.fromEntries(ids.map((id) => [id, (byBug.get(id) ?? []).map(present)])),
      attachments: {},
    }))
  },
)

/** Attachments by ID; missing ones are left out. */
export const getAttachments = operation(
  {
    method: 'GET',
    path: '/bug/attachment/:attachment_id',
    summary: 'Read attachments',
    reference: 'attachments.md#get-attachments',
    input: z.object({
      attachment_id: id(),
      attachment_ids: ids(),
      ...selectionInput,
    }),
    output: attachmentsOutput,
    faults: [...attachmentBytesFaults, attachmentPrivate, bugNotVisible],
    requires: anyone,
    scope: 'read',
  },
  async (ctx, input) => {
    const attachmentIds = [input.attachment_id, ...(input.attachment_ids ?? [])]
    const rows = await loadVisibleAttachments(ctx, attachmentIds)
    return answerInTurn(ctx, input, rows.length, (present) => ({
      bugs: {},
      attachments: Object.fromEntries(rows.map((row) => [row.id, present(row)])),
    }))
  },
)

/** Loads the attachments with these IDs; missing ones are left out. */
export async function loadVisibleAttachments(
  ctx: Ctx,
  attachmentIds: readonly number[],
): Promise<StoredAttachment[]> {
  const { caller } = ctx
  const isRequested = sql`${attachments.id} IN ${jsonList(attachmentIds)}`
  const visible = sql`${visibleBugOfAttachmentCondition(caller)} AND ${visibleAttachmentCondition(caller)}`
  const { rows, hidden } = await readBatch(ctx, {
    rows: selectAttachments([isRequested, visible]),
    hidden: db
      .select({
        id: attachments.id,
        isBugVisible: sql<boolean>`${visibleBugOfAttachmentCondition(caller)}`
          .mapWith(Boolean)
          .as('is_bug_visible'),
      })
      .from(attachments)
      .where(sql`${isRequested} AND NOT (${visible})`),
  })
  const [first] = attachmentIds.flatMap((id) => hidden.find((row) => row.id === id) ?? [])
  if (first !== undefined) {
    throw first.isBugVisible
      ? fault(attachmentPrivate, { id: first.id })
      : hiddenBugFault(caller, first.id)
  }
  return rows
}

/** Refuses without the ID of the bug, which the caller must not learn. */
export function hiddenBugFault(caller: Caller, attachmentId: number): Fault {
  const anonymous = caller.kind === 'anonymous'
  return fault(bugNotVisible, { given: `of attachment ${attachmentId}`, anonymous })
}

/** Attachments that are presented at once, beyond which answers take turns. */
const FEW = 50

type Presenter = ReturnType<typeof createAttachmentPresenter>

/** Answers with so many attachments. */
function answerInTurn<Answer extends object>(
  ctx: Ctx,
  selected: SelectedFields,
  count: number,
  write: (present: Presenter) => Answer,
): Promise<Answer | Response> {
  const streamedBytes = new StreamedBytes()
  const present = createAttachmentPresenter(ctx, new Selection(selected), streamedBytes)
  const answer = () => streamedBytes.respond(ctx, write(present))
  return count > FEW ? runInReadTurn(ctx, answer) : answer()
}

/** Returns a function that makes the attachment objects of one answer, with placeholders for `data`. */
function createAttachmentPresenter(
  { caller, settings }: Ctx,
  selection: Selection,
  streamedBytes: StreamedBytes,
) {
  const people = new PeoplePresenter(caller, settings)
  const wantsData = selection.includes('data')
  return (row: StoredAttachment) =>
    presentAttachment(
      row,
      selection,
      people,
      wantsData ? streamedBytes.addPlaceholder(row) : undefined,
    )
}

/** Attachments of bugs that one round trip brings, whose JSON has 5 MB. */
const MAX_LISTED = 10_000

/**
 * Selects the attachments of bugs that the caller sees, for the `readBatch` that reads the bugs. One more than they may
 * have shows `assertFewAttachments` that there are too many.
 */
export function selectAttachmentsOfBugs(caller: Caller, set: BugSet) {
  const inBugs = sql`${attachments.bugId} IN (SELECT ${bugsTable.id} FROM bugs WHERE ${set.condition})`
  return selectAttachments([inBugs, visibleAttachmentCondition(caller)]).limit(MAX_LISTED + 1)
}

export function assertFewAttachments({ length }: readonly StoredAttachment[]): void {
  if (length > MAX_LISTED) {
    throw fault(attachmentsTooMany, { most: MAX_LISTED.toLocaleString('en') })
  }
}

export function visibleBugOfAttachmentCondition(caller: Caller): SQL {
  return sql`EXISTS (SELECT 1 FROM bugs WHERE ${bugsTable.id} = ${attachments.bugId} AND ${visibleBugCondition(caller)})`
}

function selectAttachments(conditions: readonly SQL[]) {
  return db
    .select({
      ...pick(attachments, 'id', 'bugId', 'size', 'createdAt', 'changedAt'),
      ...pick(attachments, 'fileName', 'summary', 'contentType', 'isPrivate', 'isObsolete'),
      ...pick(attachments, 'isPatch', 'objectKey', 'sha256', 'linkUrl'),
      submitter: sql<string>`(SELECT json_array(${u.id}, ${u.login}, ${u.realName}, ${u.nick})
        FROM users u WHERE ${u.id} = ${attachments.submitterId})`.as('submitter'),
      flags: selectAttachmentFlagTuples().as('flags'),
    })
    .from(attachments)
    .where(allOf(conditions))
    .orderBy(attachments.bugId, attachments.id)
}

/** The flags of the attachment of the outer query, as JSON for `presentAttachment`. */
export function selectAttachmentFlagTuples(): SQL<string> {
  return selectFlagTuples(
    sql`${f.bugId} = ${attachments.bugId} AND ${f.attachmentId} = ${attachments.id}`,
  )
}
