import { defineFault } from '../../faults/fault.ts'

export const storageUnavailable = defineFault(
  'storageUnavailable',
  32000,
  'The storage cannot be read or written at present; try later.',
  503,
)
export const badCallback = defineFault(
  'badCallback',
  32611,
  'A callback may hold letters, digits, dots, brackets and underscores.',
)
export const unforeseen = defineFault<{ requestId: string }>(
  'unforeseen',
  -32000,
  (d) => `Something went wrong here. Please report the request ${d.requestId}.`,
)
export const requestUnfinished = defineFault(
  'requestUnfinished',
  32000,
  'The request with this Idempotency-Key is still being served; ask again in a moment.',
  409,
)
