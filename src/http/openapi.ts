import * as z from 'zod'
import type { Status } from '../fault-entry.ts'
import { describeFault, type FaultName, faultCodes } from '../faults.ts'
import { type Operation, operation, pathParameters } from './operation.ts'
import { faultsOf } from './operation-faults.ts'

type Json = Record<string, unknown>

/** The folder of the API reference in the repository. */
const REFERENCE_FOLDER = 'docs/reference'

const ERROR_SCHEMA = {
  type: 'object',
  required: ['error', 'message', 'code'],
  properties: {
    error: { const: true },
    message: { type: 'string' },
    code: { type: 'integer' },
  },
}

/** The errors of events, whose senders look for a number. */
const EVENT_ERROR_SCHEMA = {
  ...ERROR_SCHEMA,
  properties: { ...ERROR_SCHEMA.properties, error: { const: 1 } },
}

const STATUS_DESCRIPTIONS: Readonly<Record<Status, string>> = {
  400: 'The request asks for something wrong',
  401: 'The caller may not do this',
  404: 'Something that the request names does not exist',
  409: 'The request with this Idempotency-Key was begun before, and its answer is not at hand',
  412: 'The object has changed since it was read',
  413: 'The body is too large',
  429: 'The caller sent too many requests',
  500: 'The service failed',
  503: 'Others kept changing the same at this time',
}

/**
 * GET /openapi.json: describes all other operations and itself as OpenAPI 3.1, from the shapes that
 * validate input and that tests validate answers with. The faults of an operation are named examples, by
 * status. Reference: server.md, "Describe the API".
 */
export function openapiOperation(others: readonly Operation[], version: string): Operation {
  let document: Json | undefined
  const own = operation(
    {
      method: 'GET',
      path: '/openapi.json',
      summary: 'Describe every operation of this API as OpenAPI 3.1',
      reference: 'server.md#describe-the-api',
      input: z.object({}),
      faults: [],
      output: z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }),
      credentials: 'ignored',
      isConstant: true,
    },
    async () => {
      document ??= describeApi([...others, own], version)
      return document as { openapi: string; paths: Json }
    },
  )
  return own
}

function describeApi(operations: readonly Operation[], version: string): Json {
  const paths: Record<string, Json> = {}
  for (const each of operations) {
    const path = `/rest${each.path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')}`
    paths[path] = { ...paths[path], [each.method.toLowerCase()]: describeOperation(each) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Lacewing', version },
    paths,
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-TRACKER-API-KEY' },
        token: { type: 'apiKey', in: 'query', name: 'token' },
      },
      schemas: { Error: ERROR_SCHEMA, EventError: EVENT_ERROR_SCHEMA },
      examples: Object.fromEntries(faultCodes().map(({ name }) => [name, describeExample(name)])),
    },
    security: [{}, { key: [] }, { token: [] }],
  }
}

function describeOperation(each: Operation): Json {
  const input = toJsonSchema(each.input, 'input')
  const properties = (input.properties ?? {}) as Record<string, Json>
  const required = (input.required ?? []) as string[]
  const inPath = pathParameters(each.path)
  const others = Object.entries(properties).filter(([name]) => !inPath.includes(name))
  const pathItems = inPath.map((name) =>
    describeParameter(name, 'path', properties[name] ?? {}, true),
  )
  const inQuery = each.method === 'GET'
  const queryItems = inQuery
    ? others.map(([name, schema]) =>
        describeParameter(name, 'query', schema, required.includes(name)),
      )
    : []
  return {
    operationId: operationId(each),
    summary: each.summary,
    tags: [each.reference.replace(/\.md#.*$/, '')],
    externalDocs: { url: `${REFERENCE_FOLDER}/${each.reference}` },
    parameters: [...pathItems, ...queryItems],
    ...(inQuery || others.length === 0
      ? {}
      : { requestBody: describeBody(others, required, inPath) }),
    ...(each.login ? { security: [{ key: [] }, { token: [] }] } : {}),
    responses: {
      [each.status]: {
        description: each.summary,
        content: { 'application/json': { schema: toJsonSchema(each.output, 'output') } },
      },
      ...describeRefusals(faultsOf(each), each.isSigned ? 'EventError' : 'Error'),
    },
  }
}

/** One response for each status, with every fault that has it as an example. */
function describeRefusals(names: readonly FaultName[], shape: 'Error' | 'EventError'): Json {
  const byStatus = Map.groupBy(names, (name) => describeFault(name).status)
  return Object.fromEntries(
    [...byStatus].map(([status, faults]) => [
      status,
      {
        description: STATUS_DESCRIPTIONS[status],
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${shape}` },
            examples: Object.fromEntries(faults.map((name) => [name, referToExample(name, shape)])),
          },
        },
      },
    ]),
  )
}

/** The examples of components are errors of the usual form. */
function referToExample(name: FaultName, shape: 'Error' | 'EventError'): Json {
  const { message, code } = describeFault(name)
  return shape === 'Error'
    ? { $ref: `#/components/examples/${name}` }
    : { value: { error: 1, message, code } }
}

function describeExample(name: FaultName): Json {
  const { message, code } = describeFault(name)
  return { value: { error: true, message, code } }
}

/** A name for generated clients: `getBugIdComment` for `GET /bug/{id}/comment`. */
function operationId({ method, path }: Operation): string {
  const words = path.replace(/\{[^}]*\}/g, '').match(/[a-z0-9]+/gi) ?? []
  const capitalized = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
  return `${method.toLowerCase()}${capitalized.join('')}`
}

function describeBody(properties: [string, Json][], required: string[], inPath: string[]): Json {
  const requiredInBody = required.filter((name) => !inPath.includes(name))
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(requiredInBody.length > 0 ? { required: requiredInBody } : {}),
  }
  return { content: { 'application/json': { schema } } }
}

function describeParameter(name: string, place: string, schema: Json, required: boolean): Json {
  const repeats = schema.type === 'array' && place === 'query' ? { explode: true } : {}
  return { name, in: place, required, schema, ...repeats }
}

function toJsonSchema(shape: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: 'any' }) as Json
  return schema
}
