import { describe, expect, test } from 'vitest'
import { ANYONE, get } from '../support/client.ts'

describe('pages', () => {
  test('greet people on the home page, and forbid scripts there', async () => {
    const answer = await get(ANYONE, '/')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('text/html')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.text).toContain('https://tracker.test/rest')
  })

  test('keep crawlers away from the API', async () => {
    expect((await get(ANYONE, '/robots.txt')).text).toContain('Disallow: /rest')
  })

  test('tell that the database answers, and nothing else', async () => {
    const answer = await get(ANYONE, '/healthz')
    expect(answer.body).toEqual({ status: 'ok' })
  })

  test.each([
    ['/bug/35', '/rest/bug/35'],
    ['/show_bug.cgi?id=35', '/rest/bug/35'],
  ])('lead from %s to %s', async (path, to) => {
    const answer = await get(ANYONE, path)
    expect({ status: answer.status, to: answer.headers.get('location') }).toEqual({
      status: 302,
      to,
    })
  })

  test('do not exist elsewhere', async () => {
    expect((await get(ANYONE, '/xmlrpc.cgi')).status).toBe(404)
  })
})
