import { describe, expect, test } from 'vitest'
import { ANYONE, expectFault, get, send } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'

describe('pages', () => {
  test('answer the home page with a policy that forbids scripts', async () => {
    const answer = await get(ANYONE, '/')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('text/html')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.text).toContain('https://tracker.test/rest')
  })

  test.each([[{}], [{ accept: '*/*' }], [{ accept: 'application/json, text/plain' }]])(
    'answer an error to clients of a long query that send %j',
    async (headers: Record<string, string>) => {
      const answer = await get(ANYONE, '/?query_over_10_KB=1', headers)
      expectFault(answer, 400, 32_000, '10 KB')
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(answer.headers.get('vary')).toContain('Accept')
    },
  )

  test('tell browsers that come from a long query why they are here', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const answer = await get(ANYONE, '/?query_over_10_KB=1', { accept })
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('Sent here by a long query?')
    expect((await get(ANYONE, '/?a=1')).text).not.toContain('Sent here')
  })

  test('load assets whose names change with their contents', async () => {
    const { text } = await get(ANYONE, '/')
    const paths = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    )
    expect(new Set(paths.map((path) => path.replace(/^.*\./, '')))).toEqual(
      new Set(['css', 'js', 'svg']),
    )
    for (const path of paths) {
      const asset = await get(ANYONE, path)
      expect(asset.status).toBe(200)
      expect(asset.headers.get('cache-control')).toContain('immutable')
      expect(asset.headers.get('content-type')).toMatch(/css|javascript|svg/)
    }
    expect((await get(ANYONE, '/assets/nothing.css')).status).toBe(404)
  })

  test('carry a tag for anonymous readers, who need not read the same again', async () => {
    const { headers } = await get(ANYONE, '/')
    const tag = headers.get('etag') ?? ''
    expect((await get(ANYONE, '/', { 'if-none-match': tag })).status).toBe(304)
  })

  test.each([['/page.cgi?id=quicksearch.html', '/docs/search#quicksearch']])(
    'redirect from %s to %s',
    async (path, to) => {
      const answer = await get(ANYONE, path)
      expect({ status: answer.status, to: answer.headers.get('location') }).toEqual({
        status: 302,
        to,
      })
    },
  )

  test.each([
    ['POST', '/healthz', 'GET, HEAD'],
    ['POST', '/docs', 'GET, HEAD'],
    ['PUT', '/docs/search', 'GET, HEAD'],
    ['POST', '/show_bug.cgi', 'GET, HEAD'],
    ['DELETE', '/bug/1', 'GET, HEAD, POST'],
    ['DELETE', '/account/email', 'GET, HEAD, POST'],
    ['POST', '/', 'GET, HEAD'],
    ['POST', '/attachment.cgi', 'GET, HEAD'],
    ['POST', '/favicon.ico', 'GET, HEAD'],
  ])('answer %s %s with 405 and the methods that the path takes', async (method, path, allow) => {
    const { status, headers } = await send(ANYONE, method, path)
    expect([status, headers.get('allow')]).toEqual([405, allow])
  })

  test.each(['/attachment/1', '/attachment.cgi'])(
    'answer so at %s before they read what was sent',
    async (path) => {
      const answer = await fetchWith({}, path, { method: 'POST', body: 'id=1' })
      expect(answer.status).toBe(405)
    },
  )

  test.each(['/products', '/keywords', '/bugs?product=none', '/search', '/requests'])(
    'lead from %s nowhere, also where the address of the service has a path',
    async (path) => {
      for (const BASE_URL of ['', 'https://example.test/tracker']) {
        expect((await fetchWith({ BASE_URL }, path, { redirect: 'manual' })).status).toBe(200)
      }
    },
  )

  test('answer HEAD where they answer GET', async () => {
    for (const path of ['/healthz', '/docs', '/']) {
      expect((await send(ANYONE, 'HEAD', path)).status, path).toBe(200)
    }
  })

  test('answer 404 at other paths', async () => {
    expect((await get(ANYONE, '/nothing.cgi')).status).toBe(404)
    expect((await send(ANYONE, 'POST', '/nothing.cgi')).status).toBe(404)
  })

  test.each([
    ['GET', '/nothing.cgi', 404, 'There is no such thing'],
    ['GET', '/docs/nothing', 404, 'There is no such thing'],
    ['GET', '/attachment/98765432/details', 404, 'There is no such thing'],
    ['GET', '/logout', 405, 'This address is for the forms of a page'],
    ['PUT', '/bugs', 405, 'This address is for the forms of a page'],
  ])('answer %s %s with a page to people, with a short text to programs', async (...row) => {
    const [method, path, status, says] = row
    const people = await fetchWith({}, path, { method, headers: { accept: 'text/html' } })
    expect([people.status, people.headers.get('content-type')]).toEqual([
      status,
      'text/html; charset=UTF-8',
    ])
    expect(people.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await people.text()).toContain(says)
    const program = await fetchWith({}, path, { method })
    expect(program.status).toBe(status)
    expect(await program.text()).not.toContain('<')
    expect(people.headers.get('allow')).toBe(program.headers.get('allow'))
  })
})
