import * as z from 'zod'
import type { Status } from '../fault-entry.ts'
import { describeFault, type FaultName, faultCodes } from '../faults.ts'
import descriptions from './descriptions.json'
import { type Operation, pathParameters } from './operation.ts'
import { faultsOf } from './operation-faults.ts'

type Json = Record<string, unknown>

export type ApiDocument = Json & { openapi: string; paths: Record<string, Json> }

/** What the reference says of an operation; generated from its pages by `npm run descriptions`. */
type Description = {
  readonly text: string
  readonly required: readonly string[]
  readonly parameters: Readonly<Record<string, string>>
  readonly examples: readonly Example[]
}

type Example = {
  readonly request: string
  readonly status: number
  readonly body?: unknown
  readonly answer: unknown
}

const SECTIONS: Readonly<Record<string, Description | undefined>> = descriptions.sections
const SHARED: Readonly<Record<string, string | undefined>> = descriptions.shared
const UNDESCRIBED: Description = { text: '', required: [], parameters: {}, examples: [] }

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

/** Describes the operations as an OpenAPI 3.1 document. */
export function describeApi(operations: readonly Operation[], version: string): ApiDocument {
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

function nameCatchall({ input, catchallNames }: Operation): z.ZodObject {
  const { catchall } = input.def
  return catchall === undefined
    ? input
    : input.extend(Object.fromEntries(catchallNames.map((name) => [name, catchall])))
}

function describeOperation(each: Operation): Json {
  const input = toJsonSchema(nameCatchall(each), 'input')
  const properties = (input.properties ?? {}) as Record<string, Json>
  const described = SECTIONS[each.reference] ?? UNDESCRIBED
  const required = [...((input.required ?? []) as string[]), ...described.required].filter(
    (name, index, all) => name in properties && all.indexOf(name) === index,
  )
  const example = findExample(each, described.examples)
  const meaningOf = (name: string) => described.parameters[name] ?? SHARED[name]
  const inPath = pathParameters(each.path)
  const others = Object.entries(properties).filter(([name]) => !inPath.includes(name))
  const pathItems = inPath.map((name) =>
    describeParameter(
      { name, place: 'path', required: true },
      properties[name] ?? {},
      meaningOf(name),
    ),
  )
  const inQuery = each.method === 'GET'
  const queryItems = inQuery
    ? others.map(([name, schema]) =>
        describeParameter(
          { name, place: 'query', required: required.includes(name) },
          schema,
          meaningOf(name),
        ),
      )
    : []
  return {
    operationId: operationId(each),
    summary: each.summary,
    description: described.text || `${each.summary}.`,
    tags: [each.reference.replace(/\.md#.*$/, '')],
    externalDocs: { url: `${REFERENCE_FOLDER}/${each.reference}` },
    parameters: [...pathItems, ...queryItems],
    ...(inQuery || others.length === 0
      ? {}
      : {
          requestBody: describeBody(
            others.map(([name, schema]) => [name, addDescription(schema, meaningOf(name))]),
            required.filter((name) => !inPath.includes(name)),
            example?.body,
          ),
        }),
    ...(each.login ? { security: [{ key: [] }, { token: [] }] } : {}),
    responses: {
      [each.status]: {
        description: each.summary,
        content: {
          'application/json': {
            schema: toJsonSchema(each.output, 'output'),
            ...(example === undefined ? {} : { example: example.answer }),
          },
        },
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

function describeBody(properties: [string, Json][], required: string[], example: unknown): Json {
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
  }
  const content = { schema, ...(example === undefined ? {} : { example }) }
  return {
    ...(required.length > 0 ? { required: true } : {}),
    content: { 'application/json': content },
  }
}

/** The example of the reference whose request is one to this operation. */
function findExample(
  { method, path, status }: Operation,
  examples: readonly Example[],
): Example | undefined {
  const pattern = path.replace(/:\w+(\{[^}]*\})?/g, (_, rest) => (rest ? '.+' : '[^/?]+'))
  const request = new RegExp(`^${method} /rest${pattern}(\\?.*)?$`)
  return examples.find((one) => one.status === status && request.test(one.request))
}

function describeParameter(
  { name, place, required }: { name: string; place: string; required: boolean },
  schema: Json,
  meaning: string | undefined,
): Json {
  const repeats = schema.type === 'array' && place === 'query' ? { explode: true } : {}
  return addDescription({ name, in: place, required, schema, ...repeats }, meaning)
}

function addDescription(item: Json, meaning: string | undefined): Json {
  return meaning === undefined ? item : { ...item, description: meaning }
}

function toJsonSchema(shape: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: 'any' }) as Json
  return schema
}
