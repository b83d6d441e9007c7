import type { Fault } from '../../../platform/faults/fault.ts'
import { translateBody } from '../../../platform/lib/stream.ts'
import type { JsonCall, JsonRpcVersion } from './parse-call.ts'

type AnswerForm = Pick<JsonCall, 'version' | 'id'>

/** The text before and after the result in each version, with `ID` in the place of the ID. */
const AROUND_RESULT: Readonly<Record<JsonRpcVersion, (id: string) => readonly [string, string]>> = {
  '1.0': (id) => ['{"result":', `,"error":null,"id":${id}}`],
  '1.1': (id) => ['{"version":"1.1","result":', `,"error":null,"id":${id}}`],
  '2.0': (id) => ['{"jsonrpc":"2.0","result":', `,"id":${id}}`],
}

/** The result of a call as JSON; that of a streamed response is passed on while it is sent. */
export function answerJson({ version, id }: AnswerForm, result: unknown): Response {
  const headers = { 'content-type': 'application/json' }
  const [head, end] = AROUND_RESULT[version](JSON.stringify(id))
  if (!(result instanceof Response)) {
    return new Response(head + JSON.stringify(result) + end, { headers })
  }
  const body =
    result.body &&
    translateBody(result.body, { begin: head, write: (text) => text, end: () => end })
  return new Response(body, { headers })
}

/** A fault as JSON. Clients read faults only from answers that are no errors of HTTP. */
export function answerJsonFault({ version, id }: AnswerForm, fault: Fault): Response {
  const error = { code: fault.code, message: fault.message }
  const answers = {
    '1.0': { result: null, error, id },
    '1.1': { version, error: { name: 'JSONRPCError', ...error }, id },
    '2.0': { jsonrpc: '2.0', error, id },
  }
  return Response.json(answers[version])
}
