import { describe, expect, test } from 'vitest'
import { operations } from '../../../../src/app.ts'
import { ANYONE, get } from '../../../support/client.ts'
import {
  documentShape,
  fetchDocument,
  listItems,
  METHODS,
  ownParameters,
  toPathTemplate,
} from '../../../support/clients/api-document.ts'
import { fetchWith } from '../../../support/clients/service.ts'

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
        if (item[method] === undefined) {
          continue
        }
        const parameters = ownParameters(item[method].parameters)
        const inPath = parameters.filter((parameter) => parameter.in === 'path')
        const expected = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
        expect(inPath.map(({ name }) => name).toSorted(), path).toEqual(expected.toSorted())
        expect(inPath.every(({ required }) => required)).toBe(true)
        const all = parameters.map(({ name }) => name)
        expect(new Set(all).size, `${method} ${path}`).toBe(all.length)
      }
    }
  })

  test('says of every parameter and every member of a body what it means', async () => {
    const { paths } = await fetchDocument()
    const missing = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { parameters, requestBody }]) =>
        listItems(parameters, requestBody)
          .filter(({ description = '' }) => description.length < 2)
          .map(({ name }) => `${method} ${path}: ${name}`),
      ),
    )
    expect(missing).toEqual([])
  })

  test('requires the members that the reference calls required', async () => {
    const { paths } = await fetchDocument()
    const requiredOf = (path: string, method: 'post' | 'put') =>
      Object(paths[path]?.[method]?.requestBody?.content['application/json']?.schema).required
    expect(requiredOf('/rest/bug', 'post')).toEqual(['product', 'component', 'summary', 'version'])
    expect(requiredOf('/rest/product', 'post')).toEqual(['name', 'description', 'classification'])
    expect(requiredOf('/rest/bug/{id_or_alias}', 'put')).toBeUndefined()
    expect(paths['/rest/bug/{id_or_alias}/attachment']?.post?.requestBody?.required).toBe(true)
  })

  test('shows examples that the described shapes accept', async () => {
    const { paths } = await fetchDocument()
    const shown = operations.flatMap((operation) => {
      const item = paths[toPathTemplate(operation.path)]
      const described = item?.[operation.method.toLowerCase() as (typeof METHODS)[number]]
      const content = described?.responses[operation.status]?.content?.['application/json']
      return content !== undefined && 'example' in content
        ? [{ operation, example: content.example }]
        : []
    })
    expect(shown.length).toBeGreaterThan(60)
    const wrong = shown.flatMap(({ operation: { method, path, output }, example }) => {
      const { error } = output.safeParse(example)
      return error === undefined ? [] : [`${method} ${path}: ${error.message}`]
    })
    expect(wrong).toEqual([])
  })

  test('names operations after the headings of the reference, each in its own way', async () => {
    const { paths } = await fetchDocument()
    const all = Object.values(paths).flatMap((item) => Object.values(item))
    const ids = all.map(({ operationId }) => operationId)
    expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining(['searchBugs', 'fileBug', 'getBugs', 'addComment']))
    expect(paths['/rest/user/{id_or_name}']?.get?.operationId).toBe('findUsersByIdOrName')
    const old = all.flatMap(({ operationId, deprecated }) => (deprecated ? operationId : []))
    expect(old).toContain('logIn')
    expect(old).not.toContain('logOut')
  })

  test('has named models, whose members are known but for custom fields', async () => {
    const { paths, components } = await fetchDocument()
    const { Bug, Comment } = components.schemas as Record<string, Record<string, unknown>>
    expect(Bug).toMatchObject({
      additionalProperties: false,
      patternProperties: { '^cf_': {} },
      properties: { comments: { items: { $ref: '#/components/schemas/Comment' } } },
    })
    expect(Comment).toMatchObject({ properties: { time: { deprecated: true } } })
    const found = paths['/rest/bug']?.get?.responses['200']?.content?.['application/json']
    expect(found?.schema).toMatchObject({
      type: 'object',
      properties: { bugs: { items: { $ref: '#/components/schemas/Bug' } }, bug_count: {} },
    })
  })

  test('has no members of any other name beside typed ones, which would share their types', async () => {
    const mixed: string[] = []
    const walk = (value: unknown, path: string) => {
      if (typeof value !== 'object' || value === null || path.endsWith('/example')) {
        return
      }
      const { properties, additionalProperties = false } = Object(value)
      if (properties !== undefined && additionalProperties !== false) {
        mixed.push(path)
      }
      for (const [name, member] of Object.entries(value)) {
        walk(member, `${path}/${name}`)
      }
    }
    const { paths, components } = await fetchDocument()
    walk({ paths, components }, '')
    expect(mixed).toEqual([])
  })

  test('names the members of listed values and moves, which may be names alone', async () => {
    const { paths } = await fetchDocument()
    const itemsOf = (path: string, member: string) =>
      Object(paths[path]?.post?.requestBody?.content['application/json']?.schema).properties[member]
        .items
    expect(itemsOf('/rest/field/bug/{field}/values', 'can_change_to')).toEqual({
      anyOf: [
        { type: 'string' },
        {
          type: 'object',
          properties: { name: { type: 'string' }, comment_required: { type: 'boolean' } },
          required: ['name'],
        },
      ],
    })
    expect(itemsOf('/rest/field/bug', 'values')).toMatchObject({
      anyOf: [{ type: 'string' }, { properties: { visibility_values: { type: 'array' } } }],
    })
  })

  test('has no two members whose names differ in case alone, unless their models have names', async () => {
    const clash: string[] = []
    const walk = (value: unknown, path: string) => {
      if (typeof value !== 'object' || value === null) {
        return
      }
      const properties = Object(value).properties as Record<string, { $ref?: string }> | undefined
      const inline = Object.entries(properties ?? {}).filter(
        ([, { $ref, ...rest }]) => $ref === undefined && /"properties"/.test(JSON.stringify(rest)),
      )
      const folded = inline.map(([name]) => name.replaceAll('_', '').toLowerCase())
      clash.push(
        ...folded
          .filter((name, at) => folded.indexOf(name) !== at)
          .map((name) => `${path} ${name}`),
      )
      for (const [name, member] of Object.entries(value)) {
        walk(member, `${path}/${name}`)
      }
    }
    walk((await fetchDocument()).paths, '')
    expect(clash).toEqual([])
  })

  test('has whole addresses of the documentation, below the address of the service', async () => {
    const document = await fetchDocument()
    expect(document.externalDocs.url).toBe('https://tracker.test/docs')
    const elsewhere = await fetchWith({ BASE_URL: 'https://bugs.example/t' }, '/rest/openapi.json')
    expect(await elsewhere.json()).toMatchObject({
      externalDocs: { url: 'https://bugs.example/t/docs' },
    })
    expect((await fetchDocument()).externalDocs.url).toBe('https://tracker.test/docs')
  })

  test('refers to every component that it contains, and to no other', async () => {
    const document = await fetchDocument()
    const { securitySchemes, ...components } = document.components
    const all = JSON.stringify(document)
    const references = [...all.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, to]) => to)
    const contained = Object.entries(components).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `${kind}/${name}`),
    )
    expect([...new Set(references)].toSorted()).toEqual(contained.toSorted())
    const required = Object.values(document.paths)
      .flatMap((item) => Object.values(item).map(({ security }) => security ?? []))
      .concat([document.security])
      .flat()
      .flatMap((alternative) => Object.keys(alternative))
    expect([...new Set(required)].toSorted()).toEqual(Object.keys(securitySchemes).toSorted())
  })

  test('leaves no object without members, which generated clients could not fill', async () => {
    const empty: string[] = []
    const walk = (value: unknown, path: string) => {
      if (typeof value === 'object' && value !== null) {
        if ('type' in value && value.type === 'object' && !Array.isArray(value)) {
          const { properties, additionalProperties } = Object(value)
          if (properties === undefined && additionalProperties === undefined) {
            empty.push(path)
          }
        }
        for (const [name, member] of Object.entries(value)) {
          walk(member, `${path}/${name}`)
        }
      }
    }
    walk((await fetchDocument()).paths, '')
    expect(empty.filter((path) => !path.includes('/example'))).toEqual([])
  })

  test('is the same in every answer, so that clients can cache it', async () => {
    const first = await get(ANYONE, '/rest/openapi.json')
    expect((await get(ANYONE, '/rest/openapi.json')).headers.get('etag')).toBe(
      first.headers.get('etag'),
    )
  })
})
