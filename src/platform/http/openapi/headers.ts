import type { Operation } from '../operations/operation.ts'
import { faultsOf } from '../operations/operation-faults.ts'
import type { Json } from './json-schema.ts'

const TEXT = { type: 'string' }

export const HEADER_PARAMETERS: Readonly<Record<string, Json>> = {
  IdempotencyKey: header(
    'Idempotency-Key',
    'A text that is new for every request. The request that repeats it within a day changes nothing and gets the same answer.',
    { type: 'string', minLength: 1, maxLength: 257 },
  ),
  IfMatch: header(
    'If-Match',
    'The `ETag` of the object as it was read. When it has changed since then, the request is refused with 412.',
  ),
  IfNoneMatch: header(
    'If-None-Match',
    'The `ETag` of an earlier answer. When nothing has changed, the answer is 304 without a body.',
  ),
  Bookmark: header(
    'X-D1-Bookmark',
    'The header of this name of an earlier answer; this one sees what that one saw, or a newer state.',
  ),
  CodeHostEvent: {
    ...header(
      'X-CodeHost-Event',
      'The event: `pull_request` or `push`, by address, or `ping`. Also `X-GitHub-Event`.',
    ),
    required: true,
  },
}

export const ANSWER_HEADERS: Readonly<Record<string, Json>> = {
  ETag: answerHeader('A weak tag of the content, for `If-None-Match` and `If-Match`.'),
  RateLimit: answerHeader('How many requests of the kind are left, and for how many seconds.'),
  RateLimitPolicy: answerHeader('How many requests of the kind are allowed in how many seconds.'),
  RetryAfter: answerHeader('After how many seconds to try again.', { type: 'integer' }),
  IdempotentReplayed: answerHeader('`true` on an answer that was given before.'),
  RequestId: answerHeader('Under what ID the log names the request.'),
  Bookmark: answerHeader('The state of the database that the answer saw.'),
  Location: answerHeader('The address at which `GET` reads what was made.'),
  Link: answerHeader('The address of the next page, with `rel="next"`.'),
  Warnings: answerHeader('Which given parameters and names of fields mean nothing here.'),
  TotalCount: answerHeader('How many items there are, with a `+` where there may be more.'),
}

const REFUSALS_TO_REPEAT: readonly number[] = [409, 429, 503]

/** References to the headers that an operation reads. */
export function listHeaderParameters(operation: Operation): Json[] {
  const { method, isSigned } = operation
  const isConditional = faultsOf(operation).some(({ status }) => status === 412)
  return [
    ...(method === 'GET' ? ['IfNoneMatch', 'Bookmark'] : []),
    ...(method === 'POST' ? ['IdempotencyKey'] : []),
    ...(isConditional ? ['IfMatch'] : []),
    ...(isSigned ? ['CodeHostEvent'] : []),
  ].map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

export function describeSuccessHeaders({ method, pages, makes }: Operation): Json {
  return describeHeaders([
    ...(method === 'GET' ? ['ETag'] : []),
    'RateLimit',
    'RateLimitPolicy',
    'Bookmark',
    'Warnings',
    ...(method === 'POST' ? ['IdempotentReplayed'] : []),
    ...(method === 'GET' ? [] : ['RequestId']),
    ...(makes === undefined ? [] : ['Location']),
    ...(pages === 'none' ? [] : ['Link']),
    ...(pages === 'counted' ? ['TotalCount'] : []),
  ])
}

export function describeRefusalHeaders(status: number): Json {
  return describeHeaders([
    'RateLimit',
    'RateLimitPolicy',
    ...(REFUSALS_TO_REPEAT.includes(status) ? ['RetryAfter'] : []),
    ...(status >= 500 ? ['RequestId'] : []),
  ])
}

const WIRE_NAMES: Readonly<Record<string, string>> = {
  RateLimitPolicy: 'RateLimit-Policy',
  RetryAfter: 'Retry-After',
  IdempotentReplayed: 'Idempotent-Replayed',
  RequestId: 'X-Request-Id',
  Bookmark: 'X-D1-Bookmark',
  TotalCount: 'X-Total-Count',
  Warnings: 'X-Tracker-Warnings',
}

/** Under the names that they have on the wire. */
export function describeHeaders(names: readonly string[]): Json {
  return Object.fromEntries(
    names.map((name) => [WIRE_NAMES[name] ?? name, { $ref: `#/components/headers/${name}` }]),
  )
}

function header(name: string, description: string, schema: Json = TEXT): Json {
  return { name, in: 'header', required: false, schema, description }
}

function answerHeader(description: string, schema: Json = TEXT): Json {
  return { description, schema }
}
