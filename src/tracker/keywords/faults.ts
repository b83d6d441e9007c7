import { defineFault } from '../../platform/faults/fault.ts'

export const keywordUnknown = defineFault<{ name: string }>(
  'keywordUnknown',
  51,
  (d) => `There is no keyword named '${d.name}'.`,
)
