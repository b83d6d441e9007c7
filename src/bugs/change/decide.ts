import type { Person } from '../../access/caller.ts'
import { canTrackTime } from '../../access/rights.ts'
import { acceptedWork } from '../../comments/hours.ts'
import { fault } from '../../faults.ts'
import { fold } from '../../lib/text.ts'
import type { Settings } from '../../settings.ts'
import { decideCc } from '../edits/cc.ts'
import type { Edit } from '../edits/statements.ts'
import {
  CHOICES,
  type Choice,
  chosen,
  personNamed,
  refuseTakenAlias,
} from '../model/field-values.ts'
import { rightsIn } from '../model/group-controls.ts'
import type { Field } from '../model/history-fields.ts'
import { proposeHours } from '../model/hours.ts'
import { mayChange, type Subject } from '../model/permissions.ts'
import { type ReadVersion, readVersionOf } from '../model/preconditions.ts'
import {
  acceptedAlias,
  acceptedSummary,
  acceptedUrl,
  acceptedWhiteboard,
} from '../model/text-rules.ts'
import type { Standing } from '../model/workflow.ts'
import type { Marking } from './duplicate.ts'
import { decideGroups } from './groups.ts'
import type { ChangeBugInput } from './input.ts'
import type { Current, CurrentBug } from './load.ts'
import { type Placed, placeOf } from './product-move.ts'
import { decideStatus } from './status.ts'

/** A field of one bug that the request gives a value: what its column gets, and that in words. */
export type FieldChange<Name extends Field = Field> = {
  readonly field: Name
  readonly value: string | number | null
  /** For a column that has a folded companion. */
  readonly folded?: string | null
  readonly added: string
}

/** A field that is decided on by itself. */
type BugSubject = Exclude<Subject, 'work_time'>

/** What becomes of one bug. */
export type Decision = {
  readonly bug: CurrentBug
  readonly changes: readonly FieldChange[]
  /** Whether the caller may do so only as long as they are assignee or QA contact. */
  readonly isByRole: boolean
  /** Null when the request leaves the CC list alone. */
  readonly cc: Edit | null
  /** Null when the request leaves the groups alone. */
  readonly groups: Edit | null
  /** The bug that this one becomes a duplicate of. */
  readonly marking: Marking | null
  /** Where the bug is to be: what belongs to a product or component follows it there. */
  readonly place: Placed
  /**
   * What becomes of the hours that remain, beside `changes`: nothing is left of a bug that is closed, and
   * work lowers them. Found out inside the commit.
   */
  readonly remaining: 'ends' | 'falls' | 'stays'
  /** What the decision rests on, beside what every change of a field does. */
  readonly rests: readonly ReadVersion[]
}

/** What all bugs of a request have in common. */
type Request = {
  readonly person: Person
  readonly settings: Settings
  readonly input: ChangeBugInput
  readonly current: Current
  readonly isAlone: boolean
}

/**
 * Decides what becomes of the bugs of one request, in the order given. Pure. Faults of the contract's
 * table and of docs/decisions.md: 109; 50 to 56, 100 to 107, 112, 118, 119, 121, 122, 504 for values;
 * 115, 120 and 123 for rights.
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
  const request = { person, settings, input, current, isAlone: bugs.length === 1 }
  return bugs.map((bug) => decideChange(request, bug))
}

function decideChange(request: Request, bug: CurrentBug): Decision {
  const { person, settings, input, current } = request
  const standing = standingOf(person, bug)
  const place = placeOf(input, current, bug, standing)
  const changes = [
    ...proposeTexts(input, current, bug),
    ...proposeChoices(input, current, bug),
    ...proposePeople(input, current, place),
    ...proposeSwitches(input),
    ...proposeHours(input, bug),
  ].filter(({ field, added }) => added !== bug.words[field])
  const may = { standing, settings, tracksTime: canTrackTime(person) }
  for (const { field, added } of [...placeChecks(place), ...work(input), ...changes]) {
    const from = field === 'work_time' ? '' : bug.words[field]
    mayChange({ ...may, field, from, to: added })
  }
  const status = decideStatus(request, bug, standing, place.product.hasUnconfirmed)
  const groups = decideGroups(person, {
    bugId: bug.id,
    held: bug.groups,
    product: place.product,
    isMove: place.isMove,
    controls: current.groupControls ?? [],
    edit: input.groups,
  })
  return {
    bug,
    changes: [
      ...place.changes,
      ...changes.filter(({ field }) => !(field === 'remaining_time' && status.endsHours)),
      ...status.changes,
    ],
    isByRole: standing.isAssigneeOrQa && !standing.editBugs,
    cc: ccEdit(request, bug, standing, place.cc),
    groups,
    marking: status.marking,
    remaining: status.endsHours ? 'ends' : workLowers(input) ? 'falls' : 'stays',
    place,
    rests: restsOf(input, bug, place, groups),
  }
}

/** Who moves a bug need not have the right to set the milestone that it gets along the way. */
function placeChecks({ changes, isMove }: Placed) {
  return changes.filter(({ field }) => !(isMove && field === 'target_milestone'))
}

