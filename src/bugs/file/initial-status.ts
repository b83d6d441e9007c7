import { fault } from '../../faults.ts'
import { fold } from '../../lib/text.ts'
import type { Status, Value } from '../model/field-values.ts'
import { DUPLICATE, isUnconfirmed } from '../model/workflow.ts'

export type Start = {
  readonly statuses: readonly Status[]
  /** The resolutions that the input may mean, the empty one among them. */
  readonly resolutions: readonly Value[]
  readonly hasUnconfirmed: boolean
  /** Whether the caller may confirm bugs; everybody else takes what the product gives. */
  readonly mayChoose: boolean
  readonly status: string | undefined
  readonly resolution: string | undefined
  readonly hasDescription: boolean
}

/**
 * Where a new bug starts. Contract "States and transitions": only some statuses can be initial, and a
 * resolution goes with a closed one only. Faults 51, 119, 121, 122, 123, and 32000 where the workflow
 * asks for a comment and there is no description.
 */
export function startOf(start: Start) {
  const initial = start.statuses.filter(
    (status) =>
      status.isInitial && status.isActive && (start.hasUnconfirmed || !isUnconfirmed(status)),
  )
  const given = start.mayChoose ? (start.status?.trim() ?? '') : ''
  const status = given === '' ? defaultStart(initial, start.mayChoose) : named(start, given)
  if (!initial.includes(status)) {
    throw fault('statusNotInitial', { status: status.name })
  }
  if (status.needsDescription && !start.hasDescription) {
    throw fault('commentRequired', { status: status.name })
  }
  const wanted = start.mayChoose ? (start.resolution?.trim() ?? '') : ''
  return {
    statusId: status.id,
    resolutionId: startResolution(start, status, wanted).id,
    isConfirmed: !isUnconfirmed(status),
  }
}

/** Who may confirm starts with a confirmed bug, everybody else with an unconfirmed one, where there is one. */
function defaultStart(initial: readonly Status[], mayConfirm: boolean): Status {
  const open = initial.filter((status) => status.isOpen)
  const preferred = open.find((status) => isUnconfirmed(status) !== mayConfirm)
  const status = preferred ?? open[0] ?? initial[0]
  if (status === undefined) {
    throw new Error('The workflow has no status that a bug could start in')
  }
  return status
}

function named({ statuses }: Start, name: string): Status {
  const status = statuses.find((one) => one.nameFold === fold(name))
  if (status === undefined) {
    throw fault('statusUnknown', { name })
  }
  return status
}

function startResolution({ resolutions }: Start, status: Status, wanted: string): Value {
  const resolution = resolutions.find((one) => one.nameFold === fold(wanted))
  if (status.isOpen && wanted !== '') {
    throw fault('resolutionNotAllowed', { resolution: wanted })
  }
  if (!status.isOpen && wanted === '') {
    throw fault('resolutionMissing', { status: status.name })
  }
  if (resolution === undefined || !resolution.isActive) {
    throw fault('resolutionUnknown', { name: wanted })
  }
  if (resolution.nameFold === DUPLICATE) {
    throw fault('duplicateNeedsTarget')
  }
  return resolution
}
