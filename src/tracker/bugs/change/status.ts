import type { RowsOf } from '../../../platform/db/read-batch.ts'
import { statusTransitions } from '../../../platform/db/schema/fields.ts'
import { db } from '../../../platform/db/sql.ts'
import { clearableText } from '../../../platform/http/operations/shapes.ts'
import { fold } from '../../../platform/lib/text.ts'
import {
  addChanges,
  type BugDecision,
  type Capability,
  type ChangeRequest,
  type CommentInput,
  capability,
  type NewDuplicate,
} from '../model/capability.ts'
import type { CurrentBug } from '../model/current-bug.ts'
import { selectChoices, selectStatuses } from '../model/field-values.ts'
import type { FieldChange } from '../model/history-fields.ts'
import { DUPLICATE, decideMove, requestsOpen, type StatusState } from '../model/status-move.ts'
import { commentText } from './comment.ts'
import {
  decideDuplicate,
  duplicateLoopGuard,
  type KnownOriginal,
  loadDuplicate,
  recordDuplicateAdded,
  recordDuplicatesRemoved,
} from './duplicate.ts'

/**
 * Status, resolution, confirmation and the duplicate of a bug, which move together: closing also ends the
 * remaining hours, and a bug that is no duplicate any more loses its original.
 */
export const statusCapability: Capability = capability({
  input: { status: clearableText(), resolution: clearableText(), dupe_of: clearableText() },

  load({ person, bugs }, { status, resolution, dupe_of: original }) {
    const isGiven = [status, resolution, original].some((one) => one !== undefined)
    return {
      statuses: isGiven ? selectStatuses() : undefined,
      transitions: isGiven ? db.select().from(statusTransitions) : undefined,
      resolutions: isGiven ? selectChoices('resolution') : undefined,
      ...loadDuplicate(person, bugs, original),
    }
  },

  decideBug(decision, request) {
    const { statuses, resolutions, transitions, ...originals } = request.known
    if (statuses === undefined || resolutions === undefined || transitions === undefined) {
      return {}
    }
    return decideStatus(decision, request, { statuses, resolutions, transitions, ...originals })
  },

  decideAll(decisions, { input, known, recording, now }) {
    const duplicates = decisions.flatMap(({ duplicate }) => duplicate ?? [])
    const lost = decisions.flatMap(({ bug, changes }) =>
      bug.dupeOfId !== null && changes.some(({ field }) => field === 'dupe_of')
        ? [{ bugId: bug.id, originalId: bug.dupeOfId }]
        : [],
    )
    const added = duplicates.map((duplicate) => recordDuplicateAdded(duplicate, recording))
    return {
      unused: listOverruled(input, duplicates, known.statuses ?? []),
      touchedBugs: duplicates.map(({ originalId }) => originalId),
      hiddenValues: decisions
        .filter(({ bug }) => !bug.seesOriginal)
        .map(({ bug }) => ({ bugId: bug.id, field: 'dupe_of' })),
      parts: {
        loopGuards: duplicates.map(duplicateLoopGuard),
        lostDuplicates: recordDuplicatesRemoved(lost, recording.authorId, now),
        originalHistory: added.map(({ history }) => history),
        originalComments: added.map(({ comment }) => comment),
      },
    }
  },
})

/** An open status overrules an original, which overrules another resolution. */
function listOverruled(
  { status, resolution, dupe_of: original }: StatusInput,
  duplicates: readonly NewDuplicate[],
  statuses: KnownWorkflow['statuses'],
): string[] {
  if (isText(original) && requestsOpen({ statuses, status })) {
    return ['dupe_of']
  }
  const isOther = isText(resolution) && fold(resolution.trim()) !== DUPLICATE
  return duplicates.length > 0 && isOther ? ['resolution'] : []
}

function isText(given: string | null | undefined): given is string {
  return (given ?? '').trim() !== ''
}

/** Everything that a decision on a status needs. */
type KnownWorkflow = {
  readonly statuses: RowsOf<ReturnType<typeof selectStatuses>>
  readonly resolutions: RowsOf<ReturnType<typeof selectChoices>>
  readonly transitions: readonly (typeof statusTransitions.$inferSelect)[]
} & KnownOriginal

type StatusInput = {
  readonly status?: string | null | undefined
  readonly resolution?: string | null | undefined
  readonly dupe_of?: string | null | undefined
}

type StatusRequest = ChangeRequest<StatusInput & { readonly comment?: CommentInput | undefined }>

function decideStatus(
  decision: BugDecision,
  { person, input, bugCount }: StatusRequest,
  known: KnownWorkflow,
): Partial<BugDecision> {
  const { bug, standing, placement } = decision
  const { statuses, resolutions, transitions } = known
  const { status, resolution } = input
  const state: StatusState = {
    status: requireId(bug, statuses, bug.statusId),
    resolution: requireId(bug, resolutions, bug.resolutionId),
    isConfirmed: bug.isConfirmed,
  }
  const duplicate = requestsOpen({ statuses, status })
    ? null
    : decideDuplicate(person, input.dupe_of, known, { bug, bugCount })
  // naming the present original again requests nothing
  const isUnchanged = status === undefined && resolution === undefined && duplicate === null
  const next = isUnchanged
    ? state
    : decideMove({
        state,
        status,
        resolution,
        marksDuplicate: duplicate !== null,
        standing,
        hasUnconfirmed: placement.product.hasUnconfirmed,
        hasComment: commentText(input.comment).trim() !== '',
        statuses,
        resolutions,
        transitions,
      })
  const closes = !next.status.isOpen && next.status.id !== state.status.id
  const endsHours = closes || duplicate !== null
  const { changes } = decision
  const kept = endsHours ? changes.filter(({ field }) => field !== 'remaining_time') : changes
  return {
    ...addChanges({ ...decision, changes: kept }, valuesOf(next, duplicate, bug)),
    duplicate,
    ...(endsHours ? { remaining: 'ends' } : {}),
  }
}

function valuesOf(
  next: StatusState,
  duplicate: NewDuplicate | null,
  bug: CurrentBug,
): FieldChange[] {
  const isConfirmed = next.isConfirmed ? 1 : 0
  const isDuplicate = next.resolution.nameFold === DUPLICATE
  const original = isDuplicate ? (duplicate?.originalId ?? bug.dupeOfId) : null
  return [
    { field: 'status', value: next.status.id, added: next.status.name },
    { field: 'resolution', value: next.resolution.id, added: next.resolution.name },
    { field: 'is_confirmed', value: isConfirmed, added: String(isConfirmed) },
    { field: 'dupe_of', value: original, added: original === null ? '' : String(original) },
  ]
}

function requireId<Value extends { id: number }>(
  bug: CurrentBug,
  values: readonly Value[],
  id: number,
): Value {
  const value = values.find((one) => one.id === id)
  if (value === undefined) {
    throw new Error(`Bug ${bug.id} has a status or resolution that does not exist`)
  }
  return value
}
