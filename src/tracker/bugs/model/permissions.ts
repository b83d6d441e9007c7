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
  const { field, from, to, standing, tracksTime, settings } = change
  const row = findFieldRow(field)
  if (row?.isTimed && !tracksTime) {
    const shownValue = field === 'deadline' ? from : ''
    const who = 'members of the time-tracking group'
    throw fault(changeDenied, { field, from: shownValue, to, who })
  }
  if (standing.editBugs || standing.isAssigneeOrQa) {
    return
  }
  const forReporter =
    !row?.isNotForReporters && (field !== 'priority' || settings.SUBMITTER_CHOOSES_PRIORITY)
  if (standing.isReporter && forReporter) {
    return
  }
  const who = `${forReporter ? 'the reporter, the assignee' : 'the assignee'} or somebody with editbugs`
  throw fault(changeDenied, { field, from, to, who })
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
