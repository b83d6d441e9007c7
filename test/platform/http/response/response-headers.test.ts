import { describe, expect, test, vi } from 'vitest'
import { createService } from '../../../../src/app.ts'
import { CREDENTIAL_HEADERS } from '../../../../src/platform/http/request/credentials.ts'
import { insertBug } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { ANYONE, get, send } from '../../../support/client.ts'
import { buildProbe, fetchFrom, fetchWith } from '../../../support/clients/service.ts'

describe('every answer below /rest', () => {
  const requests: [string, string, string][] = [
    ['an answer', 'GET', '/rest/version'],
    ['an answer without a body', 'HEAD', '/rest/version'],
    ['a refusal', 'GET', '/rest/whoami'],
    ['an unknown path', 'GET', '/rest/nowhere'],
    ['an unknown method', 'PATCH', '/rest/version'],
    ['a preflight', 'OPTIONS', '/rest/version'],
    ['a preflight of an unknown path', 'OPTIONS', '/rest/nowhere'],
    ['a broken body', 'POST', '/rest/api_key'],
    ['the other prefix', 'GET', '/rest.cgi/nowhere'],
    ['the root', 'GET', '/rest'],
  ]

  test.each(requests)('can be read by scripts of all origins: %s', async (_, method, path) => {
    const { headers } = await send(ANYONE, method, path, method === 'POST' ? '{' : undefined)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    const allowed = (headers.get('access-control-allow-headers') ?? '').split(', ')
    expect(allowed).toEqual(
      expect.arrayContaining([
        'accept',
        'authorization',
        'content-type',
        'origin',
        'user-agent',
        'x-requested-with',
        'x-tracker-api-key',
        'x-tracker-token',
        'x-bugzilla-api-key',
        'x-bugzilla-login',
        'x-d1-bookmark',
      ]),
    )
    expect(headers.get('vary')).toBe('Accept')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('set-cookie')).toBeNull()
  })

  test.each(requests)(
    'tells a page of another site what it may read: %s',
    async (_, method, path) => {
      const body = method === 'POST' ? '{' : null
      const init = { method, body, headers: { origin: 'https://pages.test' } }
      const exposed = (await fetchWith({}, path, init)).headers.get('access-control-expose-headers')
      expect(exposed?.split(', ')).toEqual(
        expect.arrayContaining(['etag', 'retry-after', 'x-d1-bookmark', 'x-request-id']),
      )
      const { headers } = await send(ANYONE, method, path, body ?? undefined)
      expect(headers.has('access-control-expose-headers'), 'only for requests with an origin').toBe(
        false,
      )
    },
  )

  test('is JSON without a charset', async () => {
    expect((await get(ANYONE, '/rest/version')).headers.get('content-type')).toBe(
      'application/json',
    )
    expect((await get(ANYONE, '/rest/nowhere')).headers.get('content-type')).toBe(
      'application/json',
    )
  })

  test('has the ID of the request when something may be logged under it', async () => {
    const service = createService([
      buildProbe({}, async (ctx) => {
        ctx.defer(async () => undefined)
        return {}
      }),
    ])
    const idIn = ({ headers }: { headers: Headers }) => headers.get('x-request-id')
    const ids = [
      await fetchFrom(service, '/rest/probe'),
      await fetchFrom(service, '/rest/probe'),
    ].map(idIn)
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.anything()])
    expect(ids[0]).not.toBe(ids[1])
    expect(idIn(await get(ANYONE, '/rest/version')), 'nothing to be found').toBeNull()
  })

  test('sets HSTS when the request came over TLS', async () => {
    const secure = await get(ANYONE, '/rest/version')
    expect(secure.headers.get('strict-transport-security')).toMatch(/^max-age=\d+$/)
    const service = createService([buildProbe({}, async () => ({}))])
    const plain = await service.fetch(new Request('http://tracker.test/rest/nowhere'))
    expect(plain.headers.get('strict-transport-security')).toBeNull()
  })
})

describe('an answer may be cached', () => {
  test('by all caches when it is public', async () => {
    expect((await get(ANYONE, '/rest/version')).headers.get('cache-control')).toBe('no-cache')
  })

  test('by private caches when the request has a key or a token', async () => {
    const { headers } = await get(await insertPerson(), '/rest/whoami')
    expect(headers.get('cache-control')).toBe('private, no-cache')
  })

  test('by no cache when the request has a password', async () => {
    const { headers } = await get(ANYONE, '/rest/login?login=nobody&password=wrong')
    expect(headers.get('cache-control')).toBe('no-store')
  })
})

