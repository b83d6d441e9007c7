import { defineFaults } from '../../faults/fault.ts'

export const {
  keyMayNotWrite,
  keyMayNotAdminister,
  keyIsForProducts,
  queryTooLong,
  idempotencyKeyTaken,
  answerLost,
  noSuchPath,
  methodNotAllowed,
  rpcCallInvalid,
} = defineFaults({
  keyMayNotWrite: [
    304,
    "The API key you presented may only read: it lacks the scope 'write'. Its owner makes a key with that scope by POST /rest/api_key.",
  ],
  keyMayNotAdminister: [
    304,
    "{refusal} The API key you presented lacks the scope 'admin': if its owner may do this as an administrator, make a key with that scope by POST /rest/api_key.",
  ],
  keyIsForProducts: [
    304,
    'The API key you presented is for some products only, and this goes beyond them. Its owner makes a key without `products` by POST /rest/api_key.',
  ],
  queryTooLong: [
    32000,
    'The query string of the request was longer than {kilobytes} KB, which is about 1,000 bug IDs. Ask for fewer at a time.',
  ],
  idempotencyKeyTaken: [
    32000,
    'The Idempotency-Key was sent with another request before; every request needs a key of its own.',
  ],
  answerLost: [
    32000,
    'The request with this Idempotency-Key was carried out, but its answer was lost; look up what it made instead of repeating it.',
    409,
  ],
  noSuchPath: [32614, 'There is nothing at {method} {path}.'],
  methodNotAllowed: [32614, 'There is no {method} {path}; this path takes {methods}.', 405],
  rpcCallInvalid: [-32600, 'This is no call: {reason}.'],
})
