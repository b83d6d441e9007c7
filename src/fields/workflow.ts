import { eq, isNull, type SQL } from 'drizzle-orm'
import * as z from 'zod'
import { db } from '../db/client.ts'
import type { Statement } from '../db/commit.ts'
import { fieldValues, statusTransitions } from '../db/schema/fields.ts'
import { jsonRows, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { boolean, requiredText } from '../http/shapes.ts'
import { fold } from '../lib/text.ts'
import type { Settings } from '../settings.ts'
import { namesOrObjects } from './shapes.ts'

/** The internal name of the field whose values are the statuses. */
export const STATUS_FIELD = 'bug_status'

const UNCONFIRMED = 'unconfirmed'

/** Resolutions that open bugs, fixes and duplicates have, by their folded names. */
const FIXED_RESOLUTIONS = ['', 'fixed', 'duplicate']

/** The settings that name the value of a new bug, by the internal names of the fields. */
const DEFAULTS = {
  bug_type: 'DEFAULT_BUG_TYPE',
  priority: 'DEFAULT_PRIORITY',
  bug_severity: 'DEFAULT_SEVERITY',
  rep_platform: 'DEFAULT_PLATFORM',
  op_sys: 'DEFAULT_OP_SYS',
} as const satisfies Record<string, keyof Settings>

const target = z.object({ name: requiredText(), comment_required: boolean() })

/** What can be said of statuses alone: where they lead, and whether bugs are open there. */
export const statusDetails = {
  is_open: boolean(),
  can_change_to: namesOrObjects(target),
  can_be_initial: boolean(),
}

export type StatusDetails = {
  readonly is_open?: boolean | undefined
  readonly can_change_to?: readonly z.output<typeof target>[] | undefined
  readonly can_be_initial?: boolean | undefined
}

/** A status as the workflow knows it; `id` is null for one that is being made. */
export type Step = {
  readonly id: number | null
  readonly name: string
  readonly sortKey: number
  readonly isActive: boolean
  readonly isOpen: boolean | null
}

/** A move that is allowed; no origin means that new bugs may start there. */
export type Edge = {
  readonly fromId: number | null
  readonly toId: number
  readonly commentRequired: boolean
}

export type Move = { readonly toId: number; readonly commentRequired: boolean }

/** Reads the statuses that new bugs may start in, in their order. */
export function startingStatuses() {
  return db
    .select({ name: fieldValues.name })
    .from(statusTransitions)
    .innerJoin(fieldValues, eq(fieldValues.id, statusTransitions.toId))
    .where(isNull(statusTransitions.fromId))
    .orderBy(fieldValues.sortKey, fieldValues.nameFold)
}

/** Reads the status that duplicates get: none or one. */
export function readStatusOfDuplicates() {
  return db
    .select({ name: fieldValues.name })
    .from(fieldValues)
    .where(sql`field_values.id = ${idOfDuplicates()}`)
}

/** Fault 53 when something is said of a value that only statuses have. */
export function refuseStatusDetails(field: string, given: StatusDetails): void {
  const said = (['is_open', 'can_change_to', 'can_be_initial'] as const).find(
    (name) => given[name] !== undefined,
  )
  if (field !== STATUS_FIELD && said !== undefined) {
    throw fault('parameterInvalid', { field: said, reason: 'is for values of status only' })
  }
}

/** The status that duplicates get: the first closed one that is in use. */
export function statusOfDuplicates<Status extends Step>(
  statuses: readonly Status[],
): Status | undefined {
  return statuses
    .filter((status) => status.isActive && status.isOpen === false)
    .toSorted((a, b) => a.sortKey - b.sortKey || (fold(a.name) < fold(b.name) ? -1 : 1))[0]
}

/**
 * The moves out of the status `own`, given those that it has. A duplicate may be marked from everywhere, so
 * the status of duplicates is always among them; to stay is no move. Fault 51 for an unknown status.
 */
export function movesFrom(
  own: Step,
  given: StatusDetails['can_change_to'],
  before: readonly Move[],
  statuses: readonly Step[],
): Move[] {
  const wanted = given?.flatMap(({ name, comment_required: commentRequired = false }) => {
    if (fold(name.trim()) === fold(own.name)) {
      return []
    }
    const found = statuses.find((status) => fold(status.name) === fold(name.trim()))
    if (found === undefined || found.id === null) {
      throw fault('statusUnknown', { name: name.trim() })
    }
    return found.id === own.id ? [] : [{ toId: found.id, commentRequired }]
  })
  const moves = new Map((wanted ?? before).map((move) => [move.toId, move]))
  const duplicates = statusOfDuplicates(statuses)?.id ?? null
  if (duplicates !== null && duplicates !== own.id && !moves.has(duplicates)) {
    moves.set(duplicates, { toId: duplicates, commentRequired: false })
  }
  return [...moves.values()]
}

/** Moves for people to read, in the order of the statuses. */
export function toldMoves(moves: readonly Move[], statuses: readonly Step[]): string[] {
  return statuses.flatMap(({ id, name }) => {
    const move = moves.find(({ toId }) => toId === id)
    return move === undefined ? [] : [move.commentRequired ? `${name} (with a comment)` : name]
  })
}

/** Why a value may lose neither its name nor its use; null when nothing depends on them. */
export function neededFor(field: string, name: string, settings: Settings): string | null {
  const folded = fold(name)
  if (field === STATUS_FIELD && folded === UNCONFIRMED) {
    return 'it is what unconfirmed bugs have'
  }
  if (field === 'resolution' && FIXED_RESOLUTIONS.includes(folded)) {
    return 'every tracker has it'
  }
  const setting = Object.entries(DEFAULTS).find(([named]) => named === field)?.[1]
  return setting !== undefined && fold(settings[setting]) === folded
    ? `new bugs get it by the setting ${setting}`
    : null
}

/**
 * Refuses a workflow in which the status of duplicates is gone, or in which bugs could start nowhere:
 * there must be an open status for that besides the unconfirmed one, which products may do without. Faults
 * 32000.
 */
export function refuseBrokenWorkflow(
  changed: Step,
  before: readonly Step[],
  after: readonly Step[],
  initial: ReadonlySet<number | null>,
): void {
  const refuse = (reason: string) =>
    fault('objectProtected', { kind: 'status', name: changed.name, reason })
  const duplicates = statusOfDuplicates(before)
  if (duplicates !== undefined && duplicates.id === changed.id) {
    const kept = after.find(({ id }) => id === changed.id)
    if (kept === undefined || !kept.isActive || kept.isOpen !== false) {
      throw refuse('it is what duplicates get')
    }
  }
  const canStart = after.some(
    ({ id, name, isActive, isOpen }) =>
      initial.has(id) && isActive && isOpen === true && fold(name) !== UNCONFIRMED,
  )
  if (!canStart) {
    throw refuse('new bugs must be able to start in a confirmed open status')
  }
}

/** Writes what leads out of a status and whether bugs start there; null leaves either as it is. */
export function writeMoves(
  status: SQL,
  moves: readonly Move[] | null,
  isInitial: boolean | null,
): Statement[] {
  return [
    ...(moves === null
      ? []
      : [
          sql`DELETE FROM status_transitions WHERE from_id = ${status}`,
          sql`INSERT INTO status_transitions (from_id, to_id, comment_required)
            SELECT ${status}, r.value ->> 'toId', r.value ->> 'commentRequired'
            FROM ${jsonRows(moves)}`,
        ]),
    ...(isInitial === null
      ? []
      : [
          sql`DELETE FROM status_transitions WHERE from_id IS NULL AND to_id = ${status}`,
          sql`INSERT INTO status_transitions (from_id, to_id)
            SELECT NULL, ${status} WHERE ${isInitial ? 1 : 0} = 1`,
        ]),
    leadToDuplicates(),
  ]
}

/** Whatever changed, the status of duplicates is reached from every other one. */
export function leadToDuplicates(): Statement {
  return sql`INSERT OR IGNORE INTO status_transitions (from_id, to_id)
    SELECT s.id, d.id FROM field_values s JOIN field_values d ON d.id = ${idOfDuplicates()}
    WHERE s.field_id = d.field_id AND s.id <> d.id`
}

/** The same choice as `statusOfDuplicates` makes. */
function idOfDuplicates(): SQL {
  return sql`(SELECT v.id FROM field_values v
    WHERE v.field_id = (SELECT f.id FROM fields f WHERE f.name = ${STATUS_FIELD})
      AND v.is_open = 0 AND v.is_active = 1
    ORDER BY v.sort_key, v.name_fold LIMIT 1)`
}