describe('with PUBLIC_CACHE_SECONDS', () => {
  const CACHED = { PUBLIC_CACHE_SECONDS: '60' }
  const PUBLIC = 'public, max-age=60'

  async function fetchCacheControl(path: string, headers: Record<string, string> = {}) {
    return (await fetchWith(CACHED, path, { headers })).headers.get('cache-control')
  }

  test('an answer that everybody gets may be kept, and revalidated', async () => {
    const response = await fetchWith(CACHED, '/rest/product_selectable')
    expect(response.headers.get('cache-control')).toBe(PUBLIC)
    const headers = { 'if-none-match': response.headers.get('etag') ?? '' }
    const again = await fetchWith(CACHED, '/rest/product_selectable', { headers })
    expect([again.status, again.headers.get('cache-control')]).toEqual([304, PUBLIC])
  })

  test('so may one that is streamed', async () => {
    const service = createService([buildProbe({}, async () => new Response('{}'))])
    const { headers } = await fetchFrom(service, '/rest/probe', {}, CACHED)
    expect(headers.get('cache-control')).toBe(PUBLIC)
    expect(headers.get('vary')).toContain('x-tracker-api-key')
  })

  test('it names every header that may change it, and hides whose requests were counted', async () => {
    const { headers } = await fetchWith(
      { ...CACHED, ANONYMOUS_READS_PER_MINUTE: '100' },
      '/rest/product_selectable',
      { headers: { 'cf-connecting-ip': '192.0.2.50' } },
    )
    const varying = (headers.get('vary') ?? '').toLowerCase().split(', ')
    expect(varying).toEqual(
      expect.arrayContaining(['accept', 'authorization', 'x-d1-bookmark', ...CREDENTIAL_HEADERS]),
    )
    expect(headers.get('ratelimit')).toBeNull()
    expect(headers.get('ratelimit-policy')).toContain('anonymous-reads')
    expect(headers.get('access-control-expose-headers')).toContain('etag')
  })

  test('no response to a credential, valid or not, may be kept by shared caches', async () => {
    const { key } = await insertPerson()
    const path = '/rest/product_selectable'
    const sent = [
      await fetchCacheControl(path, { 'x-tracker-api-key': key }),
      await fetchCacheControl(path, { 'x-bugzilla-api-key': key }),
      await fetchCacheControl(path, { authorization: `Bearer ${key}` }),
      await fetchCacheControl(`${path}?api_key=${key}`),
      await fetchCacheControl(`${path}?token=nonsense`),
      await fetchCacheControl(path, { 'x-tracker-login': 'somebody' }),
      await fetchCacheControl(path, { authorization: 'Basic eDp5' }),
    ]
    for (const cacheControl of sent) {
      expect(cacheControl).not.toContain('public')
    }
    expect(sent.slice(0, 5)).toEqual(Array(5).fill('private, no-cache'))
  })

  test('nor may a refusal, so that a bug that becomes public is seen at once', async () => {
    const paths = ['/rest/bug/987654321', '/rest/bug', '/rest/whoami', '/rest/nowhere']
    for (const path of paths) {
      expect(await fetchCacheControl(path), path).toBe('no-cache')
    }
    const hidden = await insertBug({ groups: [await insertGroup([])] })
    expect(await fetchCacheControl(`/rest/bug/${hidden.id}`)).toBe('no-cache')
  })

  test('neither may an answer of this moment, for a bookmark, or of a login', async () => {
    expect(await fetchCacheControl('/rest/time')).toBe('no-cache')
    expect(await fetchCacheControl('/rest/last_audit_time')).toBe('no-cache')
    expect(await fetchCacheControl('/rest/valid_login?login=x')).not.toContain('public')
    expect(await fetchCacheControl('/rest/logout')).not.toContain('public')
    const bookmark = {
      'x-d1-bookmark': '00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683',
    }
    expect(await fetchCacheControl('/rest/product_selectable', bookmark)).toBe('no-cache')
  })
})

describe('the cost of an answer', () => {
  test('is in Server-Timing when the setting is on', async () => {
    const { headers } = await get(await insertPerson(), '/rest/whoami')
    expect(headers.get('server-timing')).toMatch(
      /^d1;dur=\d+\.\d\d;desc="1 trips, 1 statements, \d+ read, 0 written", statement;dur=\d+\.\d\d;desc="at most \d+ read"$/,
    )
    const silent = await fetchWith({ SERVER_TIMING: 'off' }, '/rest/version')
    expect(silent.headers.get('server-timing')).toBeNull()
  })

  test('is shown to administrators alone when the setting is off', async () => {
    const people = [await insertPerson({ roles: ['admin'] }), await insertPerson()]
    const shown = []
    for (const { key } of people) {
      const init = { headers: { 'x-tracker-api-key': key } }
      // the second answer is for the cached identity
      for (const path of ['/rest/whoami', '/rest/whoami']) {
        const { headers } = await fetchWith({ SERVER_TIMING: 'off' }, path, init)
        shown.push(headers.get('server-timing') !== null)
      }
    }
    expect(shown).toEqual([true, true, false, false])
  })

  test('has a bookmark of the state that was read, and none without a read', async () => {
    const { headers } = await get(await insertPerson(), '/rest/whoami')
    expect(headers.get('x-d1-bookmark')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{8}){2}-[0-9a-f]{32}$/)
    expect((await get(ANYONE, '/rest/version')).headers.get('x-d1-bookmark')).toBeNull()
  })
})

describe('deferred work', () => {
  test('runs although the call was rejected', async () => {
    const done: string[] = []
    const service = createService([
      buildProbe({}, async (ctx) => {
        ctx.defer(async () => done.push('done'))
        throw new TypeError('broken')
      }),
    ])
    const silenced = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    expect((await fetchFrom(service, '/rest/probe')).status).toBe(500)
    silenced.mockRestore()
    expect(done).toEqual(['done'])
  })

  test('is logged when it fails, without effect on the answer and other work', async () => {
    const done: string[] = []
    const service = createService([
      buildProbe({}, async (ctx) => {
        ctx.defer(() => {
          throw new RangeError('it broke')
        })
        ctx.defer(async () => done.push('done'))
        return { fine: true }
      }),
    ])
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const answer = await fetchFrom(service, '/rest/probe')
    const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)))
    logged.mockRestore()
    expect(await answer.json()).toEqual({ fine: true })
    expect(done).toEqual(['done'])
    expect(lines).toMatchObject([
      { level: 'error', name: 'RangeError', requestId: answer.headers.get('x-request-id') },
    ])
  })
})
