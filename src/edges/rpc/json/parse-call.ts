import { fault } from '../../../platform/faults/fault.ts'
import { rpcCallInvalid } from '../../../platform/http/operations/faults.ts'
import type { Parameters } from '../../../platform/http/request/app-env.ts'
import { parseJsonBody, parseJsonText } from '../../../platform/http/request/json-body.ts'
import { rpcNotReadable } from '../faults.ts'

/** The versions of JSON-RPC, of which each has another form of answers. */
export type JsonRpcVersion = '1.0' | '1.1' | '2.0'

/** A call as its JSON has it. `id` comes back with the answer; null when there is none. */
export type JsonCall = {
  readonly version: JsonRpcVersion
  readonly id: unknown
  /** Whether it is a notification, which gets no answer. */
  readonly isNotification: boolean
  readonly method: string
  readonly parameters: Parameters
  /** Its members that no version has. */
  readonly unknown: readonly string[]
}

/** How the answer to a call is written, even to one that cannot be read. */
export type JsonCallForm = Pick<JsonCall, 'version' | 'id' | 'isNotification'>

/** The form for a body that tells neither version nor ID. */
export const UNKNOWN_FORM: JsonCallForm = { version: '1.0', id: null, isNotification: false }

/** Parses the body of a request: a call, or a list of calls. */
export function parseJsonCalls(text: string): Parameters | unknown[] {
  return text.trimStart().startsWith('[')
    ? readJson(() => parseJsonText(text) as unknown[])
    : readJson(() => parseJsonBody(text))
}

function readJson<Value>(parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    throw fault(rpcNotReadable, {
      reason: error instanceof Error ? error.message.replace(/\.$/, '') : 'The body is no JSON',
    })
  }
}

/** The version and the ID, even of a malformed call. */
export function formOfCall(body: Parameters): JsonCallForm {
  const version = body.jsonrpc === '2.0' ? '2.0' : body.version === '1.1' ? '1.1' : '1.0'
  const isNotification =
    version === '2.0' && typeof body.method === 'string' && !Object.hasOwn(body, 'id')
  return { version, id: body.id ?? null, isNotification }
}

/** Reads a call from its JSON object. A call needs a method, and takes named parameters only. */
export function parseJsonCall(body: Parameters): JsonCall {
  const { method } = body
  if (typeof method !== 'string' || method === '') {
    throw fault(rpcCallInvalid, { reason: 'it names no method' })
  }
  const unknown = Object.keys(body).filter((name) => !MEMBERS.has(name))
  return { ...formOfCall(body), method, parameters: parseParameters(body.params), unknown }
}

const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'version', 'id', 'method', 'params'])

/** Reads a call from the query of a GET, which has the form of version 1.1; its parameters are JSON. */
export function parseQueryCall(query: Readonly<Record<string, string>>): JsonCall {
  const { method = '', params = '', id } = query
  const named = params.trim() === '' ? null : readJson(() => parseJsonText(params))
  return { ...parseJsonCall({ params: named, method }), version: '1.1', id: id ?? null }
}

/** Named parameters, or a list whose first and only item has them. */
function parseParameters(params: unknown): Parameters {
  const [named, ...others] = Array.isArray(params) ? params : [params]
  const isNamed = typeof (named ?? {}) === 'object' && !Array.isArray(named)
  if (others.length > 0 || !isNamed) {
    throw fault(rpcCallInvalid, { reason: 'its only parameter must be an object' })
  }
  return named ?? {}
}
