import { eq, isNull, type SQL } from 'drizzle-orm'
import * as z from 'zod'
import type { Statement } from '../../platform/db/commit.ts'
import { fields, fieldValues, statusTransitions } from '../../platform/db/schema/fields.ts'
import { aliasColumns, columnNames, db, jsonRows, sql } from '../../platform/db/sql.ts'
import { fault, invalidParameter, objectProtected } from '../../platform/faults/fault.ts'
import { boolean, requiredText } from '../../platform/http/operations/shapes.ts'
import { fold } from '../../platform/lib/text.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { unknownStatusFault } from './presets/presets.ts'
import { namesOrObjects } from './shapes.ts'

const v = aliasColumns(fieldValues, 'v')
const f = aliasColumns(fields, 'f')

/** The internal name of the field whose values are the statuses. */
export const STATUS_FIELD = 'bug_status'

const UNCONFIRMED_FOLD = 'unconfirmed'

/** Folded names of the resolutions of open bugs, fixes and duplicates. */
const PROTECTED_RESOLUTIONS = ['', 'fixed', 'duplicate']

type DefaultSetting = Extract<keyof Settings, `DEFAULT_${string}`>

/** The settings that name the value of a new bug, by the internal names of the fields. */
export const DEFAULT_VALUE_SETTINGS: Readonly<Record<string, DefaultSetting>> = {
  bug_type: 'DEFAULT_BUG_TYPE',
  priority: 'DEFAULT_PRIORITY',
  bug_severity: 'DEFAULT_SEVERITY',
  rep_platform: 'DEFAULT_PLATFORM',
  op_sys: 'DEFAULT_OP_SYS',
}

const moveShape = z.object({ name: requiredText(), comment_required: boolean() })

/** The input that only values of the status field have. */
export const statusDetails = {
  is_open: boolean(),
  can_change_to: namesOrObjects(moveShape),
  can_be_initial: boolean(),
}

type StatusDetails = {
  readonly is_open?: boolean | undefined
  readonly can_change_to?: readonly z.output<typeof moveShape>[] | undefined
  readonly can_be_initial?: boolean | undefined
}

/** A status; `id` is null for one that is being created. */
export type WorkflowStatus = {
  readonly id: number | null
  readonly name: string
  readonly sortKey: number
  readonly isActive: boolean
  readonly isOpen: boolean | null
}

/** An allowed move from one status to another; `fromId` is null for an initial status of new bugs. */
export type WorkflowTransition = {
  readonly fromId: number | null
  readonly toId: number
  readonly commentRequired: boolean
}

export type MoveTarget = { readonly toId: number; readonly commentRequired: boolean }

/** Selects the statuses that new bugs may have, in order. */
export function selectInitialStatuses() {
  return db
    .select({ name: fieldValues.name })
    .from(statusTransitions)
    .innerJoin(fieldValues, eq(fieldValues.id, statusTransitions.toId))
    .where(isNull(statusTransitions.fromId))
    .orderBy(fieldValues.sortKey, fieldValues.nameFold)
}

/** Selects the status of duplicates: none or one. */
export function selectStatusOfDuplicates() {
  return db
    .select({ name: fieldValues.name })
    .from(fieldValues)
    .where(sql`${fieldValues.id} = ${selectStatusOfDuplicatesId()}`)
}

/** Refuses details of a status for a value of another field. */
export function assertStatusDetailsAllowed(field: string, input: StatusDetails): void {
  const statusParameter = (['is_open', 'can_change_to', 'can_be_initial'] as const).find(
    (name) => input[name] !== undefined,
  )
  if (field !== STATUS_FIELD && statusParameter !== undefined) {
    throw invalidParameter(statusParameter, 'is for values of status only')
  }
}

/** The status of duplicates is the first active closed one. */
export function findStatusOfDuplicates<Status extends WorkflowStatus>(
  statuses: readonly Status[],
): Status | undefined {
  return statuses
    .filter((status) => status.isActive && status.isOpen === false)
    .toSorted((a, b) => a.sortKey - b.sortKey || (fold(a.name) < fold(b.name) ? -1 : 1))[0]
}

