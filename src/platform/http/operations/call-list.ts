import type { Context } from 'hono'
import { fault } from '../../faults/fault.ts'
import { Turns } from '../../load/turns.ts'
import type { AppEnv, Parameters } from '../request/app-env.ts'
import { networkOfClient } from '../request/client-address.ts'
import { rpcCallInvalid } from './faults.ts'
import { noteUnused } from './unused.ts'

/** Each call may take the time and the round trips of a request. */
const MAX_CALLS = 20

/** Bytes of all results, which stay in memory until the last call has ended. */
const MAX_BYTES = 4 * 1024 * 1024

/** Many lists at once cost others no more than one, in rounds with a call of each network. */
const turns = new Turns<string | null>(0)

/**
 * Answers a call, which it has to run within what limits all results together; to a notification, without a body.
 */
type AnswerCall = (
  call: Parameters,
  place: number,
  runWithin: (run: () => Promise<unknown>) => Promise<unknown>,
) => Promise<Response>

/**
 * Runs the calls of a list one after another and answers with the list of their results, or with a status and no body
 * where all are notifications.
 */
export async function runCalls(
  c: Context<AppEnv>,
  calls: readonly unknown[],
  statusWithoutAnswers: 202 | 204,
  answerCall: AnswerCall,
): Promise<Response> {
  if (calls.length === 0 || calls.length > MAX_CALLS) {
    throw fault(rpcCallInvalid, { reason: `a list has 1 to ${MAX_CALLS} calls` })
  }
  const answers: string[] = []
  const headers = new Headers({ 'content-type': 'application/json' })
  let left = MAX_BYTES
  for (const [place, call] of calls.entries()) {
    const answer = await turns.run(networkOfClient(c), () =>
      runApart(c, () => answerCall(toObject(call), place, (run) => runWithin(left, run))),
    )
    const text = await answer.text()
    left -= text.length
    if (text !== '') {
      answers.push(text)
    }
    const retryAfter = answer.headers.get('retry-after')
    if (retryAfter !== null) {
      headers.set('retry-after', retryAfter)
    }
  }
  return answers.length === 0
    ? new Response(null, { status: statusWithoutAnswers })
    : new Response(`[${answers.join(',')}]`, { headers })
}

/** Runs a call that neither takes over nor loses what the calls before it left on the request. */
async function runApart(c: Context<AppEnv>, run: () => Promise<Response>): Promise<Response> {
  const [deferredWork, unused] = [c.get('deferredWork'), c.get('unused')]
  c.set('deferredWork', [])
  c.set('quota', undefined)
  c.set('unused', undefined)
  const answer = await run()
  c.set('deferredWork', [...deferredWork, ...c.get('deferredWork')])
  const own = c.get('unused')
  c.set('unused', unused)
  for (const [list, names] of own ?? []) {
    noteUnused(c, names, list)
  }
  return answer
}

/** An item that is no call becomes a call without a method, which is refused in its place. */
function toObject(call: unknown): Parameters {
  return typeof call === 'object' && call !== null && !Array.isArray(call)
    ? (call as Parameters)
    : { jsonrpc: '2.0', id: null }
}

/** The result of a call with at most so many bytes where it is streamed; other results are short. */
async function runWithin(bytes: number, run: () => Promise<unknown>): Promise<unknown> {
  if (bytes <= 0) {
    throw tooLong()
  }
  const result = await run()
  if (!(result instanceof Response) || result.body === null) {
    return result
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of result.body) {
    size += chunk.length
    if (size > bytes) {
      throw tooLong()
    }
    chunks.push(chunk)
  }
  return new Response(new Blob(chunks))
}

function tooLong() {
  return fault(rpcCallInvalid, { reason: 'the results of a list of calls are too long' })
}
