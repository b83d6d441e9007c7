import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { createService } from '../../../../src/app.ts'
import { isMember } from '../../../../src/platform/access/caller.ts'
import { loggedIn } from '../../../../src/platform/http/operations/operation.ts'
import { newApiKey } from '../../../../src/platform/lib/crypto/secrets.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { buildProbe, fetchFrom } from '../../../support/clients/service.ts'

const BOOKMARK = '00000000-00000001-00000000-00000000000000000000000000000000'

/** Who a service says is calling. */
const service = createService([
  buildProbe({}, async ({ caller }) => caller),
  buildProbe({ method: 'POST' }, async ({ caller }) => caller),
  buildProbe({ path: '/login-needed', requires: loggedIn }, async () => ({})),
  buildProbe({ path: '/accepts-passwords', credentials: 'password' }, async ({ caller }) => caller),
  buildProbe(
    { path: '/ignores-credentials', credentials: 'ignored' },
    async ({ caller }) => caller,
  ),
  buildProbe({ path: '/call' }, async ({ ip, now, baseUrl }) => ({ ip, now, baseUrl })),
])

async function fetchCaller(path: string, headers: Record<string, string> = {}, bindings = {}) {
  const answer = await fetchFrom(service, path, { headers }, bindings)
  return answer.json<{ kind?: string; id?: number; code?: number }>()
}

/** D1 as it is, and a list of where each session was to begin. */
function recordSessions(): { DB: D1Database; begun: unknown[] } {
  const begun: unknown[] = []
  const DB = new Proxy(env.DB, {
    get: (target, name) =>
      name === 'withSession'
        ? (where: string) => {
            begun.push(where)
            return target.withSession(where)
          }
        : Reflect.get(target, name),
  })
  return { DB, begun }
}

describe('the caller of an operation', () => {
  test('is anonymous without credentials', async () => {
    expect(await fetchCaller('/rest/probe')).toEqual({ kind: 'anonymous' })
  })

  test('is the owner of the API key, with all groups', async () => {
    const somebody = await insertPerson()
    const its = await insertGroup([somebody])
    const members = createService([
      buildProbe({}, async ({ caller }) => ({ isIn: isMember(caller, its.id), caller })),
    ])
    const answer = await fetchFrom(members, '/rest/probe', {
      headers: { 'x-tracker-api-key': somebody.key },
    })
    expect(await answer.json()).toMatchObject({
      isIn: true,
      caller: { kind: 'person', id: somebody.id, login: somebody.login },
    })
  })

  test('is rejected with 306 for an unknown key, even where no login is required', async () => {
    expect(await fetchCaller('/rest/probe', { 'x-tracker-api-key': newApiKey() })).toMatchObject({
      code: 306,
    })
  })

  test('is anonymous where the operation ignores the credential, even an expired one', async () => {
    for (const name of ['x-tracker-api-key', 'x-tracker-token']) {
      const headers = { [name]: '1-stale' }
      expect(await fetchCaller('/rest/ignores-credentials', headers)).toEqual({ kind: 'anonymous' })
      expect(await fetchCaller('/rest/accepts-passwords', headers)).toEqual({ kind: 'anonymous' })
    }
  })

  test('is authenticated by a password where the operation accepts only passwords', async () => {
    expect(await fetchCaller('/rest/accepts-passwords?login=nobody&password=wrong')).toMatchObject({
      code: 300,
    })
    expect(await fetchCaller('/rest/ignores-credentials?login=nobody&password=wrong')).toEqual({
      kind: 'anonymous',
    })
  })
})

describe('a required login', () => {
  test('rejects anonymous callers of an operation that requires it with 410', async () => {
    expect(await fetchCaller('/rest/login-needed')).toMatchObject({ code: 410 })
  })

  test('is checked before the input is validated', async () => {
    const strict = createService([
      buildProbe({ requires: loggedIn, method: 'POST' }, async () => ({})),
    ])
    const answer = await fetchFrom(strict, '/rest/probe', { method: 'POST', body: '{"a":1}' })
    expect(answer.status).toBe(401)
  })

  test('applies with REQUIRE_LOGIN to every operation that accepts all credentials', async () => {
    const closed = { REQUIRE_LOGIN: 'on' }
    const somebody = await insertPerson()
    expect(await fetchCaller('/rest/probe', {}, closed)).toMatchObject({ code: 410 })
    expect(await fetchCaller('/rest/accepts-passwords', {}, closed)).toEqual({ kind: 'anonymous' })
    expect(await fetchCaller('/rest/ignores-credentials', {}, closed)).toEqual({
      kind: 'anonymous',
    })
    const known = { 'x-tracker-api-key': somebody.key }
    expect(await fetchCaller('/rest/probe', known, closed)).toMatchObject({ id: somebody.id })
  })
})

describe('the session on D1', () => {
  test.each<[string, string, Record<string, string>, string]>([
    ['an anonymous read', 'GET', {}, 'first-unconstrained'],
    ['an anonymous HEAD', 'HEAD', {}, 'first-unconstrained'],
    ['an anonymous write', 'POST', {}, 'first-primary'],
    ['a read with credentials', 'GET', { 'x-tracker-api-key': 'k' }, 'first-primary'],
    ['a read with a bookmark', 'GET', { 'x-d1-bookmark': BOOKMARK }, BOOKMARK],
    [
      'a read with a bookmark and credentials',
      'GET',
      { 'x-d1-bookmark': BOOKMARK, 'x-tracker-api-key': 'k' },
      BOOKMARK,
    ],
    ['a read with an invalid bookmark', 'GET', { 'x-d1-bookmark': 'x' }, 'first-unconstrained'],
    [
      'a read with a constraint of D1 for a bookmark',
      'GET',
      { 'x-d1-bookmark': 'first-primary' },
      'first-unconstrained',
    ],
    ['a write with a bookmark', 'POST', { 'x-d1-bookmark': BOOKMARK }, 'first-primary'],
  ])('reads from the required copy of the database for %s', async (_, method, headers, where) => {
    const { DB, begun } = recordSessions()
    await fetchFrom(service, '/rest/probe', { method, headers }, { DB })
    expect(begun[0]).toBe(where)
  })
})

describe('the context of a call', () => {
  test('has the address of the client, the time and the address of the service', async () => {
    const before = Math.floor(Date.now() / 1000)
    const answer = await fetchFrom(service, '/rest/call', {
      headers: { 'cf-connecting-ip': '192.0.2.7' },
    })
    const call = await answer.json<{ ip: string; now: number; baseUrl: string }>()
    expect(call).toMatchObject({ ip: '192.0.2.7', baseUrl: 'https://tracker.test' })
    expect(call.now).toBeGreaterThanOrEqual(before)
    expect(Number.isInteger(call.now)).toBe(true)
  })
})
