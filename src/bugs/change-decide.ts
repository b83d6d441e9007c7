import type { Person } from '../access/caller.ts'
import { fault } from '../faults.ts'
import { fold } from '../lib/text.ts'
import type { Settings } from '../settings.ts'
import { decideCc } from './cc.ts'
import { type ChangeBugInput, commentText } from './change-input.ts'
import type { Current, CurrentBug } from './change-load.ts'
import type { Edit } from './edits.ts'
import { CHOICES, type Choice, chosen, personNamed, refuseTakenAlias } from './lookup.ts'
import { mayChange, type Subject } from './permissions.ts'
import { rightsIn } from './restrict.ts'
import { acceptedAlias, acceptedSummary, acceptedUrl, acceptedWhiteboard } from './texts.ts'
import type { Field } from './words.ts'
import { moveOf, type Standing } from './workflow.ts'

/** A field of one bug that the request gives a value: what its column gets, and that in words. */
export type FieldChange<Name extends Field = Field> = {
  readonly field: Name
  readonly value: string | number | null
  /** For a column that has a folded companion. */
  readonly folded?: string | null
  readonly added: string
}

/** What becomes of one bug. */
export type Decision = {
  readonly bug: CurrentBug
  readonly changes: readonly FieldChange[]
  /** Whether the caller may do so only as long as they are assignee or QA contact. */
  readonly isByRole: boolean
  /** Null when the request leaves the CC list alone. */
  readonly cc: Edit | null
}

/**
 * Decides what becomes of the bugs of one request, in the order given. Pure. Faults of the contract's
 * table and of docs/decisions.md: 109; 50, 51, 103, 104, 107, 112, 119, 121, 122, 504 for values; 115
 * and 123 for rights.
 */
export function decideChanges(
  person: Person,
  settings: Settings,
  input: ChangeBugInput,
  current: Current,
  ids: readonly number[],
): Decision[] {
  const byId = new Map(current.bugs.map((bug) => [bug.id, bug]))
  const bugs = ids.flatMap((id) => byId.get(id) ?? [])
  const closed = bugs.find((bug) => !bug.isEditable)
  if (closed !== undefined) {
    throw fault('productEditDenied', { product: closed.product })
  }
  if (input.alias?.trim() && bugs.length > 1) {
    const reason = 'can be given to one bug only'
    throw fault('aliasInvalid', { alias: input.alias.trim(), reason })
  }
  return bugs.map((bug) => decideChange(person, settings, input, current, bug))
}

function decideChange(
  person: Person,
  settings: Settings,
  input: ChangeBugInput,
  current: Current,
  bug: CurrentBug,
): Decision {
  const standing = standingOf(person, bug)
  const changes = [
    ...proposeTexts(input, current, bug),
    ...proposeChoices(input, current, bug),
    ...proposeParts(input, current, bug),
    ...proposePeople(input, current),
    ...proposeSwitches(input),
  ].filter(({ field, added }) => added !== bug.words[field])
  for (const { field, added } of changes) {
    mayChange({ field, from: bug.words[field], to: added, standing, settings })
  }
  return {
    bug,
    changes: [...changes, ...decideStatus(input, current, bug, standing)],
    isByRole: standing.isAssigneeOrQa && !standing.editBugs,
    cc: input.cc === undefined ? null : decideCc(person, input.cc, current, bug, standing),
  }
}

