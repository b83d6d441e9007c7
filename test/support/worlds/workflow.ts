import type { LoadedValue, Status } from '../../../src/tracker/bugs/model/field-values.ts'
import type { Transition } from '../../../src/tracker/bugs/model/status-move.ts'

/** The workflow that every installation starts with, and an inactive resolution. */
const OPEN = ['UNCONFIRMED', 'CONFIRMED', 'IN_PROGRESS']

export const STATUSES: Status[] = [...OPEN, 'RESOLVED', 'VERIFIED'].map((name, i) => ({
  id: i + 1,
  name,
  nameFold: name.toLowerCase(),
  sortKey: 100 * (i + 1),
  isOpen: OPEN.includes(name),
  isActive: true,
  isInitial: name !== 'VERIFIED',
  needsDescription: false,
}))

export const RESOLUTIONS: LoadedValue[] = ['', 'FIXED', 'INVALID', 'DUPLICATE', 'EXPIRED'].map(
  (name, i) => ({
    id: i + 10,
    field: 'resolution',
    name,
    nameFold: name.toLowerCase(),
    isActive: name !== 'EXPIRED',
  }),
)

export const WORKFLOW: Record<string, string[]> = {
  UNCONFIRMED: ['CONFIRMED', 'IN_PROGRESS', 'RESOLVED'],
  CONFIRMED: ['UNCONFIRMED', 'IN_PROGRESS', 'RESOLVED'],
  IN_PROGRESS: ['CONFIRMED', 'RESOLVED'],
  RESOLVED: ['UNCONFIRMED', 'CONFIRMED', 'VERIFIED'],
  VERIFIED: ['UNCONFIRMED', 'CONFIRMED', 'RESOLVED'],
}

export const EDGES: Transition[] = Object.entries(WORKFLOW).flatMap(([from, targets]) =>
  targets.map((to) => ({
    fromId: findStatus(from).id,
    toId: findStatus(to).id,
    commentRequired: false,
  })),
)

export function findStatus(name: string): Status {
  return STATUSES.find((one) => one.name === name) as Status
}

export function findResolution(name: string): LoadedValue {
  return RESOLUTIONS.find((one) => one.name === name) as LoadedValue
}
