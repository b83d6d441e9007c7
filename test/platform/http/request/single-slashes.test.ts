import { describe, expect, test } from 'vitest'
import { withSingleSlashes } from '../../../../src/platform/http/request/single-slashes.ts'
import { Browser } from '../../../support/browser.ts'
import { buildBugBody, postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { ANYONE, expectFault, get, post, send } from '../../../support/client.ts'

const ORIGIN = 'https://tracker.test'

describe('several slashes in a row', () => {
  test.each([
    ['/rest/bug/1', '/rest/bug/1'],
    ['//rest/bug/1', '/rest/bug/1'],
    ['///rest.cgi///bug////1//', '/rest.cgi/bug/1/'],
    ['//', '/'],
    ['//evil.example', '/evil.example'],
    ['/\\evil.example', '/evil.example'],
    ['/rest/product/a%2F%2Fb', '/rest/product/a%2F%2Fb'],
    ['/rest/product/%2F/%2fb', '/rest/product/%2F/%2fb'],
    ['/rest/bug?url=https://x.example//a', '/rest/bug?url=https://x.example//a'],
    ['/rest//bug?url=https://x.example//a?b', '/rest/bug?url=https://x.example//a?b'],
    ['//?//', '/?//'],
  ])('are one in a path and stay in names and in the query: %s', (sent, seen) => {
    expect(withSingleSlashes(new Request(ORIGIN + sent)).url).toBe(ORIGIN + seen)
  })

  test('lose nothing of the request', async () => {
    const sent = { method: 'PUT', body: 'x', headers: { 'x-tracker-api-key': 'k' } }
    const seen = withSingleSlashes(new Request(`${ORIGIN}//rest//bug/1`, sent))
    expect([seen.method, seen.headers.get('x-tracker-api-key')]).toEqual(['PUT', 'k'])
    expect(await seen.text()).toBe('x')
  })

  test('lead to the same operation, page and file as one', async () => {
    const author = await insertPerson()
    const place = await insertProduct()
    const bug = await postBug(author, place)
    for (const path of [`/rest/bug//${bug}`, `//rest///bug/${bug}//`, `/rest.cgi//bug/${bug}`]) {
      expect((await get(ANYONE, path)).body.bugs[0].id, path).toBe(bug)
    }
    expect((await post(author, '/rest//bug//', buildBugBody(place))).status).toBe(200)
    for (const path of ['/bug//1', '/docs//search', '/latest//configuration', '//healthz//']) {
      const [doubled, single] = [
        await get(ANYONE, path),
        await get(ANYONE, path.replace(/\/+/g, '/')),
      ]
      expect([doubled.status, doubled.text], path).toEqual([single.status, single.text])
    }
    const { headers } = await get(ANYONE, '//favicon.ico')
    const icon = headers.get('location') ?? ''
    expect((await get(ANYONE, icon.replace('/assets/', '/assets//'))).status).toBe(200)
    expect((await send(ANYONE, 'GET', '/mcp//')).status).toBe(405)
  })

  test('are no path that does not exist otherwise', async () => {
    expectFault(await get(ANYONE, '/rest//nowhere'), 404, 32614, '/rest/nowhere')
    expect((await get(ANYONE, '//nowhere//1')).status).toBe(404)
  })

  test('stand in no address that an answer leads to', async () => {
    const author = await insertPerson()
    const place = await insertProduct()
    await postBug(author, place)
    await postBug(author, place)
    const query = `product=${place.name}&limit=1`
    const { headers: listed } = await get(ANYONE, `//rest//bug?${query}`)
    expect(listed.get('link')).toContain(`${ORIGIN}/rest/bug?${query}&`)
    const anonymous = await new Browser().open('//account//?tab=keys')
    expect(anonymous.headers.get('location')).toBe('/login?return=%2Faccount%2F%3Ftab%3Dkeys')
  })

  test('do not lead a reader whose session has ended to another host', async () => {
    const person = await insertPerson({ password: 'an old green door' })
    const browser = new Browser()
    const fields = { login: person.login, password: 'an old green door', return: '/' }
    const { headers } = await browser.submit('/login', '/login', fields)
    await browser.submit('/', '/logout', {})
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
    const ended = await new Browser().open('//bug//1?mark=2', { cookie })
    expect([ended.status, ended.headers.get('location')]).toEqual([303, '/bug/1?mark=2'])
    const unknown = await new Browser().open('//evil.example//', { cookie })
    expect([unknown.status, unknown.headers.get('location')]).toEqual([404, null])
  })
})
