import type { Context } from 'hono'
import { strongestCredential } from '../../platform/access/credentials.ts'
import { loginRequired } from '../../platform/access/faults.ts'
import { Fault, fault, invalidParameter, parameterMissing } from '../../platform/faults/fault.ts'
import { callOperation } from '../../platform/http/operations/call-operation.ts'
import type { OperationsByName } from '../../platform/http/operations/operations-by-name.ts'
import { findUnused, noteUnusedKey } from '../../platform/http/operations/unused.ts'
import type { AppEnv, Parameters } from '../../platform/http/request/app-env.ts'
import { baseUrl } from '../../platform/http/request/base-url.ts'
import { networkOfClient } from '../../platform/http/request/client-address.ts'
import { findCredentials } from '../../platform/http/request/credentials.ts'
import { encodeUpload } from '../../platform/http/request/upload-body.ts'
import { PagedAnswer } from '../../platform/http/response/paged-answer.ts'
import type { Upload } from '../../platform/lib/streaming-json-member.ts'
import { Turns } from '../../platform/load/turns.ts'
import { readSettings } from '../../platform/settings/settings.ts'
import { argumentsOf } from './tools.ts'
import type { Schema, Tool, ToolResult } from './types.ts'

/** Bytes of an answer that is read as a whole; more than the largest attachment of most sites in base64. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

type ToolCall = {
  readonly tool: Tool
  readonly given: Parameters
  /** The bytes of the argument `data`. */
  readonly upload: Upload | null
  /** Where it stands in a list of calls, which share the headers of the request. */
  readonly place?: number | undefined
}

/**
 * Runs the operation behind a tool with the rights and limits that it has in the REST API, for the credentials in
 * headers and query.
 */
export async function callTool(
  c: Context<AppEnv>,
  operations: OperationsByName,
  { tool, given: sent, upload, place }: ToolCall,
): Promise<ToolResult> {
  const operation = operations.get(tool.operation)
  if (operation === undefined) {
    throw new Error(`The tool ${tool.name} has no operation`)
  }
  const credentials = findCredentials(c.req.raw.headers, c.req.queries(), {})
  // many models send null for what they leave out
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null))
  assertArguments(tool, given)
  if (tool.needsLogin === true && strongestCredential(credentials) === null) {
    throw fault(loginRequired)
  }
  const { idempotency_key: key, ...others } = given
  c.set('credentials', credentials)
  c.set('parameters', tool.toParameters(others))
  // a model that is told of it afterwards has left half of its work done
  c.set('refusesUnused', tool.effect !== 'read')
  c.set('upload', operation.upload === undefined ? null : chooseUpload(tool, given, upload))
  const once = key === undefined ? readSharedKey(c, tool, place) : ([String(key)] as const)
  const run = async () => {
    const answer = await callOperation(c, operation, ...once).catch((error: unknown) => {
      throw error instanceof Fault ? withArguments(tool, error) : error
    })
    const { body, page } =
      answer instanceof PagedAnswer ? answer : { body: answer, page: undefined }
    return tool.toResult({
      body: await readAnswer(body),
      page,
      misunderstood: c.get('unused')?.get('faults') ?? [],
      unused: findUnused(c, operation),
      unknownFields: c.get('unused')?.get('include_fields') ?? [],
      given: others,
      baseUrl: baseUrl(readSettings(c.env), c.req.url),
    })
  }
  return tool.isLong === true ? longAnswers.run(networkOfClient(c), run) : run()
}

/** A fault about parameters names the arguments that they come from. */
function withArguments({ renamed = {} }: Tool, refusal: Fault): Fault {
  const { kind, details } = refusal
  const field = String(details.field)
  return Object.hasOwn(renamed, field)
    ? new Fault(kind, { ...details, field: renamed[field] })
    : refusal
}

/** The idempotency key in the header of the request, with the place of the call among those that share it. */
function readSharedKey(
  c: Context<AppEnv>,
  { effect }: Tool,
  place: number | undefined,
): readonly [key?: string | undefined, place?: number | undefined] {
  if (effect === 'read') {
    noteUnusedKey(c)
    return []
  }
  return [c.req.header('idempotency-key'), place]
}

/** A long answer is in memory as a whole until it is cut, and many at once would be too much for an isolate. */
const longAnswers = new Turns<string | null>(0)

/** Unlike the REST API, which ignores unknown parameters: a model would believe that they had an effect. */
function assertArguments(tool: Tool, given: Parameters): void {
  const known = argumentsOf(tool)
  assertKnown(tool, known, given)
  for (const [name, value] of Object.entries(given)) {
    assertText(name, known[name], value)
  }
  const missing = tool.required?.find((name) => (given[name] ?? '') === '')
  if (missing !== undefined) {
    throw fault(parameterMissing, { field: missing })
  }
}

function assertKnown(tool: Tool, known: Readonly<Record<string, Schema>>, given: Parameters): void {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined) {
    const names = Object.keys(known).join(', ') || 'none'
    throw invalidParameter(
      unknown.slice(0, 100),
      `is no argument of ${tool.name}, which takes: ${names}`,
    )
  }
}

/** Tools make texts of single values, and an object may have members instead of the functions that this takes. */
function assertText(name: string, { type = '' }: Schema = {}, value: unknown): void {
  const isSingle = type === 'string' || type === 'integer' || type === 'boolean'
  const [single, ...more] = Array.isArray(value) ? value : [value]
  if (isSingle && (more.length > 0 || (typeof single === 'object' && single !== null))) {
    throw invalidParameter(name, `must be of the type ${type}`)
  }
}

function chooseUpload(tool: Tool, given: Parameters, upload: Upload | null): Upload | null {
  const text = tool.uploadText === undefined ? undefined : given[tool.uploadText]
  return typeof text === 'string' ? encodeUpload(text) : upload
}

/** The body of an answer, also of one that is streamed. */
export async function readAnswer(answer: unknown): Promise<unknown> {
  if (!(answer instanceof Response)) {
    // a copy as a client has it, without members that are undefined
    return JSON.parse(JSON.stringify(answer))
  }
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MAX_ANSWER_BYTES) {
      throw invalidParameter('arguments', 'asks for more than a tool can return; use the REST API')
    }
  }
  return JSON.parse(text)
}
