import { fault, valueBlank } from '../../../platform/faults/fault.ts'
import { fold } from '../../../platform/lib/text.ts'
import { unknownStatusFault } from '../../fields/presets/presets.ts'
import { findStatusOfDuplicates } from '../../fields/workflow.ts'
import {
  changeDenied,
  commentRequired,
  duplicateNeedsTarget,
  resolutionMissing,
  resolutionNotAllowed,
  resolutionUnknown,
  statusMoveDenied,
  statusNotReachable,
} from './faults.ts'
import type { LoadedValue, Status } from './field-values.ts'
import type { Standing } from './standing.ts'

/** The folded name of the resolution that needs a bug to point to. */
export const DUPLICATE = 'duplicate'

const RESOLVERS = 'the reporter, the assignee, the QA contact or somebody with editbugs'

/** The state of a bug that its workflow depends on. */
export type StatusState = {
  readonly status: Status
  readonly resolution: LoadedValue
  readonly isConfirmed: boolean
}

/** A move that the workflow allows; nothing as its origin means a new bug. */
export type Transition = {
  readonly fromId: number | null
  readonly toId: number
  readonly commentRequired: boolean
}

export type MoveRequest = {
  readonly state: StatusState
  /** Undefined: not in the request. Null or blank is a fault. */
  readonly status: string | null | undefined
  readonly resolution: string | null | undefined
  /** Whether the request makes the bug a duplicate: an open status in the same request counts more. */
  readonly marksDuplicate?: boolean
  readonly standing: Standing
  readonly hasUnconfirmed: boolean
  readonly hasComment: boolean
  readonly statuses: readonly Status[]
  readonly resolutions: readonly LoadedValue[]
  readonly transitions: readonly Transition[]
}

/** Status, resolution and confirmation after a move; throws when the workflow or a right forbids it. */
export function decideMove(move: MoveRequest): StatusState {
  const { state } = move
  const status = requestedStatus(move)
  if (move.marksDuplicate && !status.isOpen) {
    assertMayMarkDuplicate(move, status)
  } else if (status.id !== state.status.id) {
    assertMove(move, status)
  }
  return {
    status,
    resolution: nextResolution(move, status),
    isConfirmed: status.isOpen ? !isUnconfirmed(status) : state.isConfirmed,
  }
}

function requestedStatus({ state, status, statuses, marksDuplicate }: MoveRequest): Status {
  if (status === undefined) {
    const isDuplicate = state.resolution.nameFold === DUPLICATE
    return marksDuplicate && !isDuplicate ? duplicatesIn(statuses) : state.status
  }
  const name = status?.trim() ?? ''
  if (name === '') {
    throw fault(valueBlank, { field: 'status' })
  }
  const next = statuses.find((one) => one.nameFold === fold(name))
  if (next === undefined) {
    throw unknownStatusFault(name)
  }
  return next
}

function duplicatesIn(statuses: readonly Status[]): Status {
  const status = findStatusOfDuplicates(statuses)
  if (status === undefined) {
    throw new Error('The workflow has no closed status')
  }
  return status
}

/** Whether the request opens the bug, so that demands of closing do not apply. */
export function requestsOpen({
  statuses,
  status,
}: Pick<MoveRequest, 'statuses' | 'status'>): boolean {
  const name = fold(status?.trim() ?? '')
  return statuses.some((one) => one.isOpen && one.nameFold === name)
}

/**
 * Any bug can become a duplicate and get the status of duplicates, wherever the workflow leads from it; any
 * other status by name is a move.
 */
function assertMayMarkDuplicate(move: MoveRequest, to: Status): void {
  const { state, standing, statuses, transitions, hasComment } = move
  if (to.id !== state.status.id && move.status !== undefined) {
    if (to.id === duplicatesIn(statuses).id) {
      assertMayMove(move, to)
    } else {
      assertMove(move, to)
    }
  }
  if (!canResolve(standing)) {
    throw fault(changeDenied, {
      field: 'dupe_of',
      from: '',
      to: 'another bug',
      who: RESOLVERS,
    })
  }
  const transition = transitions.find((one) => one.fromId === state.status.id && one.toId === to.id)
  if (transition?.commentRequired && !hasComment) {
    throw fault(commentRequired, { status: to.name })
  }
}

function assertMove(move: MoveRequest, to: Status): void {
  const { state, statuses, transitions, hasUnconfirmed, hasComment } = move
  const from = state.status
  const transition = transitions.find((one) => one.fromId === from.id && one.toId === to.id)
  const following = statuses.filter(
    (one) =>
      one.isActive &&
      (hasUnconfirmed || !isUnconfirmed(one)) &&
      transitions.some(({ fromId, toId }) => fromId === from.id && toId === one.id),
  )
  if (transition === undefined || !following.includes(to)) {
    const names = { from: from.name, to: to.name, following: listNames(following) }
    throw fault(statusNotReachable, names)
  }
  assertMayMove(move, to)
  if (transition.commentRequired && !hasComment) {
    throw fault(commentRequired, { status: to.name })
  }
}

