import type { Person } from '../access/caller.ts'
import { fault } from '../faults.ts'
import { fold } from '../lib/text.ts'
import type { Settings } from '../settings.ts'
import type { ChangeBugInput } from './change-input.ts'
import type { Current, CurrentBug } from './change-load.ts'
import { CHOICES, type Choice, chosen, personNamed, type Status } from './lookup.ts'
import { mayChange, type Subject } from './permissions.ts'
import { rightsIn } from './restrict.ts'
import { acceptedAlias, acceptedSummary, acceptedUrl, acceptedWhiteboard } from './texts.ts'
import { moveOf, type Standing } from './workflow.ts'

type Scalar = string | number | null

/** What one bug becomes: columns to write, and the same in the words of history. */
export type Decision = {
  readonly bug: CurrentBug
  readonly columns: Readonly<Record<string, Scalar>>
  readonly changes: readonly { field: string; removed: string; added: string }[]
}

/** One field of one bug that the request gives a value. */
type Proposal = {
  field: Subject
  removed: string
  added: string
  columns: Record<string, Scalar>
}

/**
 * Decides what the single-valued fields of one bug become. Pure. Faults of the contract's table and of
 * docs/decisions.md: 50, 51, 103, 104, 107, 112, 504 for values, 115 and 123 for rights.
 */
export function decideChange(
  person: Person,
  settings: Settings,
  input: ChangeBugInput,
  current: Current,
  bug: CurrentBug,
  bugCount: number,
): Decision {
  if (bug.isEditable !== 1) {
    throw fault('productEditDenied', { product: bug.product })
  }
  if (input.alias && bugCount > 1) {
    const reason = 'can be given to one bug only'
    throw fault('aliasInvalid', { alias: input.alias, reason })
  }
  const standing = standingOf(person, bug)
  const proposals = [
    ...proposeTexts(input, current, bug),
    ...proposeChoices(input, current, bug),
    ...proposeParts(input, current, bug),
    ...proposePeople(input, current, bug),
    ...proposeSwitches(input, bug),
  ].filter((proposal) => proposal.removed !== proposal.added)
  for (const { field, removed, added } of proposals) {
    mayChange({ field, from: removed, to: added, standing, settings })
  }
  const all = [...proposals, ...proposeStatus(input, current, bug, standing)]
  return {
    bug,
    columns: Object.assign({}, ...all.map((proposal) => proposal.columns)),
    changes: all.map(({ field, removed, added }) => ({ field, removed, added })),
  }
}

/** What the caller is to the bug. */
export function standingOf(person: Person, bug: CurrentBug): Standing {
  const controls = (JSON.parse(bug.controls) as [number, number, number][]).map(
    ([groupId, editBugs, canConfirm]) => ({
      groupId,
      editBugs: editBugs === 1,
      canConfirm: canConfirm === 1,
    }),
  )
  return {
    ...rightsIn(person, controls),
    isAssigneeOrQa: bug.assignedToId === person.id || bug.qaContactId === person.id,
    isReporter: bug.reporterId === person.id,
  }
}

function proposeTexts(input: ChangeBugInput, { sameAlias }: Current, bug: CurrentBug): Proposal[] {
  const proposals: Proposal[] = []
  const propose = (field: Subject, removed: string, added: string, columns: Proposal['columns']) =>
    proposals.push({ field, removed, added, columns })
  if (input.alias !== undefined) {
    const alias = acceptedAlias(input.alias)
    if (alias !== null && sameAlias?.some((other) => other.id !== bug.id)) {
      throw fault('aliasInvalid', { alias, reason: 'is taken by another bug' })
    }
    const aliasFold = alias === null ? null : fold(alias)
    propose('alias', bug.alias ?? '', alias ?? '', { alias, alias_fold: aliasFold })
  }
  if (input.summary !== undefined) {
    const summary = acceptedSummary(input.summary)
    propose('summary', bug.summary, summary, { summary, summary_fold: fold(summary) })
  }
  if (input.url !== undefined && input.url !== bug.url) {
    const url = acceptedUrl(input.url ?? '')
    propose('url', bug.url, url, { url, url_fold: fold(url) })
  }
  if (input.whiteboard !== undefined) {
    const whiteboard = acceptedWhiteboard(input.whiteboard ?? '')
    propose('whiteboard', bug.whiteboard, whiteboard, {
      whiteboard,
      whiteboard_fold: fold(whiteboard),
    })
  }
  return proposals
}

function proposeChoices(input: ChangeBugInput, { values }: Current, bug: CurrentBug): Proposal[] {
  return (Object.keys(CHOICES) as Choice[]).flatMap((choice) => {
    const given = input[choice]
    if (given === undefined) {
      return []
    }
    const value = chosen(values, choice, given ?? '')
    const columns = { [CHOICES[choice].column]: value.id }
    return [{ field: choice, removed: bug[choice], added: value.name, columns }]
  })
}

