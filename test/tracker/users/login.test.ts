import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { newApiKey, sha256Hex } from '../../../src/platform/lib/crypto/secrets.ts'
import { insertApiKey, insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { NOW, uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, type Answer, expectFault, get, post } from '../../support/client.ts'
import { runStatements } from '../../support/database/statements.ts'

const PASSWORD = 'a good password'
const DAY = 86_400

function login(of: TestPerson, more = '', headers: Record<string, string> = {}): Promise<Answer> {
  const query = new URLSearchParams({ login: of.login, password: PASSWORD })
  return get(ANYONE, `/rest/login?${query}${more}`, headers)
}

async function tokenOf(of: TestPerson, more = '', headers: Record<string, string> = {}) {
  const answer = await login(of, more, headers)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.token as string
}

function whoami(token: string, ip?: string): Promise<Answer> {
  const headers = ip === undefined ? undefined : { 'cf-connecting-ip': ip }
  return get(ANYONE, `/rest/whoami?token=${token}`, headers)
}

function validLogin(query: Record<string, string>, headers: Record<string, string> = {}) {
  return get(ANYONE, `/rest/valid_login?${new URLSearchParams(query)}`, headers)
}

async function withPassword(): Promise<TestPerson> {
  return insertPerson({ password: PASSWORD })
}

describe('GET /login', () => {
  test('returns the ID and a token that begins with it', async () => {
    const ann = await withPassword()
    const answer = await login(ann)
    expect(answer.body).toEqual({
      id: ann.id,
      token: expect.stringMatching(new RegExp(`^${ann.id}-[0-9A-Za-z]{22}$`)),
    })
    expect((await whoami(answer.body.token)).body.id).toBe(ann.id)
  })

  test.each<[string, (ann: TestPerson) => [string, Record<string, string>]]>([
    ['headers', ({ login }) => ['', { 'x-tracker-login': login, 'x-tracker-password': PASSWORD }]],
    [
      'the other headers',
      ({ login }) => ['', { 'X-BUGZILLA-LOGIN': login, 'X-BUGZILLA-PASSWORD': PASSWORD }],
    ],
    [
      'long names',
      ({ login }) => [`?Tracker_login=${login}&Tracker_password=a%20good+password`, {}],
    ],
    [
      'the other long names',
      ({ login }) => [`?Bugzilla_login=${login}&Bugzilla_password=a+good+password`, {}],
    ],
  ])('accepts credentials in %s', async (_, sending) => {
    const ann = await withPassword()
    const [query, headers] = sending(ann)
    expect((await get(ANYONE, `/rest/login${query}`, headers)).body.id).toBe(ann.id)
  })

  test('takes a password with the white space around it with which it was set', async () => {
    const editor = await insertPerson({ roles: ['editusers'] })
    const email = `${uniqueName('spaced')}@example.test`
    const password = ' Up and away \t'
    await post(editor, '/rest/user', { email, password })
    for (const typed of [password, password.trim()]) {
      const query = new URLSearchParams({ login: email, password: typed })
      expect((await get(ANYONE, `/rest/login?${query}`)).status).toBe(200)
    }
    const query = new URLSearchParams({ login: email, password: 'Upandaway' })
    expectFault(await get(ANYONE, `/rest/login?${query}`), 401, 300)
  })

  test('makes a new token each time and keeps earlier ones', async () => {
    const ann = await withPassword()
    const [first, second] = [await tokenOf(ann), await tokenOf(ann)]
    expect(first).not.toBe(second)
    expect((await whoami(first)).status).toBe(200)
    expect((await whoami(second)).status).toBe(200)
  })

  test('ignores stale credentials', async () => {
    const ann = await withPassword()
    await tokenOf(ann, '&token=1-stale&Bugzilla_token=1-stale', {
      'x-tracker-token': '1-stale',
      'x-tracker-api-key': newApiKey(),
      authorization: 'Bearer stale',
    })
  })

  test.each(['restrict_login=true', 'Tracker_restrictlogin=1', 'Bugzilla_restrictlogin=True'])(
    'answers a token that works from one address alone to %s',
    async (wish) => {
      const ann = await withPassword()
      const token = await tokenOf(ann, `&${wish}`, { 'cf-connecting-ip': '192.0.2.7' })
      expect((await whoami(token, '192.0.2.7')).status).toBe(200)
      expectFault(await whoami(token, '192.0.2.8'), 400, 307)
    },
  )

  test.each(['restrict_login=0', 'restrict_login=false', 'remember=1'])(
    'answers a token that works from everywhere to %s',
    async (wish) => {
      const ann = await withPassword()
      const token = await tokenOf(ann, `&${wish}`, { 'cf-connecting-ip': '192.0.2.7' })
      expect((await whoami(token, '192.0.2.8')).status).toBe(200)
    },
  )

  test('remembers when, never what', async () => {
    const ann = await withPassword()
    const token = await tokenOf(ann)
    const [rows] = await runStatements([
      sql`SELECT tokens.*, last_seen_at FROM tokens JOIN users ON users.id = user_id
        WHERE user_id = ${ann.id}`,
    ])
    expect(rows).toMatchObject([{ hash: await sha256Hex(token), bound_ip: null }])
    expect(rows?.[0]?.last_seen_at).toBeGreaterThanOrEqual(NOW)
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  test('sweeps out tokens that nobody has used for long', async () => {
    const [ann, bob] = [await withPassword(), await insertPerson()]
    await runStatements([
      sql`INSERT INTO tokens (hash, user_id, created_at, last_used_at)
        VALUES (${crypto.randomUUID()}, ${bob.id}, 0, ${NOW - 8 * DAY}),
          (${crypto.randomUUID()}, ${bob.id}, 1, ${NOW - 6 * DAY})`,
    ])
    await tokenOf(ann)
    const [rows] = await runStatements([
      sql`SELECT created_at FROM tokens WHERE user_id = ${bob.id}`,
    ])
    expect(rows).toEqual([{ created_at: 1 }])
  })
})

describe('GET /login', () => {
  test.each([
    ['', 'login'],
    ['?password=x', 'login'],
    ['?login=x', 'password'],
    ['?login=', 'password'],
  ])('rejects a request without one of the two: /rest/login%s', async (query, missing) => {
    expectFault(await get(ANYONE, `/rest/login${query}`), 400, 50, `'${missing}'`)
  })

  test.each(['?login=&password=', '?login=x&password=', '?Tracker_login=&Tracker_password='])(
    'rejects empty ones as wrong ones: /rest/login%s',
    async (query) => {
      expectFault(await get(ANYONE, `/rest/login${query}`), 401, 300, 'username or password')
    },
  )

  test('rejects a wrong password, and keeps nothing of it', async () => {
    const ann = await withPassword()
    const query = new URLSearchParams({ login: ann.login, password: 'wrong' })
    expectFault(await get(ANYONE, `/rest/login?${query}`), 401, 300, 'username or password')
    const [rows] = await runStatements([sql`SELECT * FROM tokens WHERE user_id = ${ann.id}`])
    expect(rows).toEqual([])
  })
})

describe('logout', () => {
  test('ends the presented token and no other', async () => {
    const ann = await withPassword()
    const [first, second] = [await tokenOf(ann), await tokenOf(ann)]
    const answer = await get(ANYONE, `/rest/logout?token=${first}`)
    expect([answer.status, answer.body]).toEqual([200, {}])
    expectFault(await whoami(first), 400, 307)
    expect((await whoami(second)).status).toBe(200)
  })

  test('takes the token from its header too', async () => {
    const token = await tokenOf(await withPassword())
    await get(ANYONE, '/rest/logout', { 'x-bugzilla-token': token })
    expectFault(await whoami(token), 400, 307)
  })

  test.each(['', '?token=1-not-in-use', '?token=nonsense', '?token='])(
    'of nothing is no error: /rest/logout%s',
    async (query) => {
      const answer = await get(ANYONE, `/rest/logout${query}`)
      expect([answer.status, answer.body]).toEqual([200, {}])
    },
  )

  test('does nothing to an API key', async () => {
    const ann = await insertPerson()
    expect((await get(ann, '/rest/logout')).body).toEqual({})
    expect((await get(ann, '/rest/whoami')).status).toBe(200)
  })
})

describe('GET /valid_login', () => {
  test('is true for a token and its own login', async () => {
    const ann = await withPassword()
    const token = await tokenOf(ann)
    const answer = await validLogin({ login: ann.login, token })
    expect(answer.text).toBe('true')
    expect(answer.headers.get('content-type')).toBe('application/json')
  })

  test('is true for a key, and for a login with its password', async () => {
    const ann = await withPassword()
    const byKey = await validLogin({ login: ann.login }, { 'x-bugzilla-api-key': ann.key })
    expect(byKey.text).toBe('true')
    const byPassword = await validLogin({ login: ann.login, password: PASSWORD })
    expect(byPassword.text).toBe('true')
  })

  test('is false for another login, and for the own login in another case', async () => {
    const [ann, bob] = [await withPassword(), await insertPerson()]
    const token = await tokenOf(ann)
    for (const other of [bob.login, ann.login.toUpperCase(), 'nobody', '']) {
      expect((await validLogin({ login: other, token })).text, other).toBe('false')
    }
  })

  test('is false without credentials, and for a token that is not in use', async () => {
    const ann = await insertPerson()
    expect((await validLogin({ login: ann.login })).text).toBe('false')
    expect((await validLogin({ login: ann.login, token: `${ann.id}-x` })).text).toBe('false')
    expect((await validLogin({ login: ann.login, token: 'nonsense' })).text).toBe('false')
  })
})

describe('GET /valid_login', () => {
  test('rejects a request without a login', async () => {
    expectFault(await get(ANYONE, '/rest/valid_login'), 400, 50, "'login'")
    expectFault(await get(await insertPerson(), '/rest/valid_login?token='), 400, 50, "'login'")
  })

  test('rejects a key that is not known, or revoked', async () => {
    const ann = await insertPerson()
    const { key } = await insertApiKey(ann, { revoked: true })
    for (const sent of [key, newApiKey()]) {
      const answer = await validLogin({ login: ann.login, api_key: sent })
      expectFault(answer, 400, 306, 'API key')
    }
  })

  test('rejects a wrong password', async () => {
    const ann = await withPassword()
    expectFault(await validLogin({ login: ann.login, password: 'wrong' }), 401, 300)
  })
})
