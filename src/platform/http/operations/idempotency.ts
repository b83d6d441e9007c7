import type { Context } from 'hono'
import type { KeyScope } from '../../access/caller.ts'
import type { Ctx } from '../../context.ts'
import { commit } from '../../db/commit.ts'
import {
  RepeatedRequest,
  selectIdempotencyRecord,
  storeAnswerStatement,
  withIdempotencyRecord,
} from '../../db/idempotency.ts'
import { readBatch } from '../../db/read-batch.ts'
import type { IdempotencyRecord, SessionHolder } from '../../db/session.ts'
import { Fault, fault, invalidParameter } from '../../faults/fault.ts'
import { deriveKey } from '../../lib/crypto/derived-key.ts'
import { fingerprint } from '../../lib/crypto/fingerprint.ts'
import { hashBlocks } from '../../lib/crypto/hash-blocks.ts'
import { seal, unseal } from '../../lib/crypto/secrets.ts'
import { errorFacts, log } from '../../lib/log.ts'
import type { Upload } from '../../lib/streaming-json-member.ts'
import type { AppEnv, Parameters } from '../request/app-env.ts'
import { requestUnfinished } from '../response/faults.ts'
import { jsonAnswer } from '../response/json-answer.ts'
import { answerLost, idempotencyKeyTaken } from './faults.ts'
import type { Operation } from './operation.ts'

/** A request under a key, as the client sent it. */
type KeyedRequest = {
  /** Method and path pattern. */
  readonly operation: string
  readonly status: number
  readonly key: string
  /** Everything that the client asked for. */
  readonly content: string
}

/** Longer than any request: after this, no answer will come. */
const MAX_UNFINISHED_SECONDS = 60

/** Milliseconds between looks for the answer of the same request, which is still being served. */
const PAUSES = [50, 100, 200, 400]

/** The header of an answer that is given again. */
export const REPLAYED = ['idempotent-replayed', 'true'] as const

export function isReplay(answer: unknown): answer is Response {
  return answer instanceof Response && answer.headers.has(REPLAYED[0])
}

export function describeRequest(
  c: Context<AppEnv>,
  { method, path, status }: Operation,
  header: string,
  place?: number,
): KeyedRequest {
  return {
    operation: `${method} ${path}`,
    status,
    key: place === undefined ? parseKey(header) : `${parseKey(header)} ${place}`,
    content: describeContent([c.req.param(), c.get('parameters')], c.get('upload')),
  }
}

/**
 * What a form of a page asks for. The same form may be filled anew, by whoever goes back to it, so another content is
 * another request.
 */
export function describeForm(
  { env }: Pick<Ctx, 'env'>,
  { method, path, status }: Operation,
  form: { id: string; parameters: Parameters; upload: Upload | null },
): KeyedRequest {
  const content = describeContent([form.parameters], form.upload)
  const digest = fingerprint(content, deriveKey(env.SECRETS_KEY, 'idempotency'))
  return { operation: `${method} ${path}`, status, key: `${form.id} ${digest}`, content }
}

function describeContent(parameters: readonly unknown[], upload: Upload | null | undefined) {
  const bytes = upload == null ? null : hashBlocks(upload.blocks)
  return JSON.stringify([...parameters, bytes], sortMembers)
}

/**
 * Runs the verb unless the caller has sent the same request under the same key within a day, whose answer is then
 * given again. The record of the key is written in the commit of the verb, so that no crash can separate them.
 * Anonymous callers have no keys.
 */
export async function runOnce(
  ctx: Ctx,
  { operation, status, key, content }: KeyedRequest,
  verb: (ctx: Ctx) => Promise<unknown>,
): Promise<unknown> {
  const { caller, env, now } = ctx
  if (caller.kind !== 'person') {
    const answer = await verb(ctx)
    ctx.noteUnused(['Idempotency-Key'])
    return answer
  }
  const record: IdempotencyRecord = {
    userId: caller.id,
    operation,
    key,
    fingerprint: fingerprint(
      caller.scope === undefined ? content : `${describeScope(caller.scope)} ${content}`,
      deriveKey(env.SECRETS_KEY, 'idempotency'),
    ),
    now,
    isWritten: false,
    hasAnswer: false,
  }
  const earlier = await findAnswer(ctx, record)
  if (earlier !== null) {
    return replay(earlier, status)
  }
  try {
    const answer = await verb({ ...ctx, session: withIdempotencyRecord(ctx.session, record) })
    await storeAnswer(ctx, record, answer)
    return answer
  } catch (error) {
    const isRepeat = error instanceof RepeatedRequest
    // what the same request has changed meanwhile may be why this one is refused
    const meanwhile =
      isRepeat || (error instanceof Fault && !record.isWritten)
        ? await findAnswer({ session: ctx.session.onPrimary(), env }, record)
        : null
    if (meanwhile === null) {
      throw isRepeat ? fault(requestUnfinished) : error
    }
    return replay(meanwhile, status)
  }
}

/**
 * An answer is for keys of the same scope alone, because another may see less. A rotated key has the same.
 */
function describeScope({ canWrite, canAdminister, productIds }: KeyScope): string {
  return JSON.stringify([canWrite, canAdminister, productIds])
}

/** A key may stand in quotes. */
function parseKey(header: string): string {
  const key = /^"(.*)"$/.exec(header.trim())?.[1] ?? header.trim()
  if (!/^[ -~]{1,255}$/.test(key)) {
    throw invalidParameter('Idempotency-Key', 'must have 1 to 255 printable ASCII characters')
  }
  return key
}

/** For `JSON.stringify`: the order of members does not count. */
function sortMembers(_: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
}

/** The JSON of the earlier answer, for which it waits a moment; null when the key is new. */
async function findAnswer(
  { session, env }: SessionHolder & Pick<Ctx, 'env'>,
  record: IdempotencyRecord,
): Promise<string | null> {
  for (const pause of [...PAUSES, 0]) {
    const { rows } = await readBatch({ session }, { rows: selectIdempotencyRecord(record) })
    const [row] = rows
    if (row === undefined) {
      return null
    }
    if (row.fingerprint !== record.fingerprint) {
      throw fault(idempotencyKeyTaken)
    }
    const answer = await openAnswer(row.answer, env.SECRETS_KEY)
    if (answer !== null) {
      return answer
    }
    if (row.answer !== null || row.createdAt < record.now - MAX_UNFINISHED_SECONDS) {
      throw fault(answerLost)
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
  throw fault(requestUnfinished)
}

/** Null for no answer, and for one that was sealed under another secret. */
async function openAnswer(stored: string | null, secret: string): Promise<string | null> {
  return stored?.startsWith('v1.') ? unseal(stored, secret) : stored
}

/** The change is made already, so that a failure here must not become that of the request. */
async function storeAnswer(ctx: Ctx, record: IdempotencyRecord, answer: unknown): Promise<void> {
  if (!record.isWritten || record.hasAnswer || answer instanceof Response) {
    return
  }
  try {
    // an answer may hold a new API key
    const sealed = await seal(JSON.stringify(answer), ctx.env.SECRETS_KEY)
    await commit(ctx, { answer: storeAnswerStatement(record, sealed) })
  } catch (error) {
    log('warn', 'answer not stored', errorFacts(error))
  }
}

function replay(text: string, status: number): Response {
  const response = jsonAnswer(text, status)
  response.headers.set(...REPLAYED)
  return response
}
