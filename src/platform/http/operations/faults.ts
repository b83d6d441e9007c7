import { defineFault } from '../../faults/fault.ts'

export const keyMayNotWrite = defineFault(
  'keyMayNotWrite',
  304,
  "The API key you presented may only read: it lacks the scope 'write'. Its owner makes a key with that scope by POST /rest/api_key.",
)
export const keyMayNotAdminister = defineFault<{ refusal: string }>(
  'keyMayNotAdminister',
  304,
  (d) =>
    `${d.refusal} The API key you presented lacks the scope 'admin': if its owner may do this as an administrator, make a key with that scope by POST /rest/api_key.`,
)
export const keyIsForProducts = defineFault(
  'keyIsForProducts',
  304,
  'The API key you presented is for some products only, and this goes beyond them. Its owner makes a key without `products` by POST /rest/api_key.',
)
export const queryTooLong = defineFault<{ kilobytes: number }>(
  'queryTooLong',
  32000,
  (d) =>
    `The query string of the request was longer than ${d.kilobytes} KB, which is about 1,000 bug IDs. Ask for fewer at a time.`,
)
export const idempotencyKeyTaken = defineFault(
  'idempotencyKeyTaken',
  32000,
  'The Idempotency-Key was sent with another request before; every request needs a key of its own.',
)
export const answerLost = defineFault(
  'answerLost',
  32000,
  'The request with this Idempotency-Key was carried out, but its answer was lost; look up what it made instead of repeating it.',
  409,
)
export const noSuchPath = defineFault<{ method: string; path: string }>(
  'noSuchPath',
  32614,
  (d) => `There is nothing at ${d.method} ${d.path}.`,
)
