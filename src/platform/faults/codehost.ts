import { entry } from './entry.ts'

/** Faults of events of a code host. */
export const codehostFaults = {
  codehostDisabled: entry(32000, 'Events of code hosts are not enabled on this site.'),
  codehostEventUnexpected: entry<{ expected: string; given: string }>(
    32000,
    (d) => `This address takes the event ${d.expected}, not ${d.given}.`,
  ),
  codehostSignatureInvalid: entry(
    32000,
    'The signature does not match the body and any key of a bot account.',
  ),
  codehostEventMalformed: entry<{ problems: string }>(
    32000,
    (d) => `The event cannot be used: ${d.problems}.`,
  ),
  codehostBugMissing: entry(32000, 'No commit message names a bug that exists.'),
} as const
