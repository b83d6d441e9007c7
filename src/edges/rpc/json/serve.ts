import type { Context } from 'hono'
import { fault } from '../../../platform/faults/fault.ts'
import { admit } from '../../../platform/http/operations/admission.ts'
import { runCalls } from '../../../platform/http/operations/call-list.ts'
import { rpcCallInvalid } from '../../../platform/http/operations/faults.ts'
import { isSenderOfCallKnown } from '../../../platform/http/operations/identify-sender.ts'
import type {
  OperationName,
  OperationsByName,
} from '../../../platform/http/operations/operations-by-name.ts'
import type { AppEnv } from '../../../platform/http/request/app-env.ts'
import { networkOfClient } from '../../../platform/http/request/client-address.ts'
import { parseInTurn } from '../../../platform/http/request/parse-turns.ts'
import { readUploadBody } from '../../../platform/http/request/upload-body.ts'
import { setRetryAfter, toFault } from '../../../platform/http/response/on-fault.ts'
import { readSettings, type Settings } from '../../../platform/settings/settings.ts'
import { type RpcCall, runCall } from '../call.ts'
import { chooseTarget, requireMethod } from '../methods.ts'
import { answerJson, answerJsonFault } from './answer.ts'
import {
  formOfCall,
  type JsonCallForm,
  parseJsonCall,
  parseJsonCalls,
  parseQueryCall,
  UNKNOWN_FORM,
} from './parse-call.ts'

/** Where the parameters of a call stand: in an object, or in an object in a list. */
const PARAMETER_LEVELS = [2, 3]

/** Serves a request by JSON-RPC: POST /jsonrpc.cgi, and GET for what only reads. */
export async function serveJsonCall(
  c: Context<AppEnv>,
  operations: OperationsByName,
): Promise<Response> {
  const settings = readSettings(c.env)
  const run = (call: RpcCall) => runCall(c, operations, call)
  if (c.req.method !== 'POST') {
    const query = c.req.query()
    const form = { ...UNKNOWN_FORM, version: '1.1', id: query.id ?? null } as const
    return answerCall(c, form, async () => run(readQueryCall(query, settings)))
  }
  try {
    const { text, upload } = await readUploadBody(
      c,
      'data',
      await isSenderOfCallKnown(c),
      PARAMETER_LEVELS,
    )
    admit(c)
    const body = await parseInTurn(networkOfClient(c), text.length, () => parseJsonCalls(text))
    return Array.isArray(body)
      ? await runCalls(c, body, 204, (one, place, runWithin) =>
          answerCall(c, formOfCall(one), async () => {
            const call = parseJsonCall(one)
            assertWithoutUpload(call, operations, settings)
            return runWithin(() => run({ ...call, place }))
          }),
        )
      : await answerCall(c, formOfCall(body), async () => run({ ...parseJsonCall(body), upload }))
  } catch (error) {
    return refuseCall(c, UNKNOWN_FORM, error)
  }
}

/** Runs a call and answers its result or its fault in the form of the call; to a notification, nothing. */
async function answerCall(
  c: Context<AppEnv>,
  form: JsonCallForm,
  run: () => Promise<unknown>,
): Promise<Response> {
  try {
    const result = await run()
    if (!form.isNotification) {
      return answerJson(form, result)
    }
    await (result instanceof Response ? result.body?.cancel() : undefined)
    return answerNothing()
  } catch (error) {
    return refuseCall(c, form, error)
  }
}

function refuseCall(c: Context<AppEnv>, form: JsonCallForm, error: unknown): Response {
  const refusal = toFault(error, c)
  const answer = form.isNotification ? answerNothing() : answerJsonFault(form, refusal)
  setRetryAfter(answer.headers, refusal)
  return answer
}

function answerNothing(): Response {
  return new Response(null, { status: 204 })
}

function readQueryCall(query: Readonly<Record<string, string>>, settings: Settings): RpcCall {
  const call = parseQueryCall(query)
  assertReads(call, settings)
  return call
}

/** Browsers follow links, so that a GET must not change anything. */
function assertReads({ method: name, parameters }: RpcCall, settings: Settings): void {
  const method = requireMethod(name, settings)
  const { operation }: { operation: OperationName } = chooseTarget(method, parameters)
  if (method.isWrite || !operation.startsWith('GET ')) {
    throw fault(rpcCallInvalid, { reason: `${name} must be sent by POST` })
  }
}

/** The reader of uploads decodes one member of a body, which could be that of any call. */
function assertWithoutUpload(
  { method: name, parameters }: RpcCall,
  operations: OperationsByName,
  settings: Settings,
): void {
  const { operation } = chooseTarget(requireMethod(name, settings), parameters)
  if (operations.get(operation)?.upload !== undefined) {
    throw fault(rpcCallInvalid, { reason: `${name} must be sent by itself` })
  }
}
