import { describe, expect, test } from 'vitest'
import { ANYONE, get } from '../support/client.ts'

describe('pages', () => {
  test('answer the home page with a policy that forbids scripts', async () => {
    const answer = await get(ANYONE, '/')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('text/html')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.text).toContain('https://tracker.test/rest')
  })

  test('exclude crawlers from the API in robots.txt', async () => {
    expect((await get(ANYONE, '/robots.txt')).text).toContain('Disallow: /rest')
  })

  test('answer the health check with the status alone', async () => {
    const answer = await get(ANYONE, '/healthz')
    expect(answer.body).toEqual({ status: 'ok' })
  })

  test.each([
    ['/bug/35', '/rest/bug/35'],
    ['/show_bug.cgi?id=35', '/rest/bug/35'],
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
