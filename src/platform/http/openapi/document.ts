import type * as z from 'zod'
import { type AnyFault, describeFault, type FaultStatus } from '../../faults/fault.ts'
import { type Operation, pathParameters } from '../operations/operation.ts'
import { faultsOf } from '../operations/operation-faults.ts'
import { isIgnored } from '../operations/shapes.ts'
import descriptions from './descriptions.json'
import { fitExample } from './example.ts'
import {
  ANSWER_HEADERS,
  describeHeaders,
  describeRefusalHeaders,
  describeSuccessHeaders,
  HEADER_PARAMETERS,
  listHeaderParameters,
} from './headers.ts'
import { type Json, toJsonSchema } from './json-schema.ts'
import { nameOperations } from './operation-ids.ts'
import { describeSecurity, OPTIONAL_CREDENTIALS, SECURITY_SCHEMES } from './security.ts'
import type { ApiDocument } from './shape.ts'

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
const PAGES: Readonly<Record<string, string | undefined>> = descriptions.pages
const UNDESCRIBED: Description = { text: '', required: [], parameters: {}, examples: [] }

const ABOUT = `The REST API of a bug tracker. Anonymous callers see what is public; an API key shows and allows more.
The [documentation](/docs) has the rules, the numbers of errors and what clients need.`

const ERROR_SCHEMA = {
  type: 'object',
  required: ['error', 'message', 'code'],
  properties: {
    error: { const: true },
    message: { type: 'string' },
    code: { type: 'integer' },
    documentation: { type: 'string', format: 'uri' },
  },
}

/** The errors of events, whose senders look for a number. */
const EVENT_ERROR_SCHEMA = {
  ...ERROR_SCHEMA,
  properties: { ...ERROR_SCHEMA.properties, error: { const: 1 } },
}

const STATUS_DESCRIPTIONS: Readonly<Record<FaultStatus, string>> = {
  400: 'The request asks for something wrong',
  401: 'The caller may not do this',
  404: 'Something that the request names does not exist',
  405: 'The path takes other methods',
  409: 'The request with this Idempotency-Key was begun before, and its answer is not at hand',
  412: 'The object has changed since it was read',
  413: 'The body is too large',
  429: 'The caller sent too many requests',
  500: 'The service failed',
  503: 'Others kept changing the same at this time',
}

export function describeApi(operations: readonly Operation[], version: string): ApiDocument {
  const paths: Record<string, Json> = {}
  const ids = nameOperations(operations)
  for (const each of operations) {
    const path = `/rest${each.path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')}`
    paths[path] = {
      ...paths[path],
      [each.method.toLowerCase()]: describeOperation(each, ids.get(each) ?? ''),
    }
  }
  const tags = new Set(operations.map(tagOf))
  const faults = new Set(operations.filter(({ isSigned }) => !isSigned).flatMap(faultsOf))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lacewing',
      version,
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that answers with this document' }],
    externalDocs: { url: '/docs', description: 'The documentation of the API' },
    tags: [...tags].map((name) => ({ name, description: PAGES[name] ?? name })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: HEADER_PARAMETERS,
      headers: ANSWER_HEADERS,
      schemas: { Error: ERROR_SCHEMA, EventError: EVENT_ERROR_SCHEMA },
      examples: Object.fromEntries([...faults].map((kind) => [kind.name, describeExample(kind)])),
    },
    security: OPTIONAL_CREDENTIALS,
  }
}

function describeOperation(each: Operation, id: string): Json {
  const described = SECTIONS[each.reference] ?? UNDESCRIBED
  const example = findExample(each, described.examples)
  const items = describeItems(each, described)
  return {
    operationId: id,
    ...(each.isDeprecated ? { deprecated: true } : {}),
    summary: each.summary,
    description: described.text || `${each.summary}.`,
    tags: [tagOf(each)],
    externalDocs: { url: `/docs/${each.reference.replace('.md', '')}` },
    parameters: [...items.parameters, ...listHeaderParameters(each)],
    ...describeRequestBody(each, items.body, example),
    ...describeSecurity(each),
    responses: {
      ...describeSuccess(each, example),
      ...describeRefusals(faultsOf(each), each.isSigned ? 'EventError' : 'Error'),
    },
  }
}

