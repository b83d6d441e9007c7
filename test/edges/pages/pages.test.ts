import { describe, expect, test } from 'vitest'
import { ANYONE, expectFault, get } from '../../support/client.ts'

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

  test('show the home page to browsers, also after a long query', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    for (const answer of [
      await get(ANYONE, '/?query_over_10_KB=1', { accept }),
      await get(ANYONE, '/?a=1'),
    ]) {
      expect(answer.status).toBe(200)
      expect(answer.text).toContain('Sent here by a long query?')
    }
  })

  test.each([
    ['/bug/35', '/rest/bug/35'],
    ['/show_bug.cgi?id=35', '/rest/bug/35'],
    ['/page.cgi?id=quicksearch.html', '/docs/search#quicksearch'],
  ])('redirect from %s to %s', async (path, to) => {
    const answer = await get(ANYONE, path)
    expect({ status: answer.status, to: answer.headers.get('location') }).toEqual({
      status: 302,
      to,
    })
  })

  test('answer 404 at other paths', async () => {
    expect((await get(ANYONE, '/nothing.cgi')).status).toBe(404)
  })
})
