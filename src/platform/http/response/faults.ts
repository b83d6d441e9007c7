import { defineFaults } from '../../faults/fault.ts'

export const { storageUnavailable, serviceBusy, badCallback, unforeseen, requestUnfinished } =
  defineFaults({
    storageUnavailable: [
      32000,
      'The storage cannot be read or written at present; try later.',
      503,
    ],
    serviceBusy: [32000, 'Too many requests are being served; try again in a moment.', 503],
    badCallback: [32611, 'A callback may hold letters, digits, dots, brackets and underscores.'],
    unforeseen: [-32000, 'Something went wrong here. Please report the request {requestId}.'],
    requestUnfinished: [
      32000,
      'The request with this Idempotency-Key is still being served; ask again in a moment.',
      409,
    ],
  })
