import { createHash } from 'node:crypto'
import type * as z from 'zod'
import { requireEnabledPerson } from '../../platform/access/account.ts'
import type { Person } from '../../platform/access/caller.ts'
import { throttled } from '../../platform/access/faults.ts'
import { recordLastUse } from '../../platform/access/last-use.ts'
import type { Ctx } from '../../platform/context.ts'
import { type Fault, fault } from '../../platform/faults/fault.ts'
import { discardBody } from '../../platform/http/request/body-chunks.ts'
import { networkOf } from '../../platform/http/request/client-address.ts'
import { type EventBody, readEventBody } from '../../platform/http/request/event-body.ts'
import { parseJsonBody } from '../../platform/http/request/json-body.ts'
import { toNetwork } from '../../platform/lib/address.ts'
import { type BotKey, loadBotKeys } from './bot-keys.ts'
import {
  codehostDisabled,
  codehostEventMalformed,
  codehostEventUnexpected,
  codehostSignatureInvalid,
} from './faults.ts'
import { findSigningKey, parseSignature } from './signature.ts'

/** The event that an address takes beside `ping`. */
type EventName = 'pull_request' | 'push'

/** An event whose sender is known. */
export type ReceivedEvent<Event> = {
  /** The account whose key signed it, and the author of its effects. */
  readonly bot: Person
  readonly name: EventName
  /** What a repeated delivery has in common with the first one; null when nothing tells. */
  readonly identity: string | null
  readonly query: URLSearchParams
  readonly event: Event
}

const EVENT_HEADERS = ['x-codehost-event', 'x-github-event']
const DELIVERY_HEADERS = ['x-codehost-delivery', 'x-github-delivery']
const MAX_DELIVERY_ID_LENGTH = 200

/** Problems of a malformed event that its fault names. */
const MAX_PROBLEMS = 10

/** Bytes to hash that count as one guess of a key. */
const BYTES_PER_GUESS = 64 * 1024 * 1024

/**
 * Receives an event: 'ping', or the event in the form of `shape`. Faults in this order, all of them 32000: where
 * events are disabled, for another event, for a signature that no key of a bot matches, and for an event of another
 * form; 58 for a body over 25 MB; 429 for an address with too many wrong signatures.
 */
export async function receiveEvent<Shape extends z.ZodType>(
  ctx: Ctx,
  name: EventName,
  shape: Shape,
): Promise<ReceivedEvent<z.output<Shape>> | 'ping'> {
  const request = requireRequest(ctx)
  const { headers } = request
  const given = firstHeader(headers, EVENT_HEADERS)
  const digest = parseSignature(headers)
  const refusal = refuseHeaders(ctx, name, given, digest !== null)
  if (refusal !== null || digest === null) {
    await discardBody(request)
    throw refusal ?? fault(codehostSignatureInvalid)
  }
  const body = await readEventBody(request, networkOf(ctx.ip))
  try {
    const key = await requireSigningKey(ctx, headers, body, digest)
    recordLastUse(ctx, { kind: 'key', hash: key.hash }, key)
    if (given === 'ping') {
      return 'ping'
    }
    return {
      bot: requireEnabledPerson(key),
      name,
      identity: name === 'push' ? hashContent(body) : readDeliveryId(headers),
      query: new URL(request.url).searchParams,
      event: requireShape(shape, parseEvent(decodePieces(body))),
    }
  } finally {
    body.release()
  }
}

/** The signature does not cover the ID of a delivery, which anybody could change to have a push applied twice. */
function hashContent({ pieces }: EventBody): string {
  const hash = createHash('sha256')
  for (const piece of pieces) {
    hash.update(piece)
  }
  return hash.digest('base64url')
}

function readDeliveryId(headers: Headers): string | null {
  const id = firstHeader(headers, DELIVERY_HEADERS)
  return (id?.length ?? 0) > MAX_DELIVERY_ID_LENGTH ? null : id
}

function requireRequest({ rawRequest }: Ctx): Request {
  if (!rawRequest) {
    throw new Error('The operation of an event is not declared as signed')
  }
  return rawRequest
}

function firstHeader(headers: Headers, names: readonly string[]): string | null {
  const name = names.find((one) => headers.has(one)) ?? '-'
  return headers.get(name)?.trim() || null
}

/** Refusals that do not depend on the body. The event is checked before the signature. */
function refuseHeaders(
  { settings }: Ctx,
  name: EventName,
  given: string | null,
  hasSignature: boolean,
): Fault | null {
  if (!settings.CODEHOST_EVENTS) {
    return fault(codehostDisabled)
  }
  if (given !== name && given !== 'ping') {
    return fault(codehostEventUnexpected, { expected: name, given: given ?? 'none' })
  }
  return hasSignature ? null : fault(codehostSignatureInvalid)
}

async function requireSigningKey(
  ctx: Ctx,
  headers: Headers,
  { pieces, size }: EventBody,
  digest: Buffer,
): Promise<BotKey> {
  const keys = await loadBotKeys(ctx)
  const event = {
    headers,
    pieces,
    secret: ctx.env.SECRETS_KEY,
    beforeSearch: () => countGuesses(ctx, 1 + Math.floor((size * keys.length) / BYTES_PER_GUESS)),
  }
  const key = await findSigningKey(event, digest, keys)
  if (key === undefined) {
    throw fault(codehostSignatureInvalid)
  }
  return key
}

/**
 * A search among many keys with a long body takes long, and anybody may cause it. It counts as guesses of the
 * address, in proportion to the work, before it begins.
 */
async function countGuesses({ env, settings, ip }: Ctx, count: number): Promise<void> {
  for (let guess = 0; settings.THROTTLE_GUESSES && guess < count; guess += 1) {
    if (!(await env.GUESSES.limit({ key: toNetwork(ip) })).success) {
      throw fault(throttled)
    }
  }
}

/** Decodes the bytes, and frees each piece, because the text takes as much memory again. */
function decodePieces({ pieces }: EventBody): string {
  const decoder = new TextDecoder()
  const texts = pieces.map((piece) => {
    const text = decoder.decode(piece, { stream: true })
    piece.buffer.transfer(0)
    return text
  })
  return texts.join('') + decoder.decode()
}

/** A webhook of GitHub sends forms unless somebody chooses otherwise, and its ping is answered all the same. */
function parseEvent(text: string): unknown {
  if (text.startsWith('payload=')) {
    const problems = 'the body is a form; choose the content type application/json for the webhook'
    throw fault(codehostEventMalformed, { problems })
  }
  return parseJsonBody(text)
}

function requireShape<Shape extends z.ZodType>(shape: Shape, body: unknown): z.output<Shape> {
  const parsed = shape.safeParse(body)
  if (parsed.success) {
    return parsed.data
  }
  const problems = parsed.error.issues
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) => `${path.join('.') || 'the body'} ${message}`)
  throw fault(codehostEventMalformed, { problems: problems.join('; ') })
}
