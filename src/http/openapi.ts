import * as z from 'zod'
import type { Status } from '../fault-entry.ts'
import { describeFault, type FaultName, faultCodes } from '../faults.ts'
import { type Operation, operation, pathParameters } from './operation.ts'
import { faultsOf } from './operation-faults.ts'

type Json = Record<string, unknown>

/** Where the reference stands in the repository of the project. */
const DOCUMENTATION = 'docs/reference'

const ERROR = {
  type: 'object',
  required: ['error', 'message', 'code'],
  properties: {
    error: { const: true },
    message: { type: 'string' },
    code: { type: 'integer' },
  },
}

const REFUSALS: Readonly<Record<Status, string>> = {
  400: 'The request asks for something wrong',
  401: 'The caller may not do this',
  404: 'Something that the request names does not exist',
  413: 'The body is too large',
  429: 'The caller sent too many requests',
  500: 'The service failed',
  503: 'Others kept changing the same at this time',
}

/**
 * GET /openapi.json: describes all other operations and itself as OpenAPI 3.1, made from the same shapes
 * that validate what comes in and that tests hold answers against. The faults of an operation are named
 * examples, by status. Reference: server.md, "Describe the API".
 */
export function openapi(others: readonly Operation[], version: string): Operation {
  let document: Json | undefined
  const itself = operation(
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
      document ??= describe([...others, itself], version)
      return document as { openapi: string; paths: Json }
    },
  )
  return itself
}

function describe(described: readonly Operation[], version: string): Json {
  const paths: Record<string, Json> = {}
  for (const each of described) {
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
      schemas: { Error: ERROR },
      examples: Object.fromEntries(faultCodes().map(({ name }) => [name, describeExample(name)])),
    },
    security: [{}, { key: [] }, { token: [] }],
  }
}

function describeOperation(each: Operation): Json {
  const input = jsonSchema(each.input, 'input')
  const properties = (input.properties ?? {}) as Record<string, Json>
  const required = (input.required ?? []) as string[]
  const inPath = pathParameters(each.path)
  const others = Object.entries(properties).filter(([name]) => !inPath.includes(name))
  const pathItems = inPath.map((name) => parameter(name, 'path', properties[name] ?? {}, true))
  const inQuery = each.method === 'GET'
  const queryItems = inQuery
    ? others.map(([name, schema]) => parameter(name, 'query', schema, required.includes(name)))
    : []
  return {
    operationId: operationId(each),
    summary: each.summary,
    tags: [each.reference.replace(/\.md#.*$/, '')],
    externalDocs: { url: `${DOCUMENTATION}/${each.reference}` },
    parameters: [...pathItems, ...queryItems],
    ...(inQuery || others.length === 0 ? {} : { requestBody: body(others, required, inPath) }),
    ...(each.login ? { security: [{ key: [] }, { token: [] }] } : {}),
    responses: {
      [each.status]: {
        description: each.summary,
        content: { 'application/json': { schema: jsonSchema(each.output, 'output') } },
      },
      ...describeRefusals(faultsOf(each)),
    },
  }
}

/** One response for each status, with every fault that has it as an example. */
function describeRefusals(names: readonly FaultName[]): Json {
  const byStatus = Map.groupBy(names, (name) => describeFault(name).status)
  return Object.fromEntries(
    [...byStatus].map(([status, faults]) => [
      status,
      {
        description: REFUSALS[status],
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(
              faults.map((name) => [name, { $ref: `#/components/examples/${name}` }]),
            ),
          },
        },
      },
    ]),
  )
}

function describeExample(name: FaultName): Json {
  const { message, code } = describeFault(name)
  return { value: { error: true, message, code } }
}

/** `GET /bug/{id}/comment` is `getBugIdComment`: a name for generated clients. */
function operationId({ method, path }: Operation): string {
  const words = path.replace(/\{[^}]*\}/g, '').match(/[a-z0-9]+/gi) ?? []
  const named = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
  return `${method.toLowerCase()}${named.join('')}`
}

function body(properties: [string, Json][], required: string[], inPath: string[]): Json {
  const wanted = required.filter((name) => !inPath.includes(name))
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(wanted.length > 0 ? { required: wanted } : {}),
  }
  return { content: { 'application/json': { schema } } }
}

function parameter(name: string, place: string, schema: Json, required: boolean): Json {
  const repeats = schema.type === 'array' && place === 'query' ? { explode: true } : {}
  return { name, in: place, required, schema, ...repeats }
}

function jsonSchema(shape: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: 'any' }) as Json
  return schema
}