function proposeParts(input: ChangeBugInput, current: Current, bug: CurrentBug): Proposal[] {
  return [
    ...proposePart('version', input.version, current.versions, bug, bug.versionId, bug.version),
    ...proposePart(
      'target_milestone',
      input.target_milestone,
      current.milestones,
      bug,
      bug.milestoneId,
      bug.milestone,
    ),
  ]
}

function proposePart(
  field: 'version' | 'target_milestone',
  given: string | null | undefined,
  named: Current['versions'],
  bug: CurrentBug,
  currentId: number,
  removed: string,
): Proposal[] {
  if (given === undefined) {
    return []
  }
  if (given === null || given.trim() === '') {
    throw fault('valueBlank', { field })
  }
  const kind = field === 'version' ? 'version' : 'milestone'
  const part = named?.find((one) => one.productId === bug.productId)
  if (part === undefined) {
    throw fault('productPartUnknown', { kind, name: given, product: bug.product })
  }
  if (!part.isActive && part.id !== currentId) {
    throw fault('productPartInactive', { kind, name: given, product: bug.product })
  }
  return [{ field, removed, added: part.name, columns: { [`${kind}_id`]: part.id } }]
}

function proposePeople(input: ChangeBugInput, { people }: Current, bug: CurrentBug): Proposal[] {
  const proposals: Proposal[] = []
  if (input.assigned_to !== undefined) {
    if (input.assigned_to === null || input.assigned_to.trim() === '') {
      throw fault('valueBlank', { field: 'assigned_to' })
    }
    const { id, login } = personNamed(people, 'assigned_to', input.assigned_to)
    proposals.push({
      field: 'assigned_to',
      removed: bug.assignedTo,
      added: login,
      columns: { assigned_to_id: id },
    })
  }
  if (input.qa_contact !== undefined) {
    const given = input.qa_contact?.trim() ?? ''
    const named = given === '' ? null : personNamed(people, 'qa_contact', given)
    proposals.push({
      field: 'qa_contact',
      removed: bug.qaContact,
      added: named?.login ?? '',
      columns: { qa_contact_id: named?.id ?? null },
    })
  }
  return proposals
}

function proposeSwitches(input: ChangeBugInput, bug: CurrentBug): Proposal[] {
  const switches = [
    ['is_cc_accessible', input.is_cc_accessible, bug.isCcAccessible],
    ['is_creator_accessible', input.is_creator_accessible, bug.isCreatorAccessible],
  ] as const
  return switches.flatMap(([field, given, is]) =>
    given === undefined
      ? []
      : [{ field, removed: bit(is), added: bit(given), columns: { [field]: given ? 1 : 0 } }],
  )
}

/** Status, resolution and confirmation move together; closing also ends the remaining hours. */
function proposeStatus(
  input: ChangeBugInput,
  current: Current,
  bug: CurrentBug,
  standing: Standing,
): Proposal[] {
  const { statuses, resolutions, edges } = current
  if (statuses === undefined || resolutions === undefined || edges === undefined) {
    return []
  }
  const from = statuses.find((status) => status.id === bug.statusId) as Status
  const before = resolutions.find((resolution) => resolution.id === bug.resolutionId)
  const next = moveOf({
    state: {
      status: from,
      resolution: { id: bug.resolutionId, name: bug.resolution, nameFold: before?.nameFold ?? '' },
      isConfirmed: bug.isConfirmed,
    },
    status: input.status,
    resolution: input.resolution,
    standing,
    hasUnconfirmed: bug.hasUnconfirmed === 1,
    hasComment: commentText(input).trim() !== '',
    statuses,
    resolutions,
    edges,
  })
  const ends = !next.status.isOpen && next.status.id !== from.id && bug.remainingTime !== 0
  const proposals: Proposal[] = [
    proposal('status', from.name, next.status.name, { status_id: next.status.id }),
    proposal('resolution', bug.resolution, next.resolution.name, {
      resolution_id: next.resolution.id,
    }),
    proposal('is_confirmed', bit(bug.isConfirmed), bit(next.isConfirmed), {
      is_confirmed: next.isConfirmed ? 1 : 0,
    }),
    proposal('remaining_time', String(bug.remainingTime), ends ? '0' : String(bug.remainingTime), {
      remaining_time: 0,
    }),
  ]
  return proposals.filter((one) => one.removed !== one.added)
}

/** The text of the comment that comes with an update, under either of its names. */
export function commentText(input: ChangeBugInput): string {
  return input.comment?.body ?? input.comment?.comment ?? ''
}

function proposal(
  field: Subject,
  removed: string,
  added: string,
  columns: Record<string, Scalar>,
): Proposal {
  return { field, removed, added, columns }
}

function bit(value: boolean): string {
  return value ? '1' : '0'
}