function tagOf({ reference }: Operation): string {
  return reference.replace(/\.md#.*$/, '')
}

/** The parameters in path and query, and the schema of the body; null where there is none. */
function describeItems(each: Operation, described: Description) {
  const {
    properties = {},
    additionalProperties,
    required = [],
  } = toJsonSchema(nameCatchall(each), 'input')
  const all = properties as Record<string, Json>
  const demanded = new Set([...(required as string[]), ...described.required])
  const meaningOf = (name: string) => described.parameters[name] ?? SHARED[name]
  const inPath = pathParameters(each.path)
  const rest = Object.keys(all).filter(
    (name) => !inPath.includes(name) && !isIgnored(each.input.shape[name]),
  )
  const inQuery = rest.filter(
    (name) => each.method === 'GET' || each.rawBody !== null || each.inQuery.includes(name),
  )
  const inBody = rest.filter((name) => !inQuery.includes(name))
  const parameters = [
    ...inPath.map((name) => ({ name, in: 'path', required: true })),
    ...inQuery.map((name) => ({ name, in: 'query', required: demanded.has(name) })),
  ].map((place) => describeParameter(place, all[place.name] ?? {}, meaningOf(place.name)))
  const members = inBody.map((name) => [name, addDescription(all[name] ?? {}, meaningOf(name))])
  const needed = inBody.filter((name) => demanded.has(name))
  const body = {
    type: 'object',
    properties: Object.fromEntries(members),
    ...describeOthers(additionalProperties),
    ...(needed.length > 0 ? { required: needed } : {}),
  }
  return { parameters, body: inBody.length === 0 ? null : body }
}

/** What a body may hold beside its named members: custom fields, anything unsaid, or nothing. */
function describeOthers(schema: unknown): Json {
  if (schema === undefined || schema === false) {
    return schema === false ? { additionalProperties: false } : {}
  }
  return { patternProperties: { '^cf_': schema } }
}

/** The input, with the names of its catch-all as members. */
function nameCatchall({ input, catchallNames }: Operation): z.ZodObject {
  const { catchall } = input.def
  return catchall === undefined
    ? input
    : input.extend(Object.fromEntries(catchallNames.map((name) => [name, catchall])))
}

function describeSuccess(each: Operation, example: Example | undefined): Json {
  const schema = toJsonSchema(each.output, 'output')
  const content = {
    schema,
    ...(example === undefined ? {} : { example: fitExample(schema, example.answer) }),
  }
  return {
    [each.status]: {
      description: each.summary,
      headers: describeSuccessHeaders(each),
      content: { [each.mediaType]: content },
    },
    ...(each.method === 'GET'
      ? { 304: { description: 'Nothing has changed', headers: describeHeaders(['ETag']) } }
      : {}),
  }
}

/** One response for each status, with every fault that has it as an example. */
function describeRefusals(kinds: readonly AnyFault[], shape: 'Error' | 'EventError'): Json {
  const byStatus = Map.groupBy(kinds, ({ status }) => status)
  return Object.fromEntries(
    [...byStatus].map(([status, faults]) => [
      status,
      {
        description: STATUS_DESCRIPTIONS[status],
        headers: describeRefusalHeaders(status),
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${shape}` },
            examples: Object.fromEntries(
              faults.map((kind) => [kind.name, referToExample(kind, shape)]),
            ),
          },
        },
      },
    ]),
  )
}

/** The examples of components are errors of the usual form. */
function referToExample(kind: AnyFault, shape: 'Error' | 'EventError'): Json {
  return shape === 'Error'
    ? { $ref: `#/components/examples/${kind.name}` }
    : { value: { error: 1, message: describeFault(kind), code: kind.code } }
}

function describeExample(kind: AnyFault): Json {
  return { value: { error: true, message: describeFault(kind), code: kind.code } }
}

function describeRequestBody(
  { rawBody }: Operation,
  members: Json | null,
  example: Example | undefined,
): Json {
  if (rawBody !== null) {
    const schema = { type: 'string' }
    return { requestBody: { required: true, content: { [rawBody]: { schema } } } }
  }
  return members === null ? {} : { requestBody: describeBody(members, example?.body) }
}

function describeBody(schema: Json, example: unknown): Json {
  const content = {
    schema,
    ...(example === undefined ? {} : { example: fitExample(schema, example) }),
  }
  return {
    ...('required' in schema ? { required: true } : {}),
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

function describeParameter(place: Json, schema: Json, meaning: string | undefined): Json {
  const repeats = schema.type === 'array' && place.in === 'query' ? { explode: true } : {}
  return addDescription({ ...place, schema, ...repeats }, meaning)
}

function addDescription(item: Json, meaning: string | undefined): Json {
  return meaning === undefined ? item : { ...item, description: meaning }
}