/** Decides the moves out of a status: those of the input, or else those of `before`. Staying is no move. */
export function decideMoves(
  status: WorkflowStatus,
  input: StatusDetails['can_change_to'],
  before: readonly MoveTarget[],
  statuses: readonly WorkflowStatus[],
): MoveTarget[] {
  const requested = input?.flatMap(({ name, comment_required: commentRequired = false }) => {
    if (fold(name.trim()) === fold(status.name)) {
      return []
    }
    const target = statuses.find((other) => fold(other.name) === fold(name.trim()))
    if (target === undefined || target.id === null) {
      throw unknownStatusFault(name.trim())
    }
    return target.id === status.id ? [] : [{ toId: target.id, commentRequired }]
  })
  return [...new Map((requested ?? before).map((move) => [move.toId, move])).values()]
}

/** Presents moves as texts for the audit log, in the order of the statuses. */
export function presentMoves(
  moves: readonly MoveTarget[],
  statuses: readonly WorkflowStatus[],
): string[] {
  return statuses.flatMap(({ id, name }) => {
    const move = moves.find(({ toId }) => toId === id)
    return move === undefined ? [] : [move.commentRequired ? `${name} (with a comment)` : name]
  })
}

/** Why a value must keep its name and stay active; null when it may change. */
export function findProtectionReason(
  field: string,
  name: string,
  settings: Settings,
): string | null {
  const folded = fold(name)
  if (field === STATUS_FIELD && folded === UNCONFIRMED_FOLD) {
    return 'it is what unconfirmed bugs have'
  }
  if (field === 'resolution' && PROTECTED_RESOLUTIONS.includes(folded)) {
    return 'every tracker has it'
  }
  const setting = DEFAULT_VALUE_SETTINGS[field]
  return setting !== undefined && fold(settings[setting]) === folded
    ? `new bugs get it by the setting ${setting}`
    : null
}

/**
 * Refuses a change that removes the status of duplicates, or leaves new bugs without an active open status
 * other than the unconfirmed one, because products may do without that one.
 */
export function assertWorkflowUsable(
  changed: WorkflowStatus,
  before: readonly WorkflowStatus[],
  after: readonly WorkflowStatus[],
  initialIds: ReadonlySet<number | null>,
): void {
  const protectedFault = (reason: string) =>
    fault(objectProtected, { kind: 'status', name: changed.name, reason })
  const duplicateStatus = findStatusOfDuplicates(before)
  if (duplicateStatus !== undefined && duplicateStatus.id === changed.id) {
    const remaining = after.find(({ id }) => id === changed.id)
    if (remaining === undefined || !remaining.isActive || remaining.isOpen !== false) {
      throw protectedFault('it is what duplicates get')
    }
  }
  const canStart = after.some(
    ({ id, name, isActive, isOpen }) =>
      initialIds.has(id) && isActive && isOpen === true && fold(name) !== UNCONFIRMED_FOLD,
  )
  if (!canStart) {
    throw protectedFault('new bugs must be able to start in a confirmed open status')
  }
}

/** Writes the moves out of a status and whether new bugs may have it; null keeps either. */
export function moveStatements(
  status: SQL,
  moves: readonly MoveTarget[] | null,
  isInitial: boolean | null,
): Statement[] {
  return [
    ...(moves === null
      ? []
      : [
          sql`DELETE FROM status_transitions WHERE ${statusTransitions.fromId} = ${status}`,
          sql`INSERT INTO status_transitions (${columnNames(statusTransitions.fromId, statusTransitions.toId, statusTransitions.commentRequired)})
            SELECT ${status}, r.value ->> 'toId', r.value ->> 'commentRequired'
            FROM ${jsonRows(moves)}`,
        ]),
    ...(isInitial === null
      ? []
      : [
          sql`DELETE FROM status_transitions WHERE ${statusTransitions.fromId} IS NULL AND ${statusTransitions.toId} = ${status}`,
          sql`INSERT INTO status_transitions (${columnNames(statusTransitions.fromId, statusTransitions.toId)})
            SELECT NULL, ${status} WHERE ${isInitial ? 1 : 0} = 1`,
        ]),
  ]
}

/** Follows the same rule as `findStatusOfDuplicates`. */
function selectStatusOfDuplicatesId(): SQL {
  return sql`(SELECT ${v.id} FROM field_values v
    WHERE ${v.fieldId} = (SELECT ${f.id} FROM fields f WHERE ${f.name} = ${STATUS_FIELD})
      AND ${v.isOpen} = 0 AND ${v.isActive} = 1
    ORDER BY ${v.sortKey}, ${v.nameFold} LIMIT 1)`
}
