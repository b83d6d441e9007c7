import type { Context } from 'hono'
import { fault } from '../../platform/faults/fault.ts'
import {
  callOperation,
  translateParameters,
} from '../../platform/http/operations/call-operation.ts'
import type { OperationsByName } from '../../platform/http/operations/operations-by-name.ts'
import { noteUnused, noteUnusedKey } from '../../platform/http/operations/unused.ts'
import type { AppEnv, Parameters } from '../../platform/http/request/app-env.ts'
import { findCredentials, withoutCredentials } from '../../platform/http/request/credentials.ts'
import { cutOversized } from '../../platform/http/request/oversized.ts'
import { PagedAnswer } from '../../platform/http/response/paged-answer.ts'
import type { Upload } from '../../platform/lib/streaming-json-member.ts'
import { readSettings } from '../../platform/settings/settings.ts'
import { rpcMethodUnknown } from './faults.ts'
import { chooseTarget, requireMethod } from './methods.ts'
import type { RpcMethod } from './types.ts'

/** A call by either protocol. */
export type RpcCall = {
  readonly method: string
  /** With the credentials among them. */
  readonly parameters: Parameters
  /** The bytes of the member that an upload has, `data`. */
  readonly upload?: Upload | null
  /** Where it stands in a list of calls, which share the headers of the request. */
  readonly place?: number
  /** Names beside the parameters that mean nothing. */
  readonly unknown?: readonly string[]
}

/**
 * Runs the operation that serves a call, with the rights and limits that it has in the REST API. Returns the result,
 * or a response that is sent as it is made.
 */
export async function runCall(
  c: Context<AppEnv>,
  operations: OperationsByName,
  call: RpcCall,
): Promise<unknown> {
  const method = requireMethod(call.method, readSettings(c.env))
  const sent = cutOversized(call.parameters)
  setCredentials(c, method, sent)
  const given = withoutCredentials(sent, 'body')
  const target = chooseTarget(method, given)
  const operation = operations.get(target.operation)
  if (operation === undefined) {
    throw fault(rpcMethodUnknown, { method: call.method, hint: '' })
  }
  c.set('parameters', given)
  const translate = () => target.toParameters?.(given) ?? given
  c.set('parameters', await translateParameters(c, operation, translate))
  c.set('upload', operation.upload === undefined ? null : (call.upload ?? null))
  noteUnused(c, [...(call.unknown ?? []), ...listUnusedQuery(c)])
  const isRead = operation.method === 'GET'
  if (isRead) {
    noteUnusedKey(c)
  }
  const key = isRead ? undefined : c.req.header('idempotency-key')
  const answer = await callOperation(c, operation, key, call.place)
  const body = answer instanceof PagedAnswer ? answer.body : answer
  return body instanceof Response ? body : (target.toResult?.(body) ?? body)
}

/** A query holds credentials, and all of a call that comes by GET. */
function listUnusedQuery({ req }: Context<AppEnv>): string[] {
  return Object.keys(withoutCredentials(req.query(), 'query')).filter(
    (name) => req.method !== 'GET' || !OF_QUERY_CALL.has(name),
  )
}

const OF_QUERY_CALL: ReadonlySet<string> = new Set(['method', 'params', 'id', 'callback'])

/** Parameters are credentials as in a body; only a login takes the short names. */
function setCredentials(c: Context<AppEnv>, method: RpcMethod, parameters: Parameters): void {
  const query = c.req.queries()
  const { login, password } = parameters
  const isLogin = method.takesLogin && typeof login === 'string' && typeof password === 'string'
  const named = isLogin ? { ...query, login: [login], password: [password] } : query
  c.set('credentials', findCredentials(c.req.raw.headers, named, parameters))
}
