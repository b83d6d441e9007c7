import { hasRole, type Person } from '../../platform/access/caller.ts'
import { productEditDenied } from '../../platform/access/faults.ts'
import { maySetPrivacy } from '../../platform/access/privacy.ts'
import { fault } from '../../platform/faults/fault.ts'
import { diffFields } from '../../platform/lib/differences.ts'
import type { FlagInput } from '../flags/input.ts'
import { createFlagPlanner } from '../flags/plan.ts'
import { changesFlags, type FlagEdits, onlyAnswers } from '../flags/plan-edits.ts'
import { PATCH_TYPE, parseContentType } from './content-type.ts'
import {
  attachmentEditDenied,
  attachmentPrivacyDenied,
  attachmentPrivate,
  attachmentUnknown,
} from './faults.ts'
import { hiddenBugFault } from './get.ts'
import { parseAttachmentSummary, parseFileName } from './texts.ts'
import type { AttachmentUpdateRows, CurrentAttachment } from './update-load.ts'

/** The values of a request; undefined ones stay as they are. */
type AttachmentUpdate = {
  readonly file_name?: string | undefined
  readonly summary?: string | undefined
  readonly content_type?: string | undefined
  readonly is_patch?: boolean | undefined
  readonly is_private?: boolean | undefined
  readonly is_obsolete?: boolean | undefined
  readonly flags?: readonly FlagInput[] | undefined
  readonly bug_flags?: readonly FlagInput[] | undefined
}

/** The values of an attachment that can change, under their names in the API. */
export type AttachmentState = {
  readonly summary: string
  readonly file_name: string
  readonly content_type: string
  readonly is_patch: boolean
  readonly is_private: boolean
  readonly is_obsolete: boolean
}

const EDIT_FIELDS = [
  'file_name',
  'summary',
  'content_type',
  'is_patch',
  'is_private',
  'is_obsolete',
  'bug_flags',
] as const

/** The changes of one attachment. */
export type AttachmentDecision = {
  readonly attachment: CurrentAttachment
  readonly after: AttachmentState
  /** Changes of the attachment itself, without its flags. */
  readonly changes: ReturnType<typeof diffFields>
  /** Null when the request is not about flags. */
  readonly flags: FlagEdits | null
}

/**
 * Decides the changes of attachments, in the order of `ids`, and of the flags of their bugs. Pure.
 */
export function decideUpdates(
  person: Person,
  update: AttachmentUpdate,
  current: AttachmentUpdateRows,
  ids: readonly number[],
): { decisions: AttachmentDecision[]; bugFlags: FlagEdits[] } {
  const planner = createFlagPlanner(person, current)
  const byId = new Map(current.attachments.map((attachment) => [attachment.id, attachment]))
  const requested = ids.map((id) => {
    const attachment = byId.get(id)
    if (attachment === undefined) {
      throw fault(attachmentUnknown, { id })
    }
    assertAttachmentEditable(person, attachment)
    return attachment
  })
  const decisions = requested.map((attachment) => {
    const before = makeState(attachment)
    const after = decideState(person, update, before)
    const bug = planner.findBug(attachment.bugId)
    const flagTarget = {
      id: attachment.id,
      isPrivate: after.is_private,
      becomesObsolete: after.is_obsolete && !before.is_obsolete,
    }
    const flags =
      bug === undefined ? null : planner.planAttachmentFlags(bug, flagTarget, update.flags)
    assertMayEditAttachment(person, attachment, update, flags)
    return { attachment, after, changes: diffFields(before, after), flags }
  })
  const bugIds = [...new Set(requested.map(({ bugId }) => bugId))]
  const bugFlags = bugIds.flatMap((bugId) => {
    const bug = planner.findBug(bugId)
    return bug === undefined ? [] : planner.planBugFlags(bug, update.bug_flags, 'bug_flags')
  })
  return { decisions, bugFlags }
}

/** Whether the caller may change all fields of the bug of the attachment. */
export function canEditBug(person: Person, { editsBugs }: CurrentAttachment): boolean {
  return editsBugs || hasRole(person, 'editbugs')
}

function assertAttachmentEditable(person: Person, attachment: CurrentAttachment): void {
  const { id, product, isBugVisible, isVisible, isBugEditable } = attachment
  if (!isBugVisible) {
    throw hiddenBugFault(person, id)
  }
  if (!isVisible) {
    throw fault(attachmentPrivate, { id })
  }
  if (!isBugEditable) {
    throw fault(productEditDenied, { product })
  }
}

/**
 * Others than the submitter and the editors of the bug may only answer flags that they set or that ask
 * them.
 */
function assertMayEditAttachment(
  person: Person,
  attachment: CurrentAttachment,
  update: AttachmentUpdate,
  flags: FlagEdits | null,
): void {
  const isOwn = attachment.submitterId === person.id || attachment.isAssigneeOrQa
  if (isOwn || canEditBug(person, attachment)) {
    return
  }
  const editsFields = EDIT_FIELDS.some((field) => hasValue(update[field]))
  const answersFlags = flags !== null && changesFlags(flags) && onlyAnswers(flags, person.id)
  if (editsFields || !answersFlags) {
    throw fault(attachmentEditDenied, { id: attachment.id })
  }
}

/** An empty list counts as absent. */
function hasValue(value: AttachmentUpdate[keyof AttachmentUpdate]): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0)
}

function makeState(attachment: CurrentAttachment): AttachmentState {
  const { summary, fileName, contentType, isPatch, isPrivate, isObsolete } = attachment
  return {
    summary,
    file_name: fileName,
    content_type: contentType,
    is_patch: isPatch,
    is_private: isPrivate,
    is_obsolete: isObsolete,
  }
}

function decideState(
  person: Person,
  update: AttachmentUpdate,
  before: AttachmentState,
): AttachmentState {
  const isPrivate = update.is_private ?? before.is_private
  if (!maySetPrivacy(person, before.is_private, isPrivate)) {
    throw fault(attachmentPrivacyDenied)
  }
  const isPatch = update.is_patch ?? before.is_patch
  return {
    summary: update.summary === undefined ? before.summary : parseAttachmentSummary(update.summary),
    file_name: update.file_name === undefined ? before.file_name : parseFileName(update.file_name),
    content_type: isPatch ? PATCH_TYPE : decideContentType(update, before),
    is_patch: isPatch,
    is_private: isPrivate,
    is_obsolete: update.is_obsolete ?? before.is_obsolete,
  }
}

function decideContentType(update: AttachmentUpdate, before: AttachmentState): string {
  return update.content_type === undefined
    ? before.content_type
    : parseContentType(update.content_type)
}
