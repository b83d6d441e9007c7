import type { Context } from 'hono'
import { fault } from '../../faults.ts'
import type { AppEnv } from '../../http/app-env.ts'
import type { OperationName, OperationsByName } from '../../http/operations-by-name.ts'
import { readUploadBody } from '../../http/request/upload-body.ts'
import { setRetryAfter, toFault } from '../../http/response/on-fault.ts'
import type { Settings } from '../../settings.ts'
import { type RpcCall, runCall } from '../call.ts'
import { chooseTarget, requireMethod } from '../methods.ts'

import { answerJson, answerJsonFault } from './answer.ts'
import {
  formOf,
  type JsonCallForm,
  parseJsonCall,
  parseJsonObject,
  parseQueryCall,
  UNKNOWN_FORM,
} from './parse-call.ts'

/** Where the parameters of a call stand: in an object, or in an object in a list. */
const PARAMETER_LEVELS = [2, 3]

/** Serves a call by JSON-RPC: POST /jsonrpc.cgi, and GET for what only reads. Reference: rpc.md, "JSON-RPC". */
export async function serveJsonCall(
  c: Context<AppEnv>,
  operations: OperationsByName,
  settingsOf: (env: Env) => Settings,
): Promise<Response> {
  let form: JsonCallForm = UNKNOWN_FORM
  const setForm = (known: JsonCallForm) => {
    form = known
  }
  try {
    const call =
      c.req.method === 'POST'
        ? await readPostedCall(c.req.raw, settingsOf(c.env), setForm)
        : readQueryCall(c, setForm)
    return answerJson(form, await runCall(c, operations, settingsOf, call))
  } catch (error) {
    const refusal = toFault(error, c)
    const answer = answerJsonFault(form, refusal)
    setRetryAfter(answer.headers, refusal)
    return answer
  }
}

async function readPostedCall(
  request: Request,
  settings: Settings,
  setForm: (form: JsonCallForm) => void,
): Promise<RpcCall> {
  const { text, upload } = await readUploadBody(request, 'data', settings, false, PARAMETER_LEVELS)
  const body = parseJsonObject(text)
  setForm(formOf(body))
  return { ...parseJsonCall(body), upload }
}

function readQueryCall(c: Context<AppEnv>, setForm: (form: JsonCallForm) => void): RpcCall {
  const query = c.req.query()
  setForm({ version: '1.1', id: query.id ?? null })
  const call = parseQueryCall(query)
  assertReads(call)
  return call
}

/** Browsers follow links, so that a GET must not change anything. */
function assertReads({ method: name, parameters }: RpcCall): void {
  const method = requireMethod(name)
  const { operation }: { operation: OperationName } = chooseTarget(method, parameters)
  if (method.isWrite || !operation.startsWith('GET ')) {
    throw fault('rpcCallInvalid', { reason: `${name} must be sent by POST` })
  }
}
