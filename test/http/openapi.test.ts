import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createService, operations } from '../../src/app.ts'
import { faultCodes } from '../../src/faults.ts'
import { openapiOperation } from '../../src/http/openapi.ts'
import { count, id, names, requiredText, text } from '../../src/http/shapes.ts'
import { ANYONE, errorShape, get } from '../support/client.ts'
import { buildProbe, fetchFrom } from '../support/clients/service.ts'

const METHODS = ['get', 'post', 'put', 'delete'] as const

/** As much of OpenAPI 3.1 as a document of ours uses; strict, so that a wrong place for a key shows. */
const schemaShape = z.union([z.boolean(), z.looseObject({})])
const contentShape = z.strictObject({
  'application/json': z.strictObject({ schema: schemaShape }),
})
const refusalShape = z.strictObject({
  'application/json': z.union([
    z.strictObject({
      schema: z.strictObject({ $ref: z.literal('#/components/schemas/Error') }),
      examples: z.record(z.string(), z.strictObject({ $ref: z.string() })),
    }),
    z.strictObject({
      schema: z.strictObject({ $ref: z.literal('#/components/schemas/EventError') }),
      examples: z.record(
        z.string(),
        z.strictObject({ value: errorShape.extend({ error: z.literal(1) }) }),
      ),
    }),
  ]),
})
const parameterShape = z.strictObject({
  name: z.string().min(1),
  in: z.enum(['path', 'query']),
  required: z.boolean(),
  schema: schemaShape,
  explode: z.boolean().optional(),
})
const requirementShape = z.record(z.string(), z.array(z.string()))
const operationShape = z.strictObject({
  operationId: z.string().regex(/^[a-z][A-Za-z0-9]+$/),
  summary: z.string().min(1),
  tags: z.array(z.string().min(1)).length(1),
  externalDocs: z.strictObject({ url: z.string().regex(/^docs\/reference\/[a-z-]+\.md#[a-z-]+$/) }),
  parameters: z.array(parameterShape),
  requestBody: z.strictObject({ content: contentShape }).optional(),
  security: z.array(requirementShape).optional(),
  responses: z.record(
    z.string().regex(/^(20[01]|400|401|404|409|412|413|429|500|503)$/),
    z.strictObject({
      description: z.string().min(1),
      content: z.union([contentShape, refusalShape]),
    }),
  ),
})
const documentShape = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.strictObject({ title: z.string(), version: z.string() }),
  paths: z.record(
    z.string().regex(/^\/rest(\/[\w.]+|\/\{\w+\})+$/),
    z.partialRecord(z.enum(METHODS), operationShape),
  ),
  components: z.strictObject({
    securitySchemes: z.record(
      z.string(),
      z.strictObject({
        type: z.literal('apiKey'),
        in: z.enum(['header', 'query']),
        name: z.string(),
      }),
    ),
    schemas: z.record(z.string(), schemaShape),
    examples: z.record(z.string(), z.strictObject({ value: errorShape })),
  }),
  security: z.array(requirementShape),
})

async function fetchDocument() {
  return documentShape.parse((await get(ANYONE, '/rest/openapi.json')).body)
}

/** The path of an operation as OpenAPI writes it. */
function toPathTemplate(path: string): string {
  return `/rest${path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')}`
}

describe('the description of the API', () => {
  test('is a well-formed OpenAPI 3.1 document', async () => {
    const answer = await get(ANYONE, '/rest/openapi.json')
    expect(answer.status).toBe(200)
    expect(documentShape.safeParse(answer.body).error?.issues ?? []).toEqual([])
  })

  test('describes every operation, itself included, and nothing else', async () => {
    const { paths } = await fetchDocument()
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const offered = operations.map(({ method, path }) => `${method} ${toPathTemplate(path)}`)
    expect(described.toSorted()).toEqual(offered.toSorted())
    expect(described).toContain('GET /rest/openapi.json')
  })

  test('has no two paths that differ only in the names of their parameters', async () => {
    const { paths } = await fetchDocument()
    const patterns = Object.keys(paths).map((path) => path.replace(/\{\w+\}/g, '{}'))
    expect(new Set(patterns).size).toBe(patterns.length)
  })

  test('names the parameters of each path, all required, and no parameter twice', async () => {
    const { paths } = await fetchDocument()
    for (const [path, item] of Object.entries(paths)) {
      for (const method of METHODS) {
        const { parameters } = item[method] ?? {}
        if (parameters === undefined) {
          continue
        }
        const inPath = parameters.filter((parameter) => parameter.in === 'path')
        const expected = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
        expect(inPath.map(({ name }) => name).toSorted(), path).toEqual(expected.toSorted())
        expect(inPath.every(({ required }) => required)).toBe(true)
        const all = parameters.map(({ name }) => name)
        expect(new Set(all).size, `${method} ${path}`).toBe(all.length)
      }
    }
  })

  test('refers only to schemas that it contains', async () => {
    const all = JSON.stringify(await fetchDocument())
    const references = new Set([...all.matchAll(/"\$ref":"([^"]+)"/g)].map(([, to = '']) => to))
    const examples = faultCodes().map(({ name }) => `#/components/examples/${name}`)
    expect([...references].filter((to) => !examples.includes(to))).toEqual([
      '#/components/schemas/Error',
      '#/components/schemas/EventError',
    ])
  })

  test('is the same in every answer, so that clients can cache it', async () => {
    const first = await get(ANYONE, '/rest/openapi.json')
    expect((await get(ANYONE, '/rest/openapi.json')).headers.get('etag')).toBe(
      first.headers.get('etag'),
    )
  })
})

describe('the description of an operation', () => {
  const described = [
    buildProbe(
      {
        path: '/thing/:id',
        input: z.object({ id: id(), user: text(), limit: count(), names: names() }),
        output: z.strictObject({ a: z.string() }),
        login: true,
        faults: ['bugNotVisible', 'nameTaken'],
      },
      async () => ({ a: 'x' }),
    ),
    buildProbe(
      {
        path: '/thing/:id',
        method: 'PUT',
        status: 201,
        input: z.object({ id: id(), summary: requiredText(), user: text() }),
      },
      async () => ({}),
    ),
  ]

  async function item() {
    const service = createService([openapiOperation(described, '1.2')])
    const whole = documentShape.parse(await (await fetchFrom(service, '/rest/openapi.json')).json())
    expect(whole.info.version).toBe('1.2')
    return whole.paths['/rest/thing/{id}']
  }

  test('has the path and the query of a read', async () => {
    const { get: reading } = (await item()) ?? {}
    expect(reading?.parameters).toMatchObject([
      { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } },
      { name: 'user', in: 'query', required: false, schema: { type: 'string' } },
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer', minimum: 0 } },
      { name: 'names', in: 'query', required: false, schema: { type: 'array' }, explode: true },
    ])
    expect(reading?.requestBody).toBeUndefined()
    expect(reading?.tags).toEqual(['server'])
    expect(reading?.externalDocs.url).toBe('docs/reference/server.md#describe-the-api')
    expect(reading?.security).toEqual([{ key: [] }, { token: [] }])
    expect(reading?.responses['200']?.content['application/json'].schema).toMatchObject({
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
    })
  })

  test('has the path and the body of a write', async () => {
    const { put: writing } = (await item()) ?? {}
    expect(writing?.parameters.map(({ name }) => name)).toEqual(['id'])
    expect(writing?.requestBody?.content['application/json'].schema).toEqual({
      type: 'object',
      properties: { summary: { type: 'string' }, user: { type: 'string' } },
      required: ['summary'],
    })
    expect(writing?.responses['201']?.content).toBeDefined()
    expect(writing?.security).toBeUndefined()
  })

  test('has its declared and derived faults by status', async () => {
    const { get: reading, put: writing } = (await item()) ?? {}
    const examples = (status: string) =>
      Object.keys(Object(reading?.responses[status]?.content['application/json']).examples ?? {})
    expect(examples('400')).toEqual(expect.arrayContaining(['nameTaken', 'parameterMissing']))
    expect(examples('401')).toEqual(expect.arrayContaining(['bugNotVisible', 'loginRequired']))
    expect(reading?.responses['413']).toBeUndefined()
    expect(writing?.responses['413']).toMatchObject({
      description: 'The body is too large',
      content: {
        'application/json': {
          examples: { bodyTooLarge: { $ref: '#/components/examples/bodyTooLarge' } },
        },
      },
    })
  })

  test('has each fault with its number and its message, with details in braces', async () => {
    expect((await fetchDocument()).components.examples.nameTaken).toEqual({
      value: { error: true, code: 32000, message: "There is a {kind} named '{name}' already." },
    })
  })
})
