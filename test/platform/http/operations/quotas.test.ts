import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { insertPerson } from '../../../support/builders/people.ts'
import { errorShape } from '../../../support/client.ts'
import { fetchWith } from '../../../support/clients/service.ts'

const LIMITS = {
  ANONYMOUS_READS_PER_MINUTE: '3',
  READS_PER_MINUTE: '4',
  WRITES_PER_MINUTE: '2',
  LOGINS_PER_MINUTE: '1',
}

/** Twelve seconds into a minute of which nothing has been counted. */
let now = Date.UTC(2031, 0, 1, 0, 0, 12)

beforeEach(() => {
  now += 60_000
  vi.useFakeTimers({ toFake: ['Date'], now })
})

afterEach(() => {
  vi.useRealTimers()
})

type Request = { method?: string; key?: string; address?: string; body?: string }

function fetchLimited(path: string, request: Request = {}, bindings: object = {}) {
  const { method = 'GET', key, address, body } = request
  return fetchWith({ ...LIMITS, ...bindings }, path, {
    method,
    body,
    headers: {
      ...(key === undefined ? {} : { 'x-tracker-api-key': key }),
      ...(address === undefined ? {} : { 'cf-connecting-ip': address }),
    },
  })
}

function limitsOf({ status, headers }: Response) {
  return [status, headers.get('ratelimit-policy'), headers.get('ratelimit')]
}

async function expectRefused(response: Response): Promise<void> {
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('48')
  expect(errorShape.parse(await response.json())).toMatchObject({ code: 32000 })
}

describe('an answer that counts', () => {
  test('says which limit it counts against, how much is left at most, and for how long', async () => {
    const { key } = await insertPerson()
    expect(limitsOf(await fetchLimited('/rest/whoami', { key }))).toEqual([
      200,
      '"reads";q=4;w=60',
      '"reads";r=3;t=48',
    ])
    expect(limitsOf(await fetchLimited('/rest/whoami', { key }))[2]).toBe('"reads";r=2;t=48')
  })

  test('can be read by scripts of other sites', async () => {
    const { headers } = await fetchWith(LIMITS, '/rest/time', {
      headers: { origin: 'https://pages.test', 'cf-connecting-ip': '192.0.2.1' },
    })
    expect(headers.get('access-control-expose-headers')).toContain('ratelimit, ratelimit-policy')
  })

  test('costs no round trip more', async () => {
    const { key } = await insertPerson()
    await fetchLimited('/rest/whoami', { key })
    const { headers } = await fetchLimited('/rest/whoami', { key })
    expect(headers.get('server-timing')).toContain('1 trips, 1 statements')
  })
})

describe('a caller beyond a limit', () => {
  test('gets 429 with the error object, the seconds to wait, and none left', async () => {
    const { key } = await insertPerson()
    for (let n = 0; n < 4; n += 1) {
      expect((await fetchLimited('/rest/whoami', { key })).status).toBe(200)
    }
    const refused = await fetchLimited('/rest/whoami', { key })
    expect(limitsOf(refused)).toEqual([429, '"reads";q=4;w=60', '"reads";r=0;t=48'])
    await expectRefused(refused)
  })

  test('is served again when the minute is over', async () => {
    const { key } = await insertPerson()
    for (let n = 0; n < 5; n += 1) {
      await fetchLimited('/rest/whoami', { key })
    }
    now += 60_000
    vi.setSystemTime(now)
    expect((await fetchLimited('/rest/whoami', { key })).status).toBe(200)
  })

  test('cannot write, and has written nothing', async () => {
    const { key } = await insertPerson()
    const body = JSON.stringify({ description: 'mine' })
    const make = () => fetchLimited('/rest/api_key', { method: 'POST', key, body })
    expect([(await make()).status, (await make()).status]).toEqual([201, 201])
    await expectRefused(await make())
    const list = await fetchLimited('/rest/api_key', { key })
    expect(((await list.json()) as { api_keys: unknown[] }).api_keys).toHaveLength(3)
  })

  test('is alone with that: other people, addresses and kinds of requests have their own', async () => {
    const [ann, bob] = [await insertPerson(), await insertPerson()]
    const address = '192.0.2.7'
    for (let n = 0; n < 5; n += 1) {
      await fetchLimited('/rest/whoami', { key: ann.key, address })
    }
    const names = [
      await fetchLimited('/rest/whoami', { key: ann.key, address }),
      await fetchLimited('/rest/whoami', { key: bob.key, address }),
      await fetchLimited('/rest/bug_user_last_visit', { method: 'POST', key: ann.key, address }),
      await fetchLimited('/rest/time', { address }),
      await fetchLimited('/rest/login?login=nobody&password=wrong', { address }),
    ].map((response) => [response.status === 429, limitsOf(response)[2]])
    expect(names).toEqual([
      [true, '"reads";r=0;t=48'],
      [false, '"reads";r=3;t=48'],
      [false, '"writes";r=1;t=48'],
      [false, '"anonymous-reads";r=2;t=48'],
      [false, '"logins";r=0;t=48'],
    ])
  })

  test('may still read by another protocol, which sends reads by POST', async () => {
    const { key } = await insertPerson()
    const read = JSON.stringify({ method: 'User.whoami', id: 1 })
    const write = JSON.stringify({ method: 'BugUserLastVisit.update', id: 1 })
    const call = (body: string) => fetchLimited('/jsonrpc.cgi', { method: 'POST', key, body })
    expect(limitsOf(await call(read))[1]).toBe('"reads";q=4;w=60')
    expect(limitsOf(await call(write))[1]).toBe('"writes";q=2;w=60')
  })

  test('is refused before a password is looked at', async () => {
    const { login } = await insertPerson({ password: 'a good password' })
    const path = `/rest/login?${new URLSearchParams({ login, password: 'a good password' })}`
    const address = '192.0.2.8'
    expect((await fetchLimited(path, { address })).status).toBe(200)
    const refused = await fetchLimited(path, { address })
    await expectRefused(refused)
    expect(refused.headers.get('server-timing')).toContain('0 trips')
  })
})

