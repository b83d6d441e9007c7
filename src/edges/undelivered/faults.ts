import { defineFault } from '../../platform/faults/fault.ts'

export const undeliveredUnknown = defineFault<{ id: string }>(
  'undeliveredUnknown',
  51,
  (d) => `Nothing with the ID '${d.id}' waits or was given up.`,
)
