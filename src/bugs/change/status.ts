import type { Person } from '../../access/caller.ts'
import { DUPLICATE, moveOf, opens, type Standing, type State } from '../model/workflow.ts'
import type { FieldChange } from './decide.ts'
import { type Marking, markingOf } from './duplicate.ts'
import { type ChangeBugInput, commentText } from './input.ts'
import type { Current, CurrentBug } from './load.ts'

type Request = {
  readonly person: Person
  readonly input: ChangeBugInput
  readonly current: Current
  /** Whether the request is about this bug alone. */
  readonly isAlone: boolean
}

export type Outcome = {
  readonly changes: readonly FieldChange<'status' | 'resolution' | 'is_confirmed' | 'dupe_of'>[]
  /** Whether nothing remains to be done, whatever the request says. */
  readonly endsHours: boolean
  readonly marking: Marking | null
}

const UNCHANGED: Outcome = { changes: [], endsHours: false, marking: null }

/**
 * What becomes of status, resolution, confirmation and the duplicate of a bug, which move together:
 * closing also ends the remaining hours, and a bug that is no duplicate any more loses its original.
 * Pure. Contract "States and transitions". Faults of `moveOf` and `markingOf`.
 */
export function decideStatus(
  { person, input, current, isAlone }: Request,
  bug: CurrentBug,
  standing: Standing,
  hasUnconfirmed: boolean,
): Outcome {
  const { statuses, resolutions, edges } = current
  if (statuses === undefined || resolutions === undefined || edges === undefined) {
    return UNCHANGED
  }
  const state: State = {
    status: heldBy(bug, statuses, bug.statusId),
    resolution: heldBy(bug, resolutions, bug.resolutionId),
    isConfirmed: bug.isConfirmed,
  }
  const { status, resolution } = input
  const marking = opens({ statuses, status })
    ? null
    : markingOf(person, input.dupe_of, current, bug, isAlone)
  // to say again what the bug is a duplicate of asks for nothing
  const asksForNothing = status === undefined && resolution === undefined && marking === null
  const next = asksForNothing
    ? state
    : moveOf({
        state,
        status,
        resolution,
        marksDuplicate: marking !== null,
        standing,
        hasUnconfirmed,
        hasComment: commentText(input).trim() !== '',
        statuses,
        resolutions,
        edges,
      })
  const closes = !next.status.isOpen && next.status.id !== state.status.id
  const endsHours = closes || marking !== null
  return { changes: changesTo(next, marking, bug), endsHours, marking }
}

function changesTo(next: State, marking: Marking | null, bug: CurrentBug): Outcome['changes'] {
  const isConfirmed = next.isConfirmed ? 1 : 0
  const isDuplicate = next.resolution.nameFold === DUPLICATE
  const original = isDuplicate ? (marking?.originalId ?? bug.dupeOfId) : null
  const changes: Outcome['changes'] = [
    { field: 'status', value: next.status.id, added: next.status.name },
    { field: 'resolution', value: next.resolution.id, added: next.resolution.name },
    { field: 'is_confirmed', value: isConfirmed, added: String(isConfirmed) },
    { field: 'dupe_of', value: original, added: original === null ? '' : String(original) },
  ]
  return changes.filter(({ field, added }) => added !== bug.words[field])
}

function heldBy<Value extends { id: number }>(
  bug: CurrentBug,
  values: readonly Value[],
  id: number,
): Value {
  const held = values.find((value) => value.id === id)
  if (held === undefined) {
    throw new Error(`Bug ${bug.id} has a status or resolution that does not exist`)
  }
  return held
}
