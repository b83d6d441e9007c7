import { defineFault } from '../../platform/faults/fault.ts'
import { uploadsBusy } from '../../platform/http/request/faults.ts'

export const codehostDisabled = defineFault(
  'codehostDisabled',
  32000,
  'Events of code hosts are not enabled on this site.',
)
export const codehostEventUnexpected = defineFault<{ expected: string; given: string }>(
  'codehostEventUnexpected',
  32000,
  (d) => `This address takes the event ${d.expected}, not ${d.given}.`,
)
export const codehostSignatureInvalid = defineFault(
  'codehostSignatureInvalid',
  32000,
  'The signature does not match the body and any key of a bot account.',
)
export const codehostEventMalformed = defineFault<{ problems: string }>(
  'codehostEventMalformed',
  32000,
  (d) => `The event cannot be used: ${d.problems}.`,
)
export const codehostBugMissing = defineFault(
  'codehostBugMissing',
  32000,
  'No commit message names a bug that exists.',
)

export const EVENT_FAULTS = [
  codehostDisabled,
  codehostEventUnexpected,
  codehostSignatureInvalid,
  codehostEventMalformed,
  uploadsBusy,
] as const
