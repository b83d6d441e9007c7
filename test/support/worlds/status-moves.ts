import type { Standing } from '../../../src/tracker/bugs/model/standing.ts'
import {
  decideMove,
  type MoveRequest,
  type StatusState,
} from '../../../src/tracker/bugs/model/status-move.ts'
import { catchFaultCode } from '../catch-fault-code.ts'
import { EDGES, findResolution, findStatus, RESOLUTIONS, STATUSES } from './workflow.ts'

/** Somebody without any right to the bug. */
export const NOBODY: Standing = {
  editBugs: false,
  canConfirm: false,
  isAssigneeOrQa: false,
  isReporter: false,
}
/** What people of different rights are to a bug. */
export const STANDINGS = {
  editor: { ...NOBODY, editBugs: true },
  confirmer: { ...NOBODY, canConfirm: true },
  assignee: { ...NOBODY, isAssigneeOrQa: true },
  reporter: { ...NOBODY, isReporter: true },
  stranger: NOBODY,
} satisfies Record<string, Standing>

export type StandingName = keyof typeof STANDINGS

/** A bug in that status, with that resolution. */
export function buildState(
  name: string,
  resolution = '',
  isConfirmed = name !== 'UNCONFIRMED',
): StatusState {
  return { status: findStatus(name), resolution: findResolution(resolution), isConfirmed }
}

/** What a move makes of a bug, as `STATUS/RESOLUTION/confirmed`, or the number of the fault. */
export function moveBug(state: StatusState, more: Partial<MoveRequest>): string | number {
  return catchFaultCode(() => {
    const next = decideMove({
      state,
      status: undefined,
      resolution: undefined,
      standing: STANDINGS.editor,
      hasUnconfirmed: true,
      hasComment: false,
      statuses: STATUSES,
      resolutions: RESOLUTIONS,
      transitions: EDGES,
      ...more,
    })
    const confirmed = next.isConfirmed ? 'confirmed' : 'unconfirmed'
    return `${next.status.name}/${next.resolution.name}/${confirmed}`
  })
}
