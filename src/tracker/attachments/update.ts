import * as z from 'zod'
import type { Person } from '../../platform/access/caller.ts'
import type { Ctx } from '../../platform/context.ts'
import { abortUnlessChanged, commit, type Statement } from '../../platform/db/commit.ts'
import { attachments } from '../../platform/db/schema/bugs.ts'
import { aliasColumns, columnName, jsonList, jsonRows, sql } from '../../platform/db/sql.ts'
import { invalidParameter } from '../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { boolean, changesOutput, id, ids, text } from '../../platform/http/operations/shapes.ts'
import { fold } from '../../platform/lib/text.ts'
import { toDatetime } from '../../platform/lib/time.ts'
import {
  decideMarkdown,
  insertAttachmentCommentsStatement,
  parseCommentBody,
} from '../comments/plan.ts'
import { flagInputs } from '../flags/input.ts'
import { changesFlags, type FlagEdits } from '../flags/plan-edits.ts'
import { addRequesteesToCcStatements, flagStatements, listChangedBugs } from '../flags/write.ts'
import { bugChangedAt, recordHistory } from '../history/record.ts'
import {
  announceNotices,
  noticeOf,
  recordedNotices,
  recordNotice,
} from '../notices/record-notice.ts'
import { updateAttachmentFaults } from './faults.ts'
import {
  type AttachmentDecision,
  type AttachmentState,
  canEditBug,
  decideUpdates,
} from './update-decide.ts'
import { loadForUpdate } from './update-load.ts'

const a = aliasColumns(attachments, 'a')

export const updateAttachmentInput = z.object({
  attachment_id: id(),
  ids: ids(),
  file_name: text(),
  summary: text(),
  content_type: text(),
  comment: text(),
  is_markdown: boolean(),
  is_patch: boolean(),
  is_private: boolean(),
  is_obsolete: boolean(),
  minor_update: boolean(),
  flags: flagInputs(),
  bug_flags: flagInputs(),
})

type Input = z.output<typeof updateAttachmentInput>

/** Changes of attachments by one person. */
type AttachmentsUpdate = {
  readonly personId: number
  /** Unix seconds. */
  readonly now: number
  readonly isMinor: boolean
  readonly decisions: readonly AttachmentDecision[]
  /** Of the attachments and of their bugs. */
  readonly flags: readonly FlagEdits[]
  readonly isMarkdown: boolean
  /** Empty for none; as private as the attachment that it is about. */
  readonly comment: string
}

const MAX_UPDATED_ATTACHMENTS = 500

const ATTACHMENT_HISTORY_FIELDS: Readonly<Record<keyof AttachmentState, string>> = {
  summary: 'attachments.description',
  file_name: 'attachments.filename',
  content_type: 'attachments.mimetype',
  is_patch: 'attachments.ispatch',
  is_private: 'attachments.isprivate',
  is_obsolete: 'attachments.isobsolete',
}

/** Changes the attachment of the path and each of `ids`, all or none, with history and notices. */
export const updateAttachments = operation(
  {
    method: 'PUT',
    path: '/bug/attachment/:attachment_id',
    summary: 'Change attachments',
    reference: 'attachments.md#change-attachments',
    input: updateAttachmentInput,
    output: z.strictObject({
      attachments: z.array(
        z.strictObject({
          id: z.int(),
          last_change_time: z.iso.datetime(),
          changes: changesOutput,
        }),
      ),
    }),
    faults: updateAttachmentFaults,
    requires: loggedIn,
    scope: 'write',
  },
  async (ctx, input) => {
    const person = ctx.caller
    const attachmentIds = [...new Set([input.attachment_id, ...(input.ids ?? [])])]
    if (attachmentIds.length > MAX_UPDATED_ATTACHMENTS) {
      const reason = `may name at most ${MAX_UPDATED_ATTACHMENTS} attachments at once`
      throw invalidParameter('ids', reason)
    }
    const inputs = [...(input.flags ?? []), ...(input.bug_flags ?? [])]
    const flags = { inputs, obsoletesAttachments: input.is_obsolete ?? false }
    const current = await loadForUpdate(ctx, person, attachmentIds, flags)
    const { decisions, bugFlags } = decideUpdates(person, input, current, attachmentIds)
    const plan = makePlan(ctx, person, input, decisions, bugFlags)
    const rows = await commit(ctx, makeUpdateParts(plan))
    const notices = recordedNotices(rows.notices)
    announceNotices(ctx, notices)
    const timesByBug = new Map(notices.map(({ bugId, at }) => [bugId, at]))
    return { attachments: decisions.map((decision) => presentDecision(decision, timesByBug)) }
  },
)

/** A minor update needs the right to edit the bugs of all attachments. */
function makePlan(
  ctx: Ctx,
  person: Person,
  input: Input,
  decisions: readonly AttachmentDecision[],
  bugFlags: readonly FlagEdits[],
): AttachmentsUpdate {
  const canSkipMail = decisions.every(({ attachment }) => canEditBug(person, attachment))
  const comment = input.comment ?? ''
  return {
    personId: person.id,
    now: ctx.now,
    isMinor: (input.minor_update ?? false) && canSkipMail,
    decisions,
    flags: [...decisions.flatMap(({ flags }) => flags ?? []), ...bugFlags],
    isMarkdown: decideMarkdown(ctx.settings, input.is_markdown, true),
    // the comment is as private as its attachment, which the caller sees, so that no right is checked
    comment: comment.trim() === '' ? '' : parseCommentBody(person, comment, false),
  }
}

