import { fault } from '../../faults.ts'
import type { Settings } from '../../settings.ts'
import type { Field } from './history-fields.ts'
import type { Standing } from './workflow.ts'

/** The fields whose change is decided here; status and what follows it have rules of their own in `workflow.ts`. */
export type Subject =
  | Exclude<Field, 'status' | 'resolution' | 'is_confirmed' | 'dupe_of'>
  | 'work_time'

/** Lists and custom fields, which everybody may change who may change a plain field. */
export type ListField =
  | 'keywords'
  | 'depends_on'
  | 'blocks'
  | 'regressed_by'
  | 'regressions'
  | 'see_also'
  | `cf_${string}`

/** Fields that the reporter of a bug leaves to its assignee. */
const NOT_FOR_REPORTERS: readonly (Subject | ListField)[] = [
  'assigned_to',
  'qa_contact',
  'target_milestone',
]

/** Fields that only people who track time may set. */
const FOR_TRACKERS: readonly (Subject | ListField)[] = [
  'deadline',
  'estimated_time',
  'remaining_time',
  'work_time',
]

type Asked = {
  readonly field: Subject | ListField
  readonly from: string
  readonly to: string
  readonly standing: Standing
  readonly tracksTime: boolean
  readonly settings: Pick<Settings, 'SUBMITTER_CHOOSES_PRIORITY'>
}

/**
 * Refuses a change of a field that the caller may not make: fault 115, naming the field and who may.
 * People with editbugs may change everything, assignee and QA contact everything on their bug, the
 * reporter all but assignment and milestone. Hours and deadline are in any case for people who track
 * time; nobody else is told what they are. Contract "Errors", Update Bug.
 */
export function mayChange({ field, from, to, standing, tracksTime, settings }: Asked): void {
  if (FOR_TRACKERS.includes(field) && !tracksTime) {
    const told = field === 'deadline' ? from : ''
    const who = 'members of the time-tracking group'
    throw fault('changeDenied', { field, from: told, to, who })
  }
  if (standing.editBugs || standing.isAssigneeOrQa) {
    return
  }
  const forReporter =
    !NOT_FOR_REPORTERS.includes(field) &&
    (field !== 'priority' || settings.SUBMITTER_CHOOSES_PRIORITY)
  if (standing.isReporter && forReporter) {
    return
  }
  const who = `${forReporter ? 'the reporter, the assignee' : 'the assignee'} or somebody with editbugs`
  throw fault('changeDenied', { field, from, to, who })
}
