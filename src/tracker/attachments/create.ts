import * as z from 'zod'
import { parseBugRefsToWrite } from '../../platform/access/bug-set.ts'
import type { Person } from '../../platform/access/caller.ts'
import { maySetPrivacy } from '../../platform/access/privacy.ts'
import type { Ctx, PersonCtx } from '../../platform/context.ts'
import { commit, retryOnConflict } from '../../platform/db/commit.ts'
import { fault, parameterMissing } from '../../platform/faults/fault.ts'
import { isLargeEdit, runLargeEdit } from '../../platform/http/operations/large-edits.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { boolean, bugNames, text } from '../../platform/http/operations/shapes.ts'
import { Base64Decoder } from '../../platform/lib/base64.ts'
import { Selection } from '../../platform/lib/selection.ts'
import type { Upload } from '../../platform/lib/streaming-json-member.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { assertFitsBugs, decideMarkdown, parseCommentBody } from '../comments/plan.ts'
import { flagInputs } from '../flags/input.ts'
import { createFlagPlanner } from '../flags/plan.ts'
import { announceNotices, type RecordedNotice, recordedNotices } from '../notices/record-notice.ts'
import { PeoplePresenter } from '../users/people.ts'
import { PATCH_TYPE, parseContentType } from './content-type.ts'
import { assertMayAttach, loadForCreate } from './create-load.ts'
import { type AttachmentCreation, type AttachmentDraft, makeCreationParts } from './create-parts.ts'
import {
  attachmentEmpty,
  attachmentPrivacyDenied,
  attachmentTooLarge,
  createAttachmentFaults,
} from './faults.ts'
import { findLink } from './link.ts'
import { attachmentShape, presentAttachment } from './present.ts'
import { deleteMarker, type StoredBytes, storeBytes } from './store.ts'
import { parseAttachmentSummary, parseFileName } from './texts.ts'

export const createAttachmentInput = z.object({
  id_or_alias: z.string(),
  ids: bugNames(),
  data: text(),
  file_name: text(),
  summary: text(),
  content_type: text(),
  comment: text(),
  is_markdown: boolean(),
  is_patch: boolean(),
  is_private: boolean(),
  flags: flagInputs(),
  bug_flags: flagInputs(),
})

type Input = z.output<typeof createAttachmentInput>

/**
 * Attaches the same bytes to the bug of the path and to each of `ids`, all or none, each with a comment.
 * The bytes are stored before the rows.
 */
export const createAttachments = operation(
  {
    method: 'POST',
    path: '/bug/:id_or_alias/attachment',
    makes: '/bug/attachment/:ids',
    summary: 'Attach a file to bugs',
    reference: 'attachments.md#attach-a-file',
    input: createAttachmentInput,
    output: z.strictObject({
      ids: z.array(z.int()),
      attachments: z.record(z.string(), attachmentShape),
    }),
    faults: createAttachmentFaults,
    requires: loggedIn,
    scope: 'write',
    status: 201,
    upload: { name: 'data', admit: assertMayAttach },
  },
  async (ctx, input) => {
    const person = ctx.caller
    const upload = requireUpload(ctx, input)
    const refs = parseBugRefsToWrite(input.id_or_alias, input.ids)
    assertFitsBugs(input.comment ?? '', refs.length)
    const flags = [...(input.flags ?? []), ...(input.bug_flags ?? [])]
    let stored: StoredBytes | undefined
    const attach = async (ctx: PersonCtx) => {
      const { ids, flagRows } = await loadForCreate(ctx, refs, flags)
      assertSize(upload, ctx.settings)
      const draft = makeDraft(person, input, upload, ctx.settings)
      const planner = createFlagPlanner(person, flagRows)
      const edits = ids.flatMap((id) => {
        const bug = planner.findBug(id)
        const attachment = { id: 'new', isPrivate: draft.isPrivate } as const
        return bug === undefined
          ? []
          : [
              planner.planAttachmentFlags(bug, attachment, input.flags),
              ...planner.planBugFlags(bug, input.bug_flags, 'bug_flags'),
            ]
      })
      const body = parseCommentBody(person, input.comment ?? '', draft.isPrivate)
      const isMarkdown = decideMarkdown(ctx.settings, input.is_markdown, true)
      stored ??= await storeBytes(ctx, upload)
      const plan = { person, now: ctx.now, ids, draft, stored, body, isMarkdown, edits }
      const { notices: rows, created } = await commit(ctx, makeCreationParts(plan))
      deleteMarker(ctx, stored)
      const notices = recordedNotices(rows)
      announceNotices(ctx, notices)
      return presentCreatedAttachments(ctx, person, plan, sortByBug(ids, created, notices))
    }
    return isLargeEdit(refs.length)
      ? runLargeEdit(ctx, (began) => retryOnConflict(began, attach))
      : retryOnConflict(ctx, attach)
  },
)