function assertMayMove({ state, standing }: MoveRequest, to: Status): void {
  if (!canMove(state, to, standing)) {
    const { who } = MOVERS[moversOf(state, to)]
    throw fault(statusMoveDenied, { from: state.status.name, to: to.name, who })
  }
}

/** Where a move begins, and where it leads, as far as the right to it depends on that. */
type Origin = { readonly status: Pick<Status, 'isOpen'>; readonly isConfirmed: boolean }
type Target = Pick<Status, 'isOpen' | 'nameFold'>

/** Whether the standing gives the right to a move that the workflow allows. */
export function canMove(state: Origin, to: Target, standing: Standing): boolean {
  return standing.editBugs || MOVERS[moversOf(state, to)].include(standing)
}

type Movers = 'confirmers' | 'assignees' | 'participants'

/** Who may move a bug beside people with editbugs. */
const MOVERS: Readonly<
  Record<Movers, { readonly who: string; include(standing: Standing): boolean }>
> = {
  confirmers: {
    who: 'somebody with canconfirm or editbugs',
    include: ({ canConfirm }) => canConfirm,
  },
  assignees: {
    who: 'the assignee, the QA contact or somebody with editbugs',
    include: ({ isAssigneeOrQa }) => isAssigneeOrQa,
  },
  participants: {
    who: RESOLVERS,
    include: ({ isAssigneeOrQa, isReporter }) => isAssigneeOrQa || isReporter,
  },
}

/** Confirming, and taking it back, is for who may confirm; the rest for the people on the bug. */
function moversOf({ status: from, isConfirmed }: Origin, to: Target): Movers {
  const confirmsNow = to.isOpen && !isUnconfirmed(to) && !isConfirmed
  const unconfirmsNow = isUnconfirmed(to) && isConfirmed
  if (confirmsNow || unconfirmsNow) {
    return 'confirmers'
  }
  return from.isOpen && to.isOpen ? 'assignees' : 'participants'
}

/** The names of statuses as a message lists them. */
export function listNames(statuses: readonly Status[]): string {
  return statuses.map(({ name }) => name).join(', ') || 'none'
}

function nextResolution(move: MoveRequest, to: Status): LoadedValue {
  const { state } = move
  if (move.marksDuplicate && !to.isOpen) {
    return duplicateResolution(move)
  }
  if (to.isOpen) {
    if (state.status.isOpen && move.status === undefined && move.resolution !== undefined) {
      throw resolutionOnOpenBug(move)
    }
    return emptyResolution(move)
  }
  const given = move.resolution === undefined ? undefined : (move.resolution?.trim() ?? '')
  if (given === undefined && !state.status.isOpen) {
    return state.resolution
  }
  if (given === undefined || given === '') {
    throw fault(resolutionMissing, { status: to.name })
  }
  return changedResolution(move, to, given)
}

/** A duplicate has the resolution of duplicates, even if the request names another one. */
function duplicateResolution({ resolution, resolutions }: MoveRequest): LoadedValue {
  const given = resolution?.trim() ?? ''
  // a blank text names the empty resolution, which exists
  if (!resolutions.some((one) => one.nameFold === fold(given))) {
    throw fault(resolutionUnknown, { name: given })
  }
  const duplicate = resolutions.find((one) => one.nameFold === DUPLICATE)
  if (duplicate === undefined) {
    throw new Error('The resolution of duplicates is missing')
  }
  return duplicate
}

function emptyResolution({ resolutions }: MoveRequest): LoadedValue {
  const empty = resolutions.find((one) => one.nameFold === '')
  if (empty === undefined) {
    throw new Error('The empty resolution is missing')
  }
  return empty
}

function changedResolution(move: MoveRequest, to: Status, given: string): LoadedValue {
  const { state, standing } = move
  const next = move.resolutions.find((one) => one.nameFold === fold(given))
  if (next !== undefined && next.id === state.resolution.id) {
    return next
  }
  if (next === undefined || !next.isActive) {
    throw fault(resolutionUnknown, { name: given })
  }
  if (next.nameFold === DUPLICATE) {
    throw fault(duplicateNeedsTarget)
  }
  if (to.id === state.status.id && !canResolve(standing)) {
    throw fault(changeDenied, {
      field: 'resolution',
      from: state.resolution.name,
      to: next.name,
      who: RESOLVERS,
    })
  }
  return next
}

/** Whether the standing gives the right to another resolution and to an original. */
export function canResolve(standing: Standing): boolean {
  return standing.editBugs || standing.isAssigneeOrQa || standing.isReporter
}

function resolutionOnOpenBug({ resolution, resolutions }: MoveRequest) {
  const given = resolution?.trim() ?? ''
  return given === '' || resolutions.some((one) => one.nameFold === fold(given))
    ? fault(resolutionNotAllowed, { resolution: given })
    : fault(resolutionUnknown, { name: given })
}

/** Whether it is the status that a product may do without, and that confirming leads out of. */
export function isUnconfirmed(status: Pick<Status, 'nameFold'>): boolean {
  return status.nameFold === 'unconfirmed'
}