/** The parts of the commit, in this order. All of them are empty when nothing changes. */
export function makeUpdateParts(plan: AttachmentsUpdate) {
  const { personId, now, isMinor, decisions, flags, comment, isMarkdown } = plan
  const changing = decisions.filter(hasChanges)
  const noticed = comment === '' ? changing : decisions
  const bugIds = [
    ...new Set([...noticed.map(({ attachment }) => attachment.bugId), ...listChangedBugs(flags)]),
  ]
  if (bugIds.length === 0) {
    return { notices: [] }
  }
  const bugIdSelect = sql`SELECT value AS bug_id FROM json_each(${JSON.stringify(bugIds)})`
  const event = { kind: 'changed', authorId: personId, at: now, isMinor } as const
  const ids = decisions.map(({ attachment }) => attachment.id)
  const commented = sql`SELECT ${a.id} AS attachment_id, ${a.bugId}, ${a.isPrivate} FROM attachments a
    WHERE ${a.id} IN ${jsonList(ids)}`
  const attachmentComment = { kind: 'attachment_updated', body: comment, isMarkdown } as const
  return {
    notices: recordNotice(bugIdSelect, event),
    history: historyStatements(changing, personId),
    attachments:
      changing.length > 0
        ? [updateAttachmentsStatement(changing), abortUnlessChanged(changing.length)]
        : [],
    comments:
      comment === ''
        ? []
        : insertAttachmentCommentsStatement(commented, attachmentComment, personId),
    flags: flagStatements(flags, { authorId: personId, noticeOf }),
    cc: addRequesteesToCcStatements(flags, { authorId: personId, noticeOf }),
  }
}

/** A change of its flags changes the time of an attachment, too. */
function hasChanges({ changes, flags }: AttachmentDecision): boolean {
  return Object.keys(changes).length > 0 || (flags !== null && changesFlags(flags))
}

/** One statement for each changed field, for any number of attachments. */
function historyStatements(changing: readonly AttachmentDecision[], authorId: number): Statement[] {
  return (Object.keys(ATTACHMENT_HISTORY_FIELDS) as (keyof AttachmentState)[]).flatMap((field) => {
    const rows = changing.flatMap(({ attachment, changes }) => {
      const change = changes[field]
      return change === undefined ? [] : [makeHistoryRow(attachment, change)]
    })
    const cell = (name: keyof ReturnType<typeof makeHistoryRow>) => sql`r.value ->> ${name}`
    return rows.length === 0
      ? []
      : [
          recordHistory(
            {
              field: ATTACHMENT_HISTORY_FIELDS[field],
              from: jsonRows(rows),
              bugId: cell('bugId'),
              attachmentId: cell('attachmentId'),
              removed: cell('removed'),
              removedFolded: cell('removedFolded'),
              added: cell('added'),
              addedFolded: cell('addedFolded'),
            },
            { authorId, noticeOf },
          ),
        ]
  })
}

function makeHistoryRow(
  { id: attachmentId, bugId }: AttachmentDecision['attachment'],
  { removed, added }: { removed: string; added: string },
) {
  const folded = { removedFolded: fold(removed), addedFolded: fold(added) }
  return { bugId, attachmentId, removed, added, ...folded }
}

/** Skips attachments whose revision has changed; `abortUnlessChanged` then aborts the commit. */
function updateAttachmentsStatement(changing: readonly AttachmentDecision[]): Statement {
  const rows = changing.map(({ attachment: { id: attachmentId, revision }, after }) => ({
    ...after,
    id: attachmentId,
    revision,
    summary_fold: fold(after.summary),
  }))
  return sql`UPDATE attachments SET ${columnName(attachments.summary)} = r.value ->> 'summary',
      ${columnName(attachments.summaryFold)} = r.value ->> 'summary_fold', ${columnName(attachments.fileName)} = r.value ->> 'file_name',
      ${columnName(attachments.contentType)} = r.value ->> 'content_type', ${columnName(attachments.isPatch)} = r.value ->> 'is_patch',
      ${columnName(attachments.isPrivate)} = r.value ->> 'is_private', ${columnName(attachments.isObsolete)} = r.value ->> 'is_obsolete',
      ${columnName(attachments.changedAt)} = ${bugChangedAt(sql`${attachments.bugId}`)}, ${columnName(attachments.revision)} = ${attachments.revision} + 1
    FROM ${jsonRows(rows)}
    WHERE ${attachments.id} = r.value ->> 'id' AND ${attachments.revision} = r.value ->> 'revision'`
}

/** A comment alone does not change the attachment. */
function presentDecision(decision: AttachmentDecision, timesByBug: ReadonlyMap<number, number>) {
  const { attachment, changes, flags } = decision
  const at = hasChanges(decision) ? timesByBug.get(attachment.bugId) : undefined
  const { removed = '', added = '' } = flags ?? {}
  return {
    id: attachment.id,
    last_change_time: toDatetime(at ?? attachment.changedAt),
    changes: removed === added ? changes : { ...changes, 'flagtypes.name': { removed, added } },
  }
}