/** `data` of the body is decoded while it arrives; `data` of the query is decoded here. */
function requireUpload({ upload }: Ctx, { data }: Input): Upload {
  if (data === undefined) {
    throw fault(parameterMissing, { field: 'data' })
  }
  if (upload) {
    return upload
  }
  const decoder = new Base64Decoder(data.length)
  decoder.decode(data)
  return { size: decoder.size, blocks: decoder.blocks() }
}

function assertSize({ size }: Upload, { MAX_ATTACHMENT_KB: maxKb }: Settings): void {
  if (size === 0) {
    throw fault(attachmentEmpty)
  }
  if (size > maxKb * 1024) {
    throw fault(attachmentTooLarge, { kb: Math.ceil(size / 1024), mostKb: maxKb })
  }
}

/**
 * A patch is plain text, and a link to a code host has the type of links; otherwise `content_type` counts.
 */
function makeDraft(
  person: Person,
  input: Input,
  upload: Upload,
  settings: Settings,
): AttachmentDraft {
  const summary = parseAttachmentSummary(input.summary)
  const fileName = parseFileName(input.file_name)
  const isPrivate = input.is_private ?? false
  if (!maySetPrivacy(person, false, isPrivate)) {
    throw fault(attachmentPrivacyDenied)
  }
  const isPatch = input.is_patch ?? false
  const contentType = isPatch ? PATCH_TYPE : parseContentType(input.content_type)
  const linkUrl = findLink(upload, contentType, settings)
  return {
    fileName,
    summary,
    isPrivate,
    linkUrl,
    contentType: linkUrl === null ? contentType : settings.LINK_CONTENT_TYPE,
    isPatch: isPatch && linkUrl === null,
  }
}

type CreatedAttachment = {
  readonly id: number
  readonly bugId: number
  readonly at: number
  /** JSON */
  readonly flags: string
}

/** The new attachments in the order of `bugIds`, with the times of their notices. */
function sortByBug(
  bugIds: readonly number[],
  rows: readonly Record<string, unknown>[],
  notices: readonly RecordedNotice[],
): CreatedAttachment[] {
  const timesByBug = new Map(notices.map(({ bugId, at }) => [bugId, at]))
  const byBug = new Map(rows.map((row) => [Number(row.bug_id), row]))
  return bugIds.flatMap((bugId) => {
    const [row, at] = [byBug.get(bugId), timesByBug.get(bugId)]
    return row === undefined || at === undefined
      ? []
      : [{ id: Number(row.id), bugId, at, flags: String(row.flags) }]
  })
}

function presentCreatedAttachments(
  ctx: Ctx,
  person: Person,
  { draft, stored }: AttachmentCreation,
  created: readonly CreatedAttachment[],
) {
  const people = new PeoplePresenter(ctx.caller, ctx.settings)
  const { id: personId, login, realName, nick } = person
  const presented = created.map(({ id, bugId, at, flags }) => [
    id,
    presentAttachment(
      {
        ...draft,
        id,
        bugId,
        size: stored.size,
        createdAt: at,
        changedAt: at,
        isObsolete: false,
        submitter: JSON.stringify([personId, login, realName, nick]),
        flags,
      },
      new Selection({}),
      people,
    ),
  ])
  return { ids: created.map(({ id }) => id), attachments: Object.fromEntries(presented) }
}
