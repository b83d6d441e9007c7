import { fault } from '../../../platform/faults/fault.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import { findFieldRow } from '../../fields/names.ts'
import type { BugDecision } from './capability.ts'
import { changeDenied } from './faults.ts'
import type { Standing } from './standing.ts'

/** A change of one field of one bug, with its values in the form of history. */
type RequestedChange = {
  readonly field: string
  readonly from: string
  readonly to: string
  readonly standing: Standing
  readonly tracksTime: boolean
  readonly settings: Pick<Settings, 'SUBMITTER_CHOOSES_PRIORITY'>
}

/**
 * Refuses a change that the caller may not make, naming the field and who may. People with editbugs may
 * change everything, assignee and QA contact everything on their bug, the reporter all but assignment and
 * milestone. Hours and deadline are for time trackers, and the refusal shows hours to nobody else. Status and
 * resolution have their rules in `status-move.ts`.
 */
export function assertMayChange(change: RequestedChange): void {
  const { field, from, to } = change
  const who = findMissingRight(change)
  if (who !== null) {
    const isSecret = who === TIME_TRACKERS && field !== 'deadline'
    throw fault(changeDenied, { field, from: isSecret ? '' : from, to, who })
  }
}

type ConsideredChange = Omit<RequestedChange, 'from' | 'to'>

/** Whether the rule of `assertMayChange` lets the caller change the field at all. */
export function mayChange(change: ConsideredChange): boolean {
  return findMissingRight(change) === null
}

const TIME_TRACKERS = 'members of the time-tracking group'

/** Who may make a change that the caller may not make. */
function findMissingRight({
  field,
  standing,
  tracksTime,
  settings,
}: ConsideredChange): string | null {
  const row = findFieldRow(field)
  if (row?.isTimed && !tracksTime) {
    return TIME_TRACKERS
  }
  if (standing.editBugs || standing.isAssigneeOrQa) {
    return null
  }
  const forReporter =
    !row?.isNotForReporters && (field !== 'priority' || settings.SUBMITTER_CHOOSES_PRIORITY)
  if (standing.isReporter && forReporter) {
    return null
  }
  return `${forReporter ? 'the reporter, the assignee' : 'the assignee'} or somebody with editbugs`
}

/**
 * Refuses edits of a list or a custom field by anybody who may not change a plain field of the bug. `removed`
 * and `added` are items in the form of history.
 */
export function assertMayEdit(
  { standing }: Pick<BugDecision, 'standing'>,
  settings: Settings,
  field: string,
  { removed, added }: { readonly removed: string; readonly added: string },
): void {
  assertMayChange({ field, from: removed, to: added, standing, tracksTime: false, settings })
}