/** Hours worked, whose right comes first: what would remain after them is not for everybody to know. */
function work({ work_time }: ChangeBugInput): { field: 'work_time'; added: string }[] {
  const worked = acceptedWork(work_time)
  return worked === 0 ? [] : [{ field: 'work_time', added: String(worked) }]
}

/** Work lowers what remains, unless the request says itself what that is. */
function workLowers({ work_time, remaining_time }: ChangeBugInput): boolean {
  return acceptedWork(work_time) !== 0 && remaining_time === undefined
}

/** A new component brings its people along; the request itself is about them too. */
function ccEdit(
  { person, input, current }: Request,
  bug: CurrentBug,
  standing: Standing,
  brought: readonly number[],
): Edit | null {
  if (input.cc === undefined) {
    return brought.length === 0 ? null : { bugId: bug.id, add: brought, remove: [] }
  }
  const { add, remove } = decideCc(person, input.cc, current, bug, standing)
  const kept = input.cc.set === undefined ? brought.filter((id) => !remove.includes(id)) : []
  return { bugId: bug.id, add: [...new Set([...add, ...kept])], remove }
}

/** Fields are guarded by themselves; what else follows from the state of a bug or of its place is here. */
function restsOf(
  input: ChangeBugInput,
  bug: CurrentBug,
  place: Placed,
  groups: Edit | null,
): ReadVersion[] {
  const resets = input.reset_assigned_to || input.reset_qa_contact
  const held: ReadVersion = { table: 'bugs', id: bug.id, column: 'product_id', held: bug.productId }
  return [
    ...place.rests,
    ...(resets ? [place.giving] : []),
    ...(groups === null ? [] : [held, readVersionOf('products', place.product)]),
  ]
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
): FieldChange<BugSubject>[] {
  const proposals: FieldChange<BugSubject>[] = []
  const propose = (field: BugSubject, value: string) =>
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
): FieldChange<BugSubject>[] {
  return (Object.keys(CHOICES) as Choice[]).flatMap((choice) => {
    const given = input[choice]
    if (given === undefined) {
      return []
    }
    const { id, name } = chosen(values, choice, given ?? '', bug.words[choice])
    return [{ field: choice, value: id, added: name }]
  })
}

/** Resetting counts more than naming somebody, as it sees the component that the bug comes into. */
function proposePeople(
  input: ChangeBugInput,
  { people }: Current,
  place: Placed,
): FieldChange<BugSubject>[] {
  const [assigneeId, assignee, qaContactId, qaContact] = place.people
  const proposals: FieldChange<BugSubject>[] = []
  if (input.assigned_to !== undefined) {
    if (input.assigned_to === null || input.assigned_to.trim() === '') {
      throw fault('valueBlank', { field: 'assigned_to' })
    }
    const { id, login } = personNamed(people, 'assigned_to', input.assigned_to)
    proposals.push({ field: 'assigned_to', value: id, added: login })
  }
  if (input.reset_assigned_to) {
    proposals.push({ field: 'assigned_to', value: assigneeId, added: assignee })
  }
  if (input.qa_contact !== undefined) {
    const given = input.qa_contact?.trim() ?? ''
    const named = given === '' ? null : personNamed(people, 'qa_contact', given)
    proposals.push({ field: 'qa_contact', value: named?.id ?? null, added: named?.login ?? '' })
  }
  if (input.reset_qa_contact) {
    proposals.push({ field: 'qa_contact', value: qaContactId, added: qaContact ?? '' })
  }
  return proposals.filter(
    ({ field }, i) => proposals.findLastIndex((other) => other.field === field) === i,
  )
}

function proposeSwitches(input: ChangeBugInput): FieldChange<BugSubject>[] {
  return (['is_cc_accessible', 'is_creator_accessible'] as const).flatMap((field) => {
    const given = input[field]
    return given === undefined ? [] : [{ field, value: Number(given), added: given ? '1' : '0' }]
  })
}
