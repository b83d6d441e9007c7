import type { Person } from '../access/caller.ts'
import type { FlagInput } from './input.ts'
import type { AskedPerson, FlagType, KnownFlags, StandingFlag } from './load.ts'
import {
  type DecidedFlag,
  editsOf,
  type FlagEdits,
  type FlaggedAttachment,
  type Slot,
} from './plan-edits.ts'
import { enact, isSet, type Scene } from './plan-entries.ts'
import { actorIn, type FlaggedBug, mayGrant, mayRequest } from './rules.ts'
import { typesByComponent } from './scopes.ts'

/**
 * What becomes of the flags of a request. Between the read trip and the commit of its verb:
 *
 *     const rules = flagRules(person, known)                     // known: what `readFlags` read
 *     const edits = bugs.flatMap((bug) => rules.ofBug(bug, input.flags))
 *     … flagStatements(edits, recording)                         // write.ts, behind `announce` and
 *                                                                // whatever moves the bugs
 * Pure; throws the first fault of the contract's table (50, 51, 129 to 134, 32000).
 */

/** The rules of one request: `person` acts, `known` is what `readFlags` read. */
export function flagRules(person: Person, known: KnownFlags) {
  const { flagTypes = [], flags = [], flagBugs = [], flagPeople = [] } = known
  const types = new Map(flagTypes.map((type) => [type.id, type]))
  const people = new Map(flagPeople.map((one) => [one.loginFold, one]))
  const setters = new Map(flagPeople.map((one) => [one.id, one]))
  const byBug = Map.groupBy(flags, (flag) => flag.bugId)
  const before = new Map(flagBugs.map((row) => [row.id, row]))
  const typesAt = typesWhere(flagTypes, known.flagScopes ?? [])

  function decide(bug: FlaggedBug, attachment: FlaggedAttachment | null, inputs: Inputs) {
    const stood = (bug.id === 'new' ? [] : (byBug.get(bug.id) ?? [])).filter(
      (flag) => flag.attachmentId === (attachment?.id ?? null),
    )
    const scene: Scene = {
      bug,
      attachment,
      types: typesAt(bug, attachment === null ? 'bug' : 'attachment'),
      slots: stood.map((row) => slotOf(row, stateOf(row, types))),
    }
    if (bug.id !== 'new' && hasMoved(bug, before.get(bug.id))) {
      settle(scene, (id) => (id === person.id ? person.groups : groupsOf(setters.get(id))))
    }
    if (attachment?.becomesObsolete === true) {
      dropRequests(scene)
    }
    for (const input of inputs ?? []) {
      enact(person, people, scene, input)
    }
    return editsOf(scene, scene.slots)
  }

  return {
    /**
     * The bug that was read, as it stands. A verb that changes what the type `FlaggedBug` holds lays
     * its own values over it.
     */
    bug(id: number): FlaggedBug | undefined {
      const row = before.get(id)
      return row && { ...row, groupIds: listIn(row.groups), ccIds: listIn(row.cc) }
    },

    /** Of the bug itself; and of its attachments, where it moves. */
    ofBug(bug: FlaggedBug, inputs: Inputs): FlagEdits[] {
      const own = decide(bug, null, inputs)
      if (bug.id === 'new' || !hasMoved(bug, before.get(bug.id))) {
        return [own]
      }
      const settled = byBug.get(bug.id) ?? []
      const attachmentIds = new Set(settled.map((flag) => flag.attachmentId))
      const others = [...attachmentIds]
        .filter((id) => id !== null)
        .map((id) => decide(bug, { id, isPrivate: false }, []))
      return [{ ...own, settled }, ...others]
    },

    /** Of one attachment. */
    ofAttachment(bug: FlaggedBug, attachment: FlaggedAttachment, inputs: Inputs): FlagEdits {
      return decide(bug, attachment, inputs)
    },
  }
}

type Inputs = readonly FlagInput[] | undefined

/** The types of a target that apply to a bug's component, looked up once for each component. */
function typesWhere(types: readonly FlagType[], scopes: NonNullable<KnownFlags['flagScopes']>) {
  const typesFor = typesByComponent(types, scopes)
  const seen = new Map<number, FlagType[]>()
  return ({ productId, componentId }: FlaggedBug, target: FlagType['target']): FlagType[] => {
    const here = seen.get(componentId) ?? typesFor({ id: componentId, productId })
    seen.set(componentId, here)
    return here.filter((type) => type.target === target)
  }
}

function slotOf(row: StandingFlag, state: DecidedFlag): Slot {
  return { was: { row, state }, now: state, isDropped: false }
}

function stateOf(flag: StandingFlag, types: ReadonlyMap<number, FlagType>): DecidedFlag {
  const type = types.get(flag.typeId)
  if (type === undefined) {
    throw new Error(`The type of the flag ${flag.id} was not read`)
  }
  const { status, setterId, requesteeId, requestee } = flag
  const asked = requesteeId === null ? null : { id: requesteeId, login: requestee ?? '' }
  return { type, status, setterId, requestee: asked }
}

function listIn(json: string): number[] {
  return JSON.parse(json)
}

function hasMoved(bug: FlaggedBug, row: { productId: number; componentId: number } | undefined) {
  return (
    row !== undefined && (row.productId !== bug.productId || row.componentId !== bug.componentId)
  )
}

function groupsOf(person: AskedPerson | undefined): ReadonlySet<number> {
  return person === undefined ? new Set() : actorIn(person).groups
}

/**
 * Where the type of a flag does not apply any more, an active one of the same name takes the flag over if
 * it has room and its setter might have set it; otherwise the flag goes.
 */
function settle(scene: Scene, groupsOfUser: (id: number) => ReadonlySet<number>): void {
  for (const slot of scene.slots) {
    const { now } = slot
    if (now === null || scene.types.some(({ id }) => id === now.type.id)) {
      continue
    }
    const groups = groupsOfUser(now.setterId)
    const heir = scene.types.find(
      (type) =>
        type.name === now.type.name &&
        type.isActive &&
        (type.isMultiplicable || !isSet(scene, type)) &&
        (now.status === '?' ? mayRequest(groups, type) : mayGrant(groups, type)),
    )
    slot.now = heir === undefined ? null : { ...now, type: heir }
  }
}

function dropRequests({ slots }: Scene): void {
  for (const slot of slots) {
    if (slot.now?.status === '?') {
      slot.now = null
      slot.isDropped = true
    }
  }
}
