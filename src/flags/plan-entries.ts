import type { Person } from '../access/caller.ts'
import { fault } from '../faults.ts'
import type { FlagInput } from './input.ts'
import type { AskedPerson, FlagType } from './load.ts'
import type { FlaggedAttachment, Slot } from './plan-edits.ts'
import { type FlaggedBug, type FlagStatus, maySet, requesteeIn, statusIn } from './rules.ts'

/** Flags of one thing, while the entries of a request are carried out. */
export type Scene = {
  readonly bug: FlaggedBug
  readonly attachment: FlaggedAttachment | null
  /** The types that apply there. */
  readonly types: readonly FlagType[]
  readonly slots: Slot[]
}

/** Carries out one entry. Faults 50, 51, 129 to 134 and 32000, as docs/decisions.md tells them apart. */
export function enact(
  person: Person,
  people: ReadonlyMap<string, AskedPerson>,
  scene: Scene,
  input: FlagInput,
): void {
  const called = input.name ?? String(input.type_id ?? input.id ?? '')
  if (input.id === undefined && input.type_id === undefined && input.name === undefined) {
    throw fault('flagUnnamed')
  }
  const status = statusIn(input.status, called)
  const meant = resolve(scene, input, called)
  if ('slot' in meant) {
    change(person, people, scene, { slot: meant.slot, input, status })
  } else if (status !== 'X') {
    scene.slots.push(created(person, people, scene, { type: meant.type, input, status }))
  }
}

/**
 * The flag that an entry is about, or the type of which it wants a new one. Flags that entries ahead have
 * cleared or made do not count. Faults 51, 132, 133.
 */
function resolve(
  { slots, types }: Scene,
  input: FlagInput,
  called: string,
): { slot: Slot } | { type: FlagType } {
  const standing = slots.filter((slot) => (slot.now === null ? slot.isDropped : slot.was !== null))
  if (input.id !== undefined) {
    const slot = standing.find(({ was }) => was?.row.id === input.id)
    if (slot === undefined) {
      throw fault('flagUnknown', { id: input.id })
    }
    return { slot }
  }
  const isMeant = (type: FlagType | undefined) =>
    input.type_id === undefined ? type?.name === input.name : type?.id === input.type_id
  const held = standing.filter(({ was, now }) => isMeant(now?.type ?? was?.state.type))
  const named = types.filter(isMeant)
  const usable = named.filter(
    (type) => type.isActive || held.some(({ now }) => now?.type.id === type.id),
  )
  const [type, other] = usable.length > 0 ? usable : named
  if (type === undefined) {
    throw fault('flagTypeUnknown', { flag: called })
  }
  if (other !== undefined) {
    throw fault('flagTypeNotUnique', { flag: called })
  }
  const [slot, another] = held
  if (slot === undefined || input.new === true) {
    return { type }
  }
  if (another !== undefined) {
    throw fault('flagNotUnique', { flag: called })
  }
  return { slot }
}

function created(
  person: Person,
  people: ReadonlyMap<string, AskedPerson>,
  scene: Scene,
  { type, input, status }: { type: FlagType; input: FlagInput; status: FlagStatus },
): Slot {
  const flag = type.name
  if (!type.isActive) {
    throw fault('flagTypeInactive', { flag })
  }
  refuseRequest(type, status)
  if (!type.isMultiplicable && isSet(scene, type)) {
    throw fault('flagTaken', { flag })
  }
  if (!maySet(person, type, null, status)) {
    throw fault('flagDenied', { flag, status })
  }
  const requestee =
    status === '?' ? requesteeIn(input.requestee, null, type, viewOf(scene, people)) : null
  return { was: null, now: { type, status, setterId: person.id, requestee }, isDropped: false }
}

function change(
  person: Person,
  people: ReadonlyMap<string, AskedPerson>,
  scene: Scene,
  { slot, input, status }: { slot: Slot; input: FlagInput; status: FlagStatus | 'X' },
): void {
  const { now } = slot
  if (now === null) {
    return
  }
  const { type } = now
  const isNew = status !== now.status
  if (status !== 'X' && isNew) {
    refuseRequest(type, status)
  }
  if (!maySet(person, type, now, status)) {
    throw fault('flagDenied', { flag: type.name, status })
  }
  if (status === 'X') {
    slot.now = null
    return
  }
  const requestee =
    status === '?' ? requesteeIn(input.requestee, now.requestee, type, viewOf(scene, people)) : null
  slot.now = { type, status, requestee, setterId: isNew ? person.id : now.setterId }
}

function refuseRequest(type: FlagType, status: FlagStatus): void {
  if (status === '?' && !type.isRequestable) {
    throw fault('flagStatusInvalid', { flag: type.name, status })
  }
}

function viewOf({ bug, attachment }: Scene, people: ReadonlyMap<string, AskedPerson>) {
  return { people, bug, isPrivate: attachment?.isPrivate ?? false }
}

/** Whether a flag of the type is set. */
export function isSet({ slots }: Scene, type: FlagType): boolean {
  return slots.some(({ now }) => now?.type.id === type.id)
}
