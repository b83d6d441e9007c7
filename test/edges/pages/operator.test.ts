import { afterEach, describe, expect, test, vi } from 'vitest'
import { ANYONE, get, send } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { interceptBatches } from '../../support/fakes/sessions.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('/healthz', () => {
  test('reports the status and the version, never from a cache', async () => {
    const answer = await get(ANYONE, '/healthz')
    expect(answer.status).toBe(200)
    const { version } = (await get(ANYONE, '/rest/version')).body
    expect(answer.body).toEqual({ status: 'ok', version })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect((await send(ANYONE, 'HEAD', '/healthz')).status).toBe(200)
  })

  test('works without a login even where the service requires one', async () => {
    expect((await fetchWith({ REQUIRE_LOGIN: 'on' }, '/healthz')).status).toBe(200)
  })

  test.each([
    ['sound', 200, { status: 'ok', version: expect.any(String) }],
    ['unchecked', 200, { status: 'ok', version: expect.any(String), database: 'being checked' }],
    ['damaged', 503, { status: 'damaged' }],
  ])('tells of a local database that is %s', async (state, status, body) => {
    const DATABASE_CHECK = { fetch: async () => new Response(state) }
    const response = await fetchWith({ DATABASE_CHECK }, '/healthz')
    expect({ status: response.status, body: await response.json() }).toEqual({ status, body })
  })

  test('answers 503 without the reason when the database fails, and logs the reason', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    const DB = interceptBatches(() => Promise.reject(new Error('D1_ERROR: secret place is full')))
    const response = await fetchWith({ DB }, '/healthz')
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({ status: 'unavailable' })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(String(logged.mock.calls[0]?.[0])).toContain('secret place')
  })

  test('answers 503 when the database takes too long', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const asked = fetchWith({ DB: interceptBatches(() => new Promise(() => {})) }, '/healthz')
    await vi.advanceTimersByTimeAsync(5_000)
    expect((await asked).status).toBe(503)
  })
})

test('robots.txt leaves bugs and products to crawlers, but not the API, files, lists and what is personal', async () => {
  const { status, text } = await get(ANYONE, '/robots.txt')
  expect(status).toBe(200)
  const closed = [...text.matchAll(/^Disallow: (.*)$/gm)].map(([, path = '']) => path)
  const isClosed = (address: string) => closed.some((path) => address.startsWith(path))
  expect(
    ['/rest/bug/1', '/attachment.cgi?id=1', '/bugs?product=x', '/people/1'].every(isClosed),
  ).toBe(true)
  expect(['/', '/bug/1', '/products/x', '/docs', '/keywords'].some(isClosed)).toBe(false)
})

describe('security.txt', () => {
  const PATH = '/.well-known/security.txt'

  test('is not there without a contact', async () => {
    expect((await get(ANYONE, PATH)).status).toBe(404)
  })

  test('names the contact, the rules and itself, and ends within a year', async () => {
    const response = await fetchWith(
      {
        SECURITY_CONTACT: 'mailto:security@example.test',
        SECURITY_POLICY: 'https://example.test/policy',
        BASE_URL: 'https://bugs.example.test',
      },
      PATH,
    )
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; ?charset=utf-8$/i)
    const text = await response.text()
    const expires = /^Expires: (\d{4}-\d\d-\d\dT00:00:00Z)$/m.exec(text)?.[1] ?? ''
    const days = (Date.parse(expires) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(179)
    expect(days).toBeLessThan(365)
    expect(text.replace(expires, '')).toBe(
      [
        'Contact: mailto:security@example.test',
        'Expires: ',
        'Policy: https://example.test/policy',
        'Canonical: https://bugs.example.test/.well-known/security.txt',
        '',
      ].join('\n'),
    )
  })

  test('has only a contact and an end when nothing else is set', async () => {
    const response = await fetchWith({ SECURITY_CONTACT: 'https://example.test/report' }, PATH)
    expect((await response.text()).match(/^[A-Z]\w+(?=:)/gm)).toEqual(['Contact', 'Expires'])
  })
})
