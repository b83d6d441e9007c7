import { defineFaults } from '../../platform/faults/fault.ts'

export const {
  codehostDisabled,
  codehostEventUnexpected,
  codehostSignatureInvalid,
  codehostEventMalformed,
} = defineFaults({
  codehostDisabled: [32000, 'Events of code hosts are not enabled on this site.'],
  codehostEventUnexpected: [32000, 'This address takes the event {expected}, not {given}.'],
  codehostSignatureInvalid: [
    32000,
    'The signature does not match the body and any key of a bot account.',
  ],
  codehostEventMalformed: [32000, 'The event cannot be used: {problems}.'],
})

export const EVENT_FAULTS = [
  codehostDisabled,
  codehostEventUnexpected,
  codehostSignatureInvalid,
  codehostEventMalformed,
] as const
