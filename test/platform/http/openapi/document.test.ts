import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createService } from '../../../../src/app.ts'
import { bugNotVisible } from '../../../../src/platform/access/faults.ts'
import { nameTaken } from '../../../../src/platform/faults/fault.ts'
import { createApiDescription } from '../../../../src/platform/http/openapi/openapi.ts'
import { loggedIn } from '../../../../src/platform/http/operations/operation.ts'
import {
  count,
  id,
  names,
  requiredText,
  text,
} from '../../../../src/platform/http/operations/shapes.ts'
import {
  documentShape,
  fetchDocument,
  ownParameters,
} from '../../../support/clients/api-document.ts'
import { buildProbe, fetchFrom } from '../../../support/clients/service.ts'

describe('the description of an operation', () => {
  const described = [
    buildProbe(
      {
        path: '/thing/:id',
        input: z.object({ id: id(), user: text(), limit: count(), names: names() }),
        output: z.strictObject({ a: z.string() }),
        requires: loggedIn,
        faults: [bugNotVisible, nameTaken],
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
    const service = createService([createApiDescription(described, '1.2').operation])
    const whole = documentShape.parse(await (await fetchFrom(service, '/rest/openapi.json')).json())
    expect(whole.info.version).toBe('1.2')
    return whole.paths['/rest/thing/{id}']
  }

  test('puts what signed events leave to their address into the query', async () => {
    const push = (await fetchDocument()).paths['/rest/codehost/push_comment']?.post
    expect(ownParameters(push?.parameters)).toMatchObject([{ name: 'no-qe-verify', in: 'query' }])
    expect(JSON.stringify(push?.requestBody)).not.toContain('no-qe-verify')
    expect(push?.security).toEqual([{ signature: [] }])
  })

  test('has the path and the query of a read', async () => {
    const { get: reading } = (await item()) ?? {}
    expect(ownParameters(reading?.parameters)).toMatchObject([
      { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } },
      { name: 'user', in: 'query', required: false, schema: { type: 'string' } },
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer', minimum: 0 } },
      { name: 'names', in: 'query', required: false, schema: { type: 'array' }, explode: true },
    ])
    expect(reading?.requestBody).toBeUndefined()
    expect(reading?.tags).toEqual(['server'])
    expect(reading?.externalDocs.url).toMatch(/^https:\/\/[a-z.]+\/docs\/server#describe-the-api$/)
    expect(reading?.security).toContainEqual({ key: [] })
    expect(reading?.security).not.toContainEqual({})
    expect(reading?.responses['200']?.content?.['application/json']?.schema).toMatchObject({
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
    })
  })

  test('has the path and the body of a write', async () => {
    const { put: writing } = (await item()) ?? {}
    expect(ownParameters(writing?.parameters).map(({ name }) => name)).toEqual(['id'])
    expect(writing?.requestBody?.content['application/json']?.schema).toEqual({
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
      Object.keys(Object(reading?.responses[status]?.content?.['application/json']).examples ?? {})
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