describe('anonymous callers are counted', () => {
  test('by address, which is the network for IPv6', async () => {
    const left = []
    for (const address of [
      '192.0.2.9',
      '192.0.2.9',
      '2001:db8::1',
      '2001:db8::2:1',
      '192.0.2.10',
    ]) {
      left.push(limitsOf(await fetchLimited('/rest/time', { address }))[2])
    }
    expect(left.map((text) => /r=(\d)/.exec(String(text))?.[1])).toEqual(['2', '1', '2', '1', '2'])
  })

  test('not at all while their address is unknown', async () => {
    for (let n = 0; n < 5; n += 1) {
      expect(limitsOf(await fetchLimited('/rest/time'))).toEqual([200, null, null])
    }
  })
})

test('a limit of 0 counts no requests', async () => {
  const { key } = await insertPerson()
  const response = await fetchLimited('/rest/whoami', { key }, { READS_PER_MINUTE: '0' })
  expect(limitsOf(response)).toEqual([200, null, null])
})

describe('the limit of the platform', () => {
  test('refuses a password before it is verified, even if this isolate has counted none', async () => {
    const { login } = await insertPerson({ password: 'a good password' })
    const address = '192.0.2.11'
    while ((await env.LOGINS.limit({ key: address })).success) {
      // uses the limit up, as other isolates would
    }
    const generous = { LOGINS_PER_MINUTE: '1000' }
    const path = `/rest/login?${new URLSearchParams({ login, password: 'a good password' })}`
    // the second one is refused without asking again
    for (let n = 0; n < 2; n += 1) {
      const refused = await fetchLimited(path, { address }, generous)
      expect(limitsOf(refused)).toEqual([429, '"logins";q=1000;w=60', '"logins";r=0;t=48'])
      expect(refused.headers.get('server-timing')).toContain('0 trips')
      await expectRefused(refused)
    }
    const other = await fetchLimited(path, { address: '192.0.2.12' }, generous)
    expect(other.status).toBe(200)
  })

  test('admits everybody when it cannot be asked', async () => {
    const warned = vi.spyOn(console, 'warn').mockReturnValue()
    const silent = { limit: () => Promise.reject(new Error('out of reach')) }
    const { key, login } = await insertPerson({ password: 'a good password' })
    for (let n = 0; n < 3; n += 1) {
      const response = await fetchLimited('/rest/whoami', { key }, { READS: silent })
      expect(response.status).toBe(200)
    }
    const path = `/rest/login?${new URLSearchParams({ login, password: 'a good password' })}`
    const response = await fetchLimited(path, { address: '192.0.2.13' }, { LOGINS: silent })
    expect(response.status).toBe(200)
    expect(warned).toHaveBeenCalledTimes(4)
  })
})
