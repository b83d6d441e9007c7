import { defineFault } from '../../platform/faults/fault.ts'

export const notInvolved = defineFault<{ bug: number }>(
  'notInvolved',
  1300,
  (d) => `You are not involved with bug ${d.bug}.`,
)
