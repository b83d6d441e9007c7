import { type Fault, fault } from '../../../platform/faults/fault.ts'
import { fold } from '../../../platform/lib/text.ts'
import { statusUnknown } from '../faults.ts'

export type PresetStatus = {
  readonly name: string
  readonly isOpen: boolean
  readonly sortKey: number
}

/** Statuses and moves to add to a workflow, which keeps its own. */
export type Preset = {
  readonly statuses: readonly PresetStatus[]
  /** In which new bugs may start. */
  readonly initial: readonly string[]
  /** By the status that they lead from. Those of statuses that a tracker does not have are left out. */
  readonly moves: Readonly<Record<string, readonly string[]>>
}

/**
 * The workflows that can be added by name. The open statuses of `classic` come before CONFIRMED, so that new
 * confirmed bugs start as NEW; closed ones come behind all others, so that duplicates keep their status.
 */
export const PRESETS = {
  classic: {
    statuses: [
      { name: 'NEW', isOpen: true, sortKey: 120 },
      { name: 'ASSIGNED', isOpen: true, sortKey: 140 },
      { name: 'REOPENED', isOpen: true, sortKey: 160 },
      { name: 'CLOSED', isOpen: false, sortKey: 600 },
    ],
    initial: ['NEW', 'ASSIGNED'],
    moves: {
      UNCONFIRMED: ['NEW', 'ASSIGNED', 'CLOSED'],
      NEW: ['UNCONFIRMED', 'ASSIGNED', 'CONFIRMED', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'],
      ASSIGNED: ['NEW', 'CONFIRMED', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'],
      REOPENED: ['NEW', 'ASSIGNED', 'CONFIRMED', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'],
      CONFIRMED: ['NEW', 'ASSIGNED', 'CLOSED'],
      IN_PROGRESS: ['NEW', 'ASSIGNED', 'CLOSED'],
      RESOLVED: ['REOPENED', 'CLOSED'],
      VERIFIED: ['REOPENED', 'CLOSED'],
      CLOSED: ['UNCONFIRMED', 'CONFIRMED', 'REOPENED'],
    },
  },
} as const satisfies Readonly<Record<string, Preset>>

export type PresetName = keyof typeof PRESETS

export function isPresetName(name: string): name is PresetName {
  return Object.hasOwn(PRESETS, name)
}

/** The names of all presets, for a message. */
export function listPresetNames(): string {
  return Object.keys(PRESETS).join(', ')
}

/** Names the preset that has the status. */
export function unknownStatusFault(name: string): Fault {
  const preset = Object.entries(PRESETS).find(([, { statuses }]) =>
    statuses.some((status) => fold(status.name) === fold(name)),
  )?.[0]
  const hint =
    preset === undefined ? '' : ` An administrator can add it with the workflow preset '${preset}'.`
  return fault(statusUnknown, { name, hint })
}
