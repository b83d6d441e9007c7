import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { routedPath } from '../../../../src/platform/http/request/path.ts'
import { ANYONE, get, send } from '../../../support/client.ts'
import { buildEchoService, fetchFrom } from '../../../support/clients/service.ts'

describe('routedPath', () => {
  test.each([
    ['/rest/bug/1', '/rest/bug/1'],
    ['/rest/bug/1?id=2', '/rest/bug/1'],
    ['/rest/bug?x=/a/b', '/rest/bug'],
    ['/rest/bug/', '/rest/bug'],
    ['/rest/', '/rest'],
    ['/', '/'],
    ['/?q', '/'],
    ['/rest.cgi/bug/1', '/rest/bug/1'],
    ['/rest/component/a/b/c', '/rest/component/a/b/c'],
    ['/rest.cgi/version/', '/rest/version'],
    ['/rest.cgi', '/rest'],
    ['/latest/configuration', '/rest/configuration'],
    ['/bzapi/configuration/?flags=0', '/rest/configuration'],
    ['/latest/bug/1', '/latest/bug/1'],
    ['/x/latest/configuration', '/x/latest/configuration'],
    ['/rest.cgix/bug', '/rest.cgix/bug'],
    ['/a/rest.cgi/bug', '/a/rest.cgi/bug'],
    ['/rest/product%5Fselectable', '/rest/product_selectable'],
    ['/rest/product/a%2Eb%2Dc', '/rest/product/a.b-c'],
    ['/rest/product/a%2Fb', '/rest/product/a%2Fb'],
    ['/rest/user/joe%40example.com', '/rest/user/joe%40example.com'],
    ['/rest/product/%25', '/rest/product/%25'],
    ['/rest/product/%zz', '/rest/product/%zz'],
  ])('converts %s to %s', (path, expected) => {
    expect(routedPath(new Request(`https://tracker.test${path}`))).toBe(expected)
  })

  test.each([
    ['POST', 'text/xml', '/xmlrpc.cgi'],
    ['POST', 'Application/XML; charset=utf-8', '/xmlrpc.cgi'],
    ['POST', 'text/xmlish', '/'],
    ['POST', 'application/x-www-form-urlencoded', '/'],
    ['PUT', 'text/xml', '/'],
  ])('takes a %s of %s to the address itself to %s', (method, type, expected) => {
    const headers = { 'content-type': type }
    const request = new Request('https://tracker.test/', { method, headers, body: '' })
    expect(routedPath(request)).toBe(expected)
  })
})

describe('a name in a path', () => {
  const service = buildEchoService(['GET', '/product/:name', z.object({ name: z.string() })])

  test.each([
    ['Plain', 'Plain'],
    ['Two%20words', 'Two words'],
    ['a%2Fb', 'a/b'],
    ['a+b', 'a+b'],
    ['100%25', '100%'],
    ['%C3%A9t%C3%A9', 'été'],
    ['%6A%6F%65%40%65%78%61%6D%70%6C%65%2E%63%6F%6D', 'joe@example.com'],
    ['%FF', '%FF'],
    ['%zz', '%zz'],
  ])('%s is read as %s', async (written, name) => {
    const answer = await fetchFrom(service, `/rest/product/${written}`)
    expect(await answer.json()).toEqual({ name })
  })
})

describe('an operation', () => {
  test.each(['/rest/version', '/rest/version/', '/rest.cgi/version', '/rest.cgi/version/'])(
    'answers at %s',
    async (path) => {
      expect((await get(ANYONE, path)).body).toEqual({ version: expect.any(String) })
    },
  )

  test('is not found under a path in upper case', async () => {
    const answer = await send(ANYONE, 'GET', '/rest/Version')
    expect(answer.status).toBe(404)
    expect(answer.body.code).toBe(32614)
  })
})
