import { fault, objectProtected } from '../../../platform/faults/fault.ts'
import { diffFromNothing } from '../../../platform/lib/differences.ts'
import { fold } from '../../../platform/lib/text.ts'
import type { ExistingValue, ValuePlan } from '../value-plan.ts'
import { STATUS_FIELD, type WorkflowTransition } from '../workflow.ts'
import { PRESETS, type Preset, type PresetName, type PresetStatus } from './presets.ts'

/** The workflow of a tracker as it was read. */
export type PresentWorkflow = {
  readonly statuses: readonly ExistingValue[]
  readonly transitions: readonly WorkflowTransition[]
}

type Move = { readonly from: string | null; readonly to: string }

/** What a preset adds to a workflow. */
export type PresetPlan = {
  readonly values: readonly ValuePlan[]
  /** By folded names; `from` is null for a status in which new bugs may start. */
  readonly moves: readonly Move[]
}

/**
 * Plans what a workflow lacks of a preset: statuses, inactive ones too, and moves. Refuses a status that is
 * open in one of them and closed in the other.
 */
export function planPreset(name: PresetName, present: PresentWorkflow): PresetPlan {
  const { statuses, initial, moves }: Preset = PRESETS[name]
  const find = (status: string) =>
    present.statuses.find(({ nameFold }) => nameFold === fold(status))
  const last = Math.max(0, ...present.statuses.map(({ sortKey }) => sortKey))
  const values = statuses.flatMap((status) => planStatus(name, status, find(status.name), last))
  const known = [
    ...present.statuses.map(({ nameFold }) => nameFold),
    ...statuses.map(({ name }) => fold(name)),
  ]
  const wanted: Move[] = [
    ...initial.map((to) => ({ from: null, to: fold(to) })),
    ...Object.entries(moves).flatMap(([from, targets]) =>
      targets.map((to) => ({ from: fold(from), to: fold(to) })),
    ),
  ]
  const isPresent = ({ from, to }: Move) =>
    present.transitions.some(
      ({ fromId, toId }) =>
        toId === find(to)?.id && fromId === (from === null ? null : find(from)?.id),
    )
  return {
    values,
    moves: wanted.filter(
      (move) =>
        known.includes(move.to) &&
        (move.from === null || known.includes(move.from)) &&
        !isPresent(move),
    ),
  }
}

function planStatus(
  preset: string,
  { name, isOpen, sortKey }: PresetStatus,
  before: ExistingValue | undefined,
  lastSortKey: number,
): ValuePlan[] {
  if (before === undefined) {
    const place = isOpen ? sortKey : Math.max(sortKey, lastSortKey + 100)
    return [
      {
        id: null,
        name,
        isOpen,
        description: '',
        revision: 0,
        sortKey: place,
        isActive: true,
        controllers: null,
      },
    ]
  }
  if (before.isOpen !== isOpen) {
    const reason = `it is ${isOpen ? 'closed' : 'open'}, unlike in the workflow preset '${preset}'`
    throw fault(objectProtected, { kind: 'status', name: before.name, reason })
  }
  return before.isActive ? [] : [{ ...before, isActive: true, controllers: null }]
}

/** The changes of each status that a plan adds or changes, as in the answer and the audit log. */
export function describePlan({ values, moves }: PresetPlan, { statuses }: PresentWorkflow) {
  const added = values.filter(({ id }) => id === null)
  const all = [
    ...statuses.map(({ id, name }) => ({ id, name })),
    ...added.map(({ name }) => ({ id: null, name })),
  ]
  return all.flatMap(({ id, name }) => {
    const value = values.find((one) => fold(one.name) === fold(name))
    const state = {
      ...(id === null && value !== undefined
        ? { field: STATUS_FIELD, name, sort_key: value.sortKey, is_open: value.isOpen === true }
        : {}),
      ...(value === undefined ? {} : { is_active: true }),
      ...describeMoves(fold(name), moves, all),
    }
    const changes = diffFromNothing(state)
    if (id !== null && changes.is_active !== undefined) {
      changes.is_active.removed = '0'
    }
    if (id !== null && changes.can_be_initial !== undefined) {
      changes.can_be_initial.removed = '0'
    }
    return Object.keys(changes).length === 0 ? [] : [{ id, name, changes }]
  })
}

function describeMoves(
  name: string,
  moves: readonly Move[],
  statuses: readonly { readonly name: string }[],
) {
  const targets = moves.filter(({ from }) => from === name).map(({ to }) => to)
  const names = statuses.filter((status) => targets.includes(fold(status.name)))
  return {
    ...(names.length === 0 ? {} : { can_change_to: names.map((status) => status.name).join(', ') }),
    ...(moves.some(({ from, to }) => from === null && to === name) ? { can_be_initial: true } : {}),
  }
}