/** What the caller is to the bug. */
export function standingOf(
  person: Person,
  bug: Pick<CurrentBug, 'controls' | 'assignedToId' | 'qaContactId' | 'reporterId'>,
): Standing {
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

function proposeTexts(
  input: ChangeBugInput,
  { sameAlias }: Current,
  bug: CurrentBug,
): FieldChange<Subject>[] {
  const proposals: FieldChange<Subject>[] = []
  const propose = (field: Subject, value: string) =>
    proposals.push({ field, value, folded: fold(value), added: value })
  if (input.alias !== undefined) {
    const alias = acceptedAlias(input.alias)
    refuseTakenAlias(alias ?? '', sameAlias, bug.id)
    const folded = alias === null ? null : fold(alias)
    proposals.push({ field: 'alias', value: alias, folded, added: alias ?? '' })
  }
  if (input.summary !== undefined) {
    propose('summary', acceptedSummary(input.summary))
  }
  if (input.url !== undefined && input.url !== bug.words.url) {
    propose('url', acceptedUrl(input.url ?? ''))
  }
  if (input.whiteboard !== undefined) {
    propose('whiteboard', acceptedWhiteboard(input.whiteboard ?? ''))
  }
  return proposals
}

function proposeChoices(
  input: ChangeBugInput,
  { values }: Current,
  bug: CurrentBug,
): FieldChange<Subject>[] {
  return (Object.keys(CHOICES) as Choice[]).flatMap((choice) => {
    const given = input[choice]
    if (given === undefined) {
      return []
    }
    const { id, name } = chosen(values, choice, given ?? '', bug.words[choice])
    return [{ field: choice, value: id, added: name }]
  })
}

function proposeParts(
  input: ChangeBugInput,
  { versions, milestones }: Current,
  bug: CurrentBug,
): FieldChange<Subject>[] {
  const parts = [
    { field: 'version', kind: 'version', named: versions, held: bug.versionId },
    { field: 'target_milestone', kind: 'milestone', named: milestones, held: bug.milestoneId },
  ] as const
  return parts.flatMap(({ field, kind, named, held }) => {
    const given = input[field]
    if (given === undefined) {
      return []
    }
    const name = given?.trim() ?? ''
    if (name === '') {
      throw fault('valueBlank', { field })
    }
    const part = named?.find((one) => one.productId === bug.productId)
    if (part === undefined) {
      throw fault('productPartUnknown', { kind, name, product: bug.product })
    }
    if (!part.isActive && part.id !== held) {
      throw fault('productPartInactive', { kind, name, product: bug.product })
    }
    return [{ field, value: part.id, added: part.name }]
  })
}

function proposePeople(input: ChangeBugInput, { people }: Current): FieldChange<Subject>[] {
  const proposals: FieldChange<Subject>[] = []
  if (input.assigned_to !== undefined) {
    if (input.assigned_to === null || input.assigned_to.trim() === '') {
      throw fault('valueBlank', { field: 'assigned_to' })
    }
    const { id, login } = personNamed(people, 'assigned_to', input.assigned_to)
    proposals.push({ field: 'assigned_to', value: id, added: login })
  }
  if (input.qa_contact !== undefined) {
    const given = input.qa_contact?.trim() ?? ''
    const named = given === '' ? null : personNamed(people, 'qa_contact', given)
    proposals.push({ field: 'qa_contact', value: named?.id ?? null, added: named?.login ?? '' })
  }
  return proposals
}

function proposeSwitches(input: ChangeBugInput): FieldChange<Subject>[] {
  return (['is_cc_accessible', 'is_creator_accessible'] as const).flatMap((field) => {
    const given = input[field]
    return given === undefined ? [] : [{ field, value: Number(given), added: given ? '1' : '0' }]
  })
}

/** Status, resolution and confirmation move together; closing also ends the remaining hours. */
function decideStatus(
  input: ChangeBugInput,
  { statuses, resolutions, edges }: Current,
  bug: CurrentBug,
  standing: Standing,
): FieldChange[] {
  if (statuses === undefined || resolutions === undefined || edges === undefined) {
    return []
  }
  const status = heldBy(bug, statuses, bug.statusId)
  const next = moveOf({
    state: {
      status,
      resolution: heldBy(bug, resolutions, bug.resolutionId),
      isConfirmed: bug.isConfirmed,
    },
    status: input.status,
    resolution: input.resolution,
    standing,
    hasUnconfirmed: bug.hasUnconfirmed,
    hasComment: commentText(input).trim() !== '',
    statuses,
    resolutions,
    edges,
  })
  const isConfirmed = next.isConfirmed ? 1 : 0
  const closes = !next.status.isOpen && next.status.id !== status.id
  const changes: FieldChange[] = [
    { field: 'status', value: next.status.id, added: next.status.name },
    { field: 'resolution', value: next.resolution.id, added: next.resolution.name },
    { field: 'is_confirmed', value: isConfirmed, added: String(isConfirmed) },
    ...(closes ? [{ field: 'remaining_time', value: 0, added: '0' } as const] : []),
  ]
  return changes.filter(({ field, added }) => added !== bug.words[field])
}

function heldBy<Value extends { id: number }>(
  bug: CurrentBug,
  values: readonly Value[],
  id: number,
): Value {
  const held = values.find((value) => value.id === id)
  if (held === undefined) {
    throw new Error(`Bug ${bug.id} has a status or resolution that does not exist`)
  }
  return held
}
