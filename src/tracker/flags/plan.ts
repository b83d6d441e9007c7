import type { Person } from '../../platform/access/caller.ts'
import { invalidParameter } from '../../platform/faults/fault.ts'
import type { FlagInput } from './input.ts'
import {
  type CurrentFlag,
  type FlagPerson,
  type FlagRows,
  type LoadedFlagType,
  MAX_FLAGS_OF_BUG,
} from './load.ts'
import {
  type DecidedFlag,
  type FlagEdits,
  type FlaggedAttachment,
  type FlagSlot,
  makeFlagEdits,
} from './plan-edits.ts'
import { applyEntry, type FlagPlan, hasFlagOfType } from './plan-entries.ts'
import { canGrantFlag, canRequestFlag, type FlaggedBug, parseActor } from './rules.ts'
import { createTypeFinder } from './scopes.ts'

/**
 * Decides the flags of one request, between the `readBatch` and the `commit` of its verb:
 *
 *     const planner = createFlagPlanner(person, rows)            // the rows of `selectFlags`
 *     const edits = bugs.flatMap((bug) => planner.planBugFlags(bug, input.flags))
 *     … flagStatements(edits, origin)                            // behind `recordNotice` and
 *                                                                // what moves the bugs
 *
 * `person` is the caller.
 */
export function createFlagPlanner(person: Person, rows: FlagRows) {
  const { flagTypes = [], flags = [], flagBugs = [], flagPeople = [] } = rows
  const types = new Map(flagTypes.map((type) => [type.id, type]))
  const people = new Map(flagPeople.map((account) => [account.loginFold, account]))
  const setters = new Map(flagPeople.map((account) => [account.id, account]))
  const byBug = Map.groupBy(flags, (flag) => flag.bugId)
  const before = new Map(flagBugs.map((row) => [row.id, row]))
  const sizes = new Map<FlaggedBug['id'], number>(
    flagBugs.map(({ id, flagCount }) => [id, flagCount]),
  )
  const typesAt = createTypeLookup(flagTypes, rows.flagScopes ?? [])

  function decide(
    bug: FlaggedBug,
    attachment: FlaggedAttachment | null,
    inputs: FlagInputs,
    parameter = 'flags',
  ) {
    const current = (bug.id === 'new' ? [] : (byBug.get(bug.id) ?? [])).filter(
      (flag) => flag.attachmentId === (attachment?.id ?? null),
    )
    const plan: FlagPlan = {
      bug,
      attachment,
      types: typesAt(bug, attachment === null ? 'bug' : 'attachment'),
      slots: current.map((row) => makeSlot(row, makeState(row, types))),
    }
    if (bug.id !== 'new' && hasMoved(bug, before.get(bug.id))) {
      settleTypes(plan, (id) => (id === person.id ? person.groups : parseGroups(setters.get(id))))
    }
    if (attachment?.becomesObsolete === true) {
      dropRequests(plan)
    }
    for (const input of inputs ?? []) {
      applyEntry(person, people, plan, input)
    }
    const edits = makeFlagEdits(plan, plan.slots)
    count(edits, parameter)
    return edits
  }

  /** Counts what is set in all places of a bug. Throws a fault where a flag comes that is one too many. */
  function count({ bug, creates, clears }: FlagEdits, parameter: string): void {
    const size = (sizes.get(bug.id) ?? 0) + creates.length - clears.length
    sizes.set(bug.id, size)
    if (creates.length > 0 && size > MAX_FLAGS_OF_BUG) {
      const reason = `may leave at most ${MAX_FLAGS_OF_BUG} flags on a bug and its attachments`
      throw invalidParameter(parameter, `${reason}; bug ${bug.id} would have more`)
    }
  }

  return {
    /** The current bug. A verb that changes values of `FlaggedBug` passes a copy with the new values. */
    findBug(id: number): FlaggedBug | undefined {
      const row = before.get(id)
      return row && { ...row, groupIds: parseIds(row.groups), ccIds: parseIds(row.cc) }
    },

    /** Plans the flags of the bug, which `parameter` gives, and those of its attachments when it moves. */
    planBugFlags(bug: FlaggedBug, inputs: FlagInputs, parameter?: string): FlagEdits[] {
      const own = decide(bug, null, inputs, parameter)
      if (bug.id === 'new' || !hasMoved(bug, before.get(bug.id))) {
        return [own]
      }
      const movedFlags = byBug.get(bug.id) ?? []
      const attachmentIds = new Set(movedFlags.map((flag) => flag.attachmentId))
      const others = [...attachmentIds]
        .filter((id) => id !== null)
        .map((id) => decide(bug, { id, isPrivate: false }, []))
      return [{ ...own, movedFlags }, ...others]
    },

    /** Plans the flags of one attachment. */
    planAttachmentFlags(
      bug: FlaggedBug,
      attachment: FlaggedAttachment,
      inputs: FlagInputs,
    ): FlagEdits {
      return decide(bug, attachment, inputs)
    },
  }
}

