import { defineFault } from '../../faults/fault.ts'

export const bodyTooLarge = defineFault<{ limitKb: number }>(
  'bodyTooLarge',
  58,
  (d) => `The request body is larger than ${d.limitKb} KB.`,
)
export const badJson = defineFault<{ reason: string }>(
  'badJson',
  32000,
  (d) => `The request body ${d.reason}.`,
)
export const bodyIncomplete = defineFault(
  'bodyIncomplete',
  32000,
  'The request body broke off, or did not arrive in time.',
)
export const uploadsBusy = defineFault(
  'uploadsBusy',
  32000,
  'Too many uploads are unfinished; try again in a moment.',
  503,
)
