import { fault } from '../../../platform/faults/fault.ts'
import { fold } from '../../../platform/lib/text.ts'
import { unknownStatusFault } from '../../fields/presets/presets.ts'
import {
  commentRequired,
  duplicateNotInitial,
  resolutionMissing,
  resolutionNotAllowed,
  resolutionUnknown,
  statusNotInitial,
} from '../model/faults.ts'
import type { LoadedValue, Status } from '../model/field-values.ts'
import { DUPLICATE, isUnconfirmed, listNames } from '../model/status-move.ts'

export type InitialStatusRequest = {
  readonly statuses: readonly Status[]
  /** The resolutions that the input may mean, the empty one among them. */
  readonly resolutions: readonly LoadedValue[]
  readonly hasUnconfirmed: boolean
  /** Whether the caller may confirm bugs; everybody else takes what the product gives. */
  readonly mayChoose: boolean
  readonly status: string | undefined
  readonly resolution: string | undefined
  readonly hasDescription: boolean
}

/** Decides the status and resolution of a new bug. */
export function decideInitialStatus(start: InitialStatusRequest) {
  const initial = start.statuses.filter(
    (status) =>
      status.isInitial && status.isActive && (start.hasUnconfirmed || !isUnconfirmed(status)),
  )
  const given = start.mayChoose ? (start.status?.trim() ?? '') : ''
  const status =
    given === '' ? defaultStatus(initial, start.mayChoose) : requireStatus(start, given)
  if (!initial.includes(status)) {
    throw fault(statusNotInitial, { status: status.name, initial: listNames(initial) })
  }
  if (status.needsDescription && !start.hasDescription) {
    throw fault(commentRequired, { status: status.name })
  }
  const requested = start.mayChoose ? (start.resolution?.trim() ?? '') : ''
  return {
    statusId: status.id,
    resolutionId: decideResolution(start, status, requested).id,
    isConfirmed: !isUnconfirmed(status),
  }
}

/** Confirmed for who may confirm bugs, unconfirmed for others, where the workflow has such a status. */
function defaultStatus(initial: readonly Status[], mayConfirm: boolean): Status {
  const open = initial.filter((status) => status.isOpen)
  const preferred = open.find((status) => isUnconfirmed(status) !== mayConfirm)
  const status = preferred ?? open[0] ?? initial[0]
  if (status === undefined) {
    throw new Error('The workflow has no status that a bug could start in')
  }
  return status
}

function requireStatus({ statuses }: InitialStatusRequest, name: string): Status {
  const status = statuses.find((one) => one.nameFold === fold(name))
  if (status === undefined) {
    throw unknownStatusFault(name)
  }
  return status
}

function decideResolution(
  { resolutions }: InitialStatusRequest,
  status: Status,
  requested: string,
): LoadedValue {
  const resolution = resolutions.find((one) => one.nameFold === fold(requested))
  if (status.isOpen && requested !== '') {
    throw fault(resolutionNotAllowed, { resolution: requested })
  }
  if (!status.isOpen && requested === '') {
    throw fault(resolutionMissing, { status: status.name })
  }
  if (resolution === undefined || !resolution.isActive) {
    throw fault(resolutionUnknown, { name: requested })
  }
  if (resolution.nameFold === DUPLICATE) {
    throw fault(duplicateNotInitial)
  }
  return resolution
}
