import { entry } from './entry.ts'

/** The faults of requests as such, whatever they ask for. */
export const protocolFaults = {
  queryTooLong: entry<{ kilobytes: number }>(
    32000,
    (d) =>
      `The query string of the request was longer than ${d.kilobytes} KB, which is about 1,000 bug IDs. Ask for fewer at a time.`,
  ),
  badJson: entry<{ reason: string }>(32000, (d) => `The request body ${d.reason}.`),
  bodyIncomplete: entry(32000, 'The request body broke off, or did not arrive in time.'),
  uploadsBusy: entry(32000, 'Too many uploads are unfinished; try again in a moment.', 503),
  passwordsThrottled: entry(
    32000,
    'Too many passwords of your address are being verified; try again in a minute.',
    429,
  ),
  passwordsBusy: entry(32000, 'Too many passwords are being verified; try again in a moment.', 503),
  throttled: entry(32000, 'Too many requests; wait a minute.', 429),
  idempotencyKeyTaken: entry(
    32000,
    'The Idempotency-Key was sent with another request before; every request needs a key of its own.',
  ),
  requestUnfinished: entry(
    32000,
    'The request with this Idempotency-Key is still being served; ask again in a moment.',
    409,
  ),
  answerLost: entry(
    32000,
    'The request with this Idempotency-Key was carried out, but its answer was lost; look up what it made instead of repeating it.',
    409,
  ),
  busy: entry(32000, 'Others kept changing this at the same time; try later.', 503),
  storageUnavailable: entry(
    32000,
    'The storage cannot be read or written at present; try later.',
    503,
  ),
  badCallback: entry(32611, 'A callback may hold letters, digits, dots, brackets and underscores.'),
  noSuchPath: entry<{ method: string; path: string }>(
    32614,
    (d) => `There is nothing at ${d.method} ${d.path}.`,
  ),
  unforeseen: entry<{ requestId: string }>(
    -32000,
    (d) => `Something went wrong here. Please report the request ${d.requestId}.`,
  ),
} as const
