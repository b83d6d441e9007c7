import type { Context } from 'hono'
import type { AppEnv } from '../../http/app-env.ts'
import type { OperationsByName } from '../../http/operations-by-name.ts'
import { setRetryAfter, toFault } from '../../http/response/on-fault.ts'
import type { Settings } from '../../settings.ts'
import { runCall } from '../call.ts'
import { answerXml, answerXmlFault } from './answer.ts'
import { readXmlCall } from './read-call.ts'

/** Serves a call by XML-RPC: POST /xmlrpc.cgi. Reference: rpc.md, "XML-RPC". */
export async function serveXmlCall(
  c: Context<AppEnv>,
  operations: OperationsByName,
  settingsOf: (env: Env) => Settings,
): Promise<Response> {
  try {
    const call = await readXmlCall(c.req.raw, settingsOf(c.env))
    return answerXml(await runCall(c, operations, settingsOf, call))
  } catch (error) {
    const fault = toFault(error, c)
    const answer = answerXmlFault(fault)
    setRetryAfter(answer.headers, fault)
    return answer
  }
}
