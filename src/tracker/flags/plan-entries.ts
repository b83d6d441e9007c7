import type { Person } from '../../platform/access/caller.ts'
import { fault } from '../../platform/faults/fault.ts'
import {
  flagDenied,
  flagNotUnique,
  flagStatusInvalid,
  flagTaken,
  flagTypeInactive,
  flagTypeNotUnique,
  flagTypeUnknown,
  flagUnknown,
  flagUnnamed,
} from './faults.ts'
import type { FlagInput } from './input.ts'
import type { FlagPerson, LoadedFlagType } from './load.ts'
import type { FlaggedAttachment, FlagSlot } from './plan-edits.ts'
import {
  canSetFlag,
  type FlaggedBug,
  type FlagStatus,
  parseFlagStatus,
  resolveRequestee,
} from './rules.ts'

/** The flags of one bug or attachment while the entries of a request are applied. */
export type FlagPlan = {
  readonly bug: FlaggedBug
  readonly attachment: FlaggedAttachment | null
  /** The types that apply to it. */
  readonly types: readonly LoadedFlagType[]
  readonly slots: FlagSlot[]
}

export function applyEntry(
  person: Person,
  people: ReadonlyMap<string, FlagPerson>,
  plan: FlagPlan,
  input: FlagInput,
): void {
  const label = input.name ?? String(input.type_id ?? input.id ?? '')
  if (input.id === undefined && input.type_id === undefined && input.name === undefined) {
    throw fault(flagUnnamed)
  }
  const status = parseFlagStatus(input.status, label)
  const target = resolveEntry(plan, input, label)
  if ('slot' in target) {
    changeSlot(person, people, plan, { slot: target.slot, input, status })
  } else if (status !== 'X') {
    plan.slots.push(createSlot(person, people, plan, { type: target.type, input, status }))
  }
}

/**
 * Finds the flag of an entry, or the type of the flag that it creates. Flags that earlier entries cleared or
 * created are ignored.
 */
function resolveEntry(
  { slots, types }: FlagPlan,
  input: FlagInput,
  label: string,
): { slot: FlagSlot } | { type: LoadedFlagType } {
  const candidates = slots.filter((slot) =>
    slot.after === null ? slot.isDropped : slot.before !== null,
  )
  if (input.id !== undefined) {
    const slot = candidates.find(({ before }) => before?.row.id === input.id)
    if (slot === undefined) {
      throw fault(flagUnknown, { id: input.id })
    }
    return { slot }
  }
  const matches = (type: LoadedFlagType | undefined) =>
    input.type_id === undefined ? type?.name === input.name : type?.id === input.type_id
  const matchingSlots = candidates.filter(({ before, after }) =>
    matches(after?.type ?? before?.state.type),
  )
  const matchingTypes = types.filter(matches)
  const usable = matchingTypes.filter(
    (type) => type.isActive || matchingSlots.some(({ after }) => after?.type.id === type.id),
  )
  const [type, other] = usable.length > 0 ? usable : matchingTypes
  if (type === undefined) {
    throw fault(flagTypeUnknown, { flag: label })
  }
  if (other !== undefined) {
    throw fault(flagTypeNotUnique, { flag: label })
  }
  const [slot, another] = matchingSlots
  if (slot === undefined || input.new === true) {
    return { type }
  }
  if (another !== undefined) {
    throw fault(flagNotUnique, { flag: label })
  }
  return { slot }
}

function createSlot(
  person: Person,
  people: ReadonlyMap<string, FlagPerson>,
  plan: FlagPlan,
  { type, input, status }: { type: LoadedFlagType; input: FlagInput; status: FlagStatus },
): FlagSlot {
  const flag = type.name
  if (!type.isActive) {
    throw fault(flagTypeInactive, { flag })
  }
  assertRequestable(type, status)
  if (!type.isMultiplicable && hasFlagOfType(plan, type)) {
    throw fault(flagTaken, { flag })
  }
  if (!canSetFlag(person, type, null, status)) {
    throw fault(flagDenied, { flag, status })
  }
  const requestee =
    status === '?'
      ? resolveRequestee(input.requestee, null, type, makeRequesteeContext(plan, people))
      : null
  return { before: null, after: { type, status, setterId: person.id, requestee }, isDropped: false }
}

function changeSlot(
  person: Person,
  people: ReadonlyMap<string, FlagPerson>,
  plan: FlagPlan,
  { slot, input, status }: { slot: FlagSlot; input: FlagInput; status: FlagStatus | 'X' },
): void {
  const { after } = slot
  if (after === null) {
    return
  }
  const { type } = after
  const isNew = status !== after.status
  if (status !== 'X' && isNew) {
    assertRequestable(type, status)
  }
  if (!canSetFlag(person, type, after, status)) {
    throw fault(flagDenied, { flag: type.name, status })
  }
  if (status === 'X') {
    slot.after = null
    return
  }
  const requestee =
    status === '?'
      ? resolveRequestee(input.requestee, after.requestee, type, makeRequesteeContext(plan, people))
      : null
  slot.after = { type, status, requestee, setterId: isNew ? person.id : after.setterId }
}

function assertRequestable(type: LoadedFlagType, status: FlagStatus): void {
  if (status === '?' && !type.isRequestable) {
    throw fault(flagStatusInvalid, { flag: type.name, status })
  }
}

function makeRequesteeContext(
  { bug, attachment }: FlagPlan,
  people: ReadonlyMap<string, FlagPerson>,
) {
  return { people, bug, isPrivate: attachment?.isPrivate ?? false }
}

/** Whether the bug or attachment has a flag of the type. */
export function hasFlagOfType({ slots }: FlagPlan, type: LoadedFlagType): boolean {
  return slots.some(({ after }) => after?.type.id === type.id)
}
