import { hasRole, type Person } from '../access/caller.ts'
import { isInsider } from '../access/rights.ts'
import { fault } from '../faults.ts'
import type { FlagInput } from '../flags/input.ts'
import { createFlagPlanner } from '../flags/plan.ts'
import { changesFlags, type FlagEdits, onlyAnswers } from '../flags/plan-edits.ts'
import { diffFields } from '../lib/differences.ts'
import { PATCH_TYPE, parseContentType } from './content-type.ts'
import { hiddenBugFault } from './get.ts'
import { parseAttachmentSummary, parseFileName } from './texts.ts'
import type { AttachmentUpdateRows, CurrentAttachment } from './update-load.ts'

/** What a request says of attachments; what is undefined stays. */
export type AttachmentUpdate = {
  readonly file_name?: string | undefined
  readonly summary?: string | undefined
  readonly content_type?: string | undefined
  readonly is_patch?: boolean | undefined
  readonly is_private?: boolean | undefined
  readonly is_obsolete?: boolean | undefined
  readonly flags?: readonly FlagInput[] | undefined
  readonly bug_flags?: readonly FlagInput[] | undefined
}

/** What can be changed of an attachment, under the names of the contract. */
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

/** What becomes of one attachment. */
export type AttachmentDecision = {
  readonly attachment: CurrentAttachment
  readonly after: AttachmentState
  /** What is stored of the attachment itself. */
  readonly changes: ReturnType<typeof diffFields>
  /** Null when no flag was to be looked at. */
  readonly flags: FlagEdits | null
}

/**
 * Decides what becomes of attachments, in the order of `ids`, and of the flags of their bugs. Pure. Faults:
 * 102, 109 and 304 for what the caller may not change, 113 for privacy, 601, 603 and 604 for values, 32000
 * for an unknown ID, and those of flags.
 */
export function decideUpdates(
  person: Person,
  wanted: AttachmentUpdate,
  current: AttachmentUpdateRows,
  ids: readonly number[],
): { decisions: AttachmentDecision[]; bugFlags: FlagEdits[] } {
  const rules = createFlagPlanner(person, current)
  const byId = new Map(current.attachments.map((attachment) => [attachment.id, attachment]))
  const named = ids.map((id) => {
    const attachment = byId.get(id)
    if (attachment === undefined) {
      throw fault('attachmentUnknown', { id })
    }
    assertAttachmentEditable(person, attachment)
    return attachment
  })
  const decisions = named.map((attachment) => {
    const before = makeState(attachment)
    const after = decideState(person, wanted, before)
    const bug = rules.bug(attachment.bugId)
    const flagged = {
      id: attachment.id,
      isPrivate: after.is_private,
      becomesObsolete: after.is_obsolete && !before.is_obsolete,
    }
    const flags = bug === undefined ? null : rules.planAttachmentFlags(bug, flagged, wanted.flags)
    assertMayEditAttachment(person, attachment, wanted, flags)
    return { attachment, after, changes: diffFields(before, after), flags }
  })
  const bugIds = [...new Set(named.map(({ bugId }) => bugId))]
  const bugFlags = bugIds.flatMap((bugId) => {
    const bug = rules.bug(bugId)
    return bug === undefined ? [] : rules.planBugFlags(bug, wanted.bug_flags)
  })
  return { decisions, bugFlags }
}

/** Whether the caller may change everything about the bug that the attachment is on. */
export function canEditBug(person: Person, { editsBugs }: CurrentAttachment): boolean {
  return editsBugs || hasRole(person, 'editbugs')
}

function assertAttachmentEditable(person: Person, attachment: CurrentAttachment): void {
  const { id, product, isBugVisible, isVisible, isBugEditable } = attachment
  if (!isBugVisible) {
    throw hiddenBugFault(person, id)
  }
  if (!isVisible) {
    throw fault('attachmentPrivate', { id })
  }
  if (!isBugEditable) {
    throw fault('productEditDenied', { product })
  }
}

/** Who was asked for a flag, or set one, may answer that and do nothing else. */
function assertMayEditAttachment(
  person: Person,
  attachment: CurrentAttachment,
  wanted: AttachmentUpdate,
  flags: FlagEdits | null,
): void {
  const isTheirs = attachment.submitterId === person.id || attachment.isAssigneeOrQa
  if (isTheirs || canEditBug(person, attachment)) {
    return
  }
  const saysMore = EDIT_FIELDS.some((field) => hasValue(wanted[field]))
  const answers = flags !== null && changesFlags(flags) && onlyAnswers(flags, person.id)
  if (saysMore || !answers) {
    throw fault('attachmentEditDenied', { id: attachment.id })
  }
}

/** An empty list says nothing. */
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
  wanted: AttachmentUpdate,
  before: AttachmentState,
): AttachmentState {
  const isPrivate = wanted.is_private ?? before.is_private
  if (isPrivate !== before.is_private && !isInsider(person)) {
    throw fault('privacyDenied')
  }
  const isPatch = wanted.is_patch ?? before.is_patch
  return {
    summary: wanted.summary === undefined ? before.summary : parseAttachmentSummary(wanted.summary),
    file_name: wanted.file_name === undefined ? before.file_name : parseFileName(wanted.file_name),
    content_type: isPatch ? PATCH_TYPE : decideContentType(wanted, before),
    is_patch: isPatch,
    is_private: isPrivate,
    is_obsolete: wanted.is_obsolete ?? before.is_obsolete,
  }
}

function decideContentType(wanted: AttachmentUpdate, before: AttachmentState): string {
  return wanted.content_type === undefined
    ? before.content_type
    : parseContentType(wanted.content_type)
}
