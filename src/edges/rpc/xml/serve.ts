import type { Context } from 'hono'
import { admit } from '../../../platform/http/operations/admission.ts'
import { isSenderOfCallKnown } from '../../../platform/http/operations/identify-sender.ts'
import type { OperationsByName } from '../../../platform/http/operations/operations-by-name.ts'
import type { AppEnv } from '../../../platform/http/request/app-env.ts'
import { networkOfClient } from '../../../platform/http/request/client-address.ts'
import { setRetryAfter, toFault } from '../../../platform/http/response/on-fault.ts'
import { runCall } from '../call.ts'
import { answerXml, answerXmlFault } from './answer.ts'
import { readXmlCall } from './read-call.ts'

export async function serveXmlCall(
  c: Context<AppEnv>,
  operations: OperationsByName,
): Promise<Response> {
  try {
    const isKnown = await isSenderOfCallKnown(c)
    const call = await readXmlCall(c, isKnown)
    admit(c)
    return answerXml(await runCall(c, operations, call), networkOfClient(c))
  } catch (error) {
    const fault = toFault(error, c)
    const answer = answerXmlFault(fault)
    setRetryAfter(answer.headers, fault)
    return answer
  }
}