type FlagInputs = readonly FlagInput[] | undefined

/** Returns a function that finds the types that apply to a bug; each component is looked up once. */
function createTypeLookup(
  types: readonly LoadedFlagType[],
  scopes: NonNullable<FlagRows['flagScopes']>,
) {
  const findTypes = createTypeFinder(types, scopes)
  const byComponent = new Map<number, readonly LoadedFlagType[]>()
  return (
    { productId, componentId }: FlaggedBug,
    target: LoadedFlagType['target'],
  ): LoadedFlagType[] => {
    const applicable = byComponent.get(componentId) ?? findTypes({ id: componentId, productId })
    byComponent.set(componentId, applicable)
    return applicable.filter((type) => type.target === target)
  }
}

function makeSlot(row: CurrentFlag, state: DecidedFlag): FlagSlot {
  return { before: { row, state }, after: state, isDropped: false }
}

function makeState(flag: CurrentFlag, types: ReadonlyMap<number, LoadedFlagType>): DecidedFlag {
  const type = types.get(flag.typeId)
  if (type === undefined) {
    throw new Error(`The type of the flag ${flag.id} was not read`)
  }
  const { status, setterId, requesteeId, requestee } = flag
  return {
    type,
    status,
    setterId,
    requestee: requesteeId === null ? null : { id: requesteeId, login: requestee ?? '' },
  }
}

function parseIds(json: string): number[] {
  return JSON.parse(json)
}

function hasMoved(bug: FlaggedBug, row: { productId: number; componentId: number } | undefined) {
  return (
    row !== undefined && (row.productId !== bug.productId || row.componentId !== bug.componentId)
  )
}

function parseGroups(person: FlagPerson | undefined): ReadonlySet<number> {
  return person === undefined ? new Set() : parseActor(person).groups
}

/**
 * A flag whose type does not apply any more moves to an active type of the same name that has room for it and
 * that its setter could have used; otherwise it is cleared.
 */
function settleTypes(plan: FlagPlan, groupsOfUser: (id: number) => ReadonlySet<number>): void {
  for (const slot of plan.slots) {
    const { after } = slot
    if (after === null || plan.types.some(({ id }) => id === after.type.id)) {
      continue
    }
    const groups = groupsOfUser(after.setterId)
    const heir = plan.types.find(
      (type) =>
        type.name === after.type.name &&
        type.isActive &&
        (type.isMultiplicable || !hasFlagOfType(plan, type)) &&
        (after.status === '?' ? canRequestFlag(groups, type) : canGrantFlag(groups, type)),
    )
    slot.after = heir === undefined ? null : { ...after, type: heir }
  }
}

function dropRequests({ slots }: FlagPlan): void {
  for (const slot of slots) {
    if (slot.after?.status === '?') {
      slot.after = null
      slot.isDropped = true
    }
  }
}
