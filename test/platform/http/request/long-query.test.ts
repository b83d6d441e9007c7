import { describe, expect, test } from 'vitest'
import { ANYONE, get, send } from '../../../support/client.ts'
import { fetchWith } from '../../../support/clients/service.ts'

const LIMIT = 10 * 1024

/** A query of so many bytes. */
function buildQuery(bytes: number): string {
  return `?a=${'x'.repeat(bytes - 2)}`
}

describe('a query string over 10 KB', () => {
  test.each(['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'])(
    'sends a %s to the home page',
    async (method) => {
      const answer = await send(ANYONE, method, `/rest/bug${buildQuery(LIMIT + 1)}`)
      expect(answer.status).toBe(302)
      expect(answer.headers.get('location')).toBe('/?query_over_10_KB=1')
      expect(answer.text).toBe('')
    },
  )

  test('is redirected for any path, below /rest and elsewhere', async () => {
    for (const path of ['/rest/nowhere', '/nowhere', '/', '/rest.cgi/bug']) {
      expect((await get(ANYONE, path + buildQuery(LIMIT + 1))).status).toBe(302)
    }
  })

  test('is redirected before credentials are verified', async () => {
    const wrong = { key: 'no such key' }
    expect((await get(wrong, `/rest/whoami${buildQuery(LIMIT + 1)}`)).status).toBe(302)
    expect((await get(wrong, '/rest/whoami')).status).toBe(400)
  })

  test('is redirected with CORS headers', async () => {
    const { headers } = await get(ANYONE, `/rest/version${buildQuery(LIMIT + 1)}`)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
  })

  test('is redirected to the home page of BASE_URL', async () => {
    const answer = await fetchWith(
      { BASE_URL: 'https://bugs.example.com/tracker' },
      `/rest/version${buildQuery(LIMIT + 1)}`,
    )
    expect(answer.headers.get('location')).toBe(
      'https://bugs.example.com/tracker/?query_over_10_KB=1',
    )
  })
})

describe('a query string of 10 KB', () => {
  test('is served', async () => {
    expect((await get(ANYONE, `/rest/version${buildQuery(LIMIT)}`)).status).toBe(200)
  })

  test('is measured in bytes, with characters escaped as they were sent', async () => {
    const letters = Math.floor((LIMIT - 2) / '%C3%A9'.length)
    expect((await get(ANYONE, `/rest/version?a=${'é'.repeat(letters)}`)).status).toBe(200)
    expect((await get(ANYONE, `/rest/version?a=${'é'.repeat(letters + 1)}`)).status).toBe(302)
  })
})
