import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createService } from '../../../../src/app.ts'
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

  test('answers 404 where GET does', async () => {
    expect((await fetchFrom(service, '/rest/file/a', { method: 'HEAD' })).status).toBe(404)
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
    ['POST', '/rest/version'],
    ['PATCH', '/rest/version'],
    ['DELETE', '/rest/api_key'],
    ['GET', '/rest/version//x'],
  ])('at %s %s: 404 and 32614, never 405', async (method, path) => {
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
