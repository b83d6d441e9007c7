import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createService } from '../../../../src/app.ts'
import { buildBugBody, postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, expectFault, get, send } from '../../../support/client.ts'
import { buildEchoService, buildProbe, fetchFrom } from '../../../support/clients/service.ts'

const service = buildEchoService(
  ['POST', '/thing'],
  ['GET', '/thing'],
  ['PUT', '/thing/:id', z.object({ id: z.string() })],
  ['GET', '/thing/:id_or_name', z.object({ id_or_name: z.string() })],
  ['DELETE', '/file/:path{.+}', z.object({ path: z.string() })],
)

describe('OPTIONS', () => {
  test.each([
    ['/rest/thing', 'GET, POST'],
    ['/rest/thing/', 'GET, POST'],
    ['/rest.cgi/thing', 'GET, POST'],
    ['/rest/thing/7', 'GET, PUT'],
    ['/rest/file/a/b', 'DELETE'],
  ])('on %s tells its methods, sorted, and nothing more', async (path, methods) => {
    const answer = await fetchFrom(service, path, { method: 'OPTIONS' })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({})
    expect(answer.headers.get('allow')).toBe(methods)
    expect(answer.headers.get('access-control-allow-methods')).toBe(methods)
  })

  test('needs neither credentials nor a valid body', async () => {
    const answer = await send({ key: 'no such key' }, 'OPTIONS', '/rest/api_key', '{')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('allow')).toBe('GET, POST')
  })

  test('answers 404 on an unknown path', async () => {
    const answer = await send(ANYONE, 'OPTIONS', '/rest/nowhere')
    expectFault(answer, 404, 32614)
    expect(answer.headers.get('access-control-allow-methods')).toBeNull()
  })
})

describe('HEAD', () => {
  test('answers the status and the headers of GET without a body', async () => {
    const got = await get(ANYONE, '/rest/version')
    const head = await send(ANYONE, 'HEAD', '/rest/version')
    expect(head.status).toBe(200)
    expect(head.text).toBe('')
    for (const name of ['content-type', 'etag', 'vary', 'cache-control']) {
      expect(head.headers.get(name), name).toBe(got.headers.get(name))
    }
  })

  test('answers the faults of GET unchanged', async () => {
    expect((await send(ANYONE, 'HEAD', '/rest/whoami')).status).toBe(401)
  })

  test('answers 405 where GET does', async () => {
    expect((await fetchFrom(service, '/rest/file/a', { method: 'HEAD' })).status).toBe(405)
  })
})

describe('a method that a path does not take', () => {
  test.each([
    ['POST', '/rest/version', 'GET'],
    ['PATCH', '/rest/version', 'GET'],
    ['DELETE', '/rest.cgi/api_key/', 'GET, POST'],
    ['DELETE', '/rest/bug/7', 'GET, PUT'],
    ['DELETE', '/rest/product/a%2Fb', 'GET, PUT'],
  ])('at %s %s: 405 and 32614, with those that it takes', async (method, path, allow) => {
    const answer = await send({ key: 'no such key' }, method, path, '{')
    expectFault(answer, 405, 32614, method)
    expect(answer.headers.get('allow')).toBe(allow)
  })
})

describe('the address of what was made', () => {
  test('stands in Location, also of an answer that is repeated', async () => {
    const admin = await insertPerson({ roles: ['admin', 'editbugs'] })
    const place = await insertProduct()
    const headers = { 'idempotency-key': 'location' }
    const made = [
      ['/bug', buildBugBody(place), (id: number) => `/bug/${id}`],
      [
        '/keyword',
        { name: uniqueName('word'), description: 'x' },
        (id: number) => `/keyword/${id}`,
      ],
      [
        `/product/${place.name}/version`,
        { name: '9' },
        (id: number) => `/product/${place.name}/version/${id}`,
      ],
    ] as const
    for (const [path, body, addressOf] of made) {
      for (const isRepeated of [null, 'true']) {
        const answer = await send(admin, 'POST', `/rest${path}`, body, headers)
        expect(answer.headers.get('idempotent-replayed')).toBe(isRepeated)
        expect(answer.headers.get('location')).toBe(
          `https://tracker.test/rest${addressOf(answer.body.id)}`,
        )
      }
    }
    const bug = await postBug(admin, place)
    const file = { data: btoa('x'), file_name: 'x', summary: 'x', content_type: 'text/plain' }
    const attached = await send(admin, 'POST', `/rest/bug/${bug}/attachment`, file)
    const location = attached.headers.get('location') ?? ''
    expect(location).toContain(`/rest/bug/attachment/${attached.body.ids[0]}`)
    expect((await get(admin, location.replace('https://tracker.test', ''))).status).toBe(200)
    const changed = await send(admin, 'PUT', `/rest/bug/${bug}`, { whiteboard: 'x' })
    expect(changed.headers.get('location')).toBeNull()
  })
})

describe('an unknown path', () => {
  test.each([
    ['GET', '/rest'],
    ['GET', '/rest/'],
    ['GET', '/rest.cgi'],
    ['GET', '/rest/nowhere'],
    ['POST', '/rest/nowhere'],
    ['GET', '/rest/version/1'],
    ['GET', '/rest/version//x'],
  ])('at %s %s: 404 and 32614', async (method, path) => {
    expectFault(await send(ANYONE, method, path), 404, 32614, method)
  })

  test('answers 404 before the body and the credentials are read', async () => {
    const sender = { key: 'no such key' }
    expectFault(await send(sender, 'POST', '/rest/nowhere', '{'), 404, 32614)
  })

  test('answers an error object outside of /rest too', async () => {
    const answer = await get(ANYONE, '/no/such/page')
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).not.toBe('application/json')
  })
})

describe('an operation', () => {
  test('answers with the status that it declares', async () => {
    const making = createService([
      buildProbe({ method: 'POST', status: 201 }, async () => ({ id: 1 })),
    ])
    expect((await fetchFrom(making, '/rest/probe', { method: 'POST' })).status).toBe(201)
  })

  test('cannot be mounted when its input lacks a parameter of its path', () => {
    expect(() => buildEchoService(['GET', '/thing/:id', z.object({})])).toThrow('id')
  })

  test('may answer a bare JSON value', async () => {
    const bare = createService([buildProbe({}, async () => false)])
    expect(await (await fetchFrom(bare, '/rest/probe')).text()).toBe('false')
  })
})
