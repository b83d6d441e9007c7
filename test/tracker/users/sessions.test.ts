import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { toDatetime } from '../../../src/platform/lib/time.ts'
import { endOtherSessions } from '../../../src/tracker/users/sessions/end.ts'
import { listSessions } from '../../../src/tracker/users/sessions/list.ts'
import { signIn, signOut } from '../../../src/tracker/users/sessions/sign-in.ts'
import { getCaller } from '../../../src/tracker/users/whoami.ts'
import { insertApiKey, insertPerson, insertToken } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { NOW } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, put, send } from '../../support/client.ts'
import { callFromPage, isSignedIn, signInAs } from '../../support/clients/pages.ts'
import { isTokenValid } from '../../support/clients/users.ts'
import { execute } from '../../support/database/execute.ts'

const PASSWORD = 'a good password'
const DAY = 86_400

const withPassword = () => insertPerson({ password: PASSWORD })
const listed = async (who: TestPerson) => (await get(who, '/rest/session')).body.sessions

const editor = await insertPerson({ roles: ['editusers'] })

describe('signing in at a page', () => {
  test('begins a session that calls operations with the rights of its owner, and no others', async () => {
    const ann = await withPassword()
    const session = await signInAs(ann)
    expect(session).toMatch(new RegExp(`^${ann.id}-[0-9A-Za-z]{22}$`))
    for (let time = 0; time < 2; time += 1) {
      const { body } = await callFromPage(getCaller, { credentials: { session } })
      expect(body).toMatchObject({ id: ann.id, name: ann.login })
    }
  })

  test('is refused like a login: by a wrong password, by a lock, until there is a new password', async () => {
    const ann = await withPassword()
    const attempt = (password: string) =>
      callFromPage(signIn, { credentials: { login: ann.login, password } })
    for (let wrong = 0; wrong < 4; wrong += 1) {
      expect((await attempt('wrong')).body.code).toBe(300)
    }
    expect((await attempt('wrong')).body).toMatchObject({ code: 301 })
    expect((await attempt(PASSWORD)).body).toMatchObject({ code: 301 })
    const renewing = await withPassword()
    await put(editor, `/rest/user/${renewing.id}`, { password_change_required: true })
    const answer = await callFromPage(signIn, {
      credentials: { login: renewing.login, password: PASSWORD },
    })
    expect(answer).toMatchObject({ status: 400, body: { code: 305 } })
    expect(await listed(renewing)).toEqual([])
  })

  test('counts against the limit of passwords of an address', async () => {
    const ann = await withPassword()
    const call = {
      credentials: { login: ann.login, password: PASSWORD },
      headers: { 'cf-connecting-ip': '192.0.2.77' },
      bindings: { LOGINS_PER_MINUTE: '1' },
    }
    expect((await callFromPage(signIn, call)).status).toBe(200)
    expect((await callFromPage(signIn, call)).status).toBe(429)
  })

  test('needs login and password', async () => {
    expect((await callFromPage(signIn)).body).toMatchObject({ code: 50 })
    const answer = await callFromPage(signIn, { credentials: { login: 'x' } })
    expect(answer.body.message).toContain('password')
  })
})

describe('the value of a session', () => {
  test('is no token, no key and no cookie below /rest, and a token is no session', async () => {
    const ann = await withPassword()
    const session = await signInAs(ann)
    expectFault(await get(ANYONE, `/rest/whoami?token=${session}`), 400, 307)
    expectFault(await get(ANYONE, '/rest/whoami', { 'x-tracker-api-key': session }), 400, 306)
    expectFault(await get(ANYONE, '/rest/whoami', { authorization: `Bearer ${session}` }), 400, 306)
    const cookies = { cookie: `session=${session}; token=${session}`, 'x-tracker-session': session }
    expectFault(await get(ANYONE, `/rest/whoami?session=${session}`, cookies), 401, 410)
    expect(await isSignedIn(await insertToken(ann))).toBe(false)
    expect(await isSignedIn(ann.key)).toBe(false)
  })

  test('is stored as a hash alone', async () => {
    const ann = await withPassword()
    const [, secret = ''] = (await signInAs(ann)).split('-')
    const [row] = await execute(sql`SELECT * FROM sessions WHERE user_id = ${ann.id}`)
    expect(Object.values(row ?? {}).join(' ')).not.toContain(secret)
  })

  test('keeps what a page answers out of shared caches', async () => {
    const session = await signInAs(await withPassword())
    const { headers } = await callFromPage(getCaller, { credentials: { session } })
    expect(headers.get('cache-control')).toBe('private, no-cache')
  })
})

describe('a session ends', () => {
  test.each<[string, (ann: TestPerson, session: string) => Promise<unknown>]>([
    [
      'when its owner signs out',
      (_, session) => callFromPage(signOut, { credentials: { session } }),
    ],
    [
      'with a new password',
      ({ id }) => put(editor, `/rest/user/${id}`, { password: 'new enough' }),
    ],
    [
      'with a new login',
      ({ id }) => put(editor, `/rest/user/${id}`, { email: `${id}@moved.test` }),
    ],
    [
      'when the account is disabled',
      ({ id }) => put(editor, `/rest/user/${id}`, { login_denied_text: 'Gone.' }),
    ],
    [
      'when it is not used for a week',
      ({ id }) =>
        execute(
          sql`UPDATE sessions SET last_used_at = ${NOW - 7 * DAY - 60} WHERE user_id = ${id}`,
        ),
    ],
  ])('%s', async (_, end) => {
    const [ann, other] = [await withPassword(), await withPassword()]
    const [session, foreign] = [await signInAs(ann), await signInAs(other)]
    expect(await isSignedIn(session)).toBe(true)
    await end(ann, session)
    expect(await isSignedIn(session)).toBe(false)
    expect(await isSignedIn(foreign)).toBe(true)
  })

  test('by itself, and signing out twice is no error', async () => {
    const ann = await withPassword()
    const [first, second] = [await signInAs(ann), await signInAs(ann)]
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await callFromPage(signOut, { credentials: { session: first } })
      expect({ status, body }).toEqual({ status: 200, body: {} })
    }
    expect(await isSignedIn(second)).toBe(true)
  })

  test('with 301 for somebody whose account was disabled behind it', async () => {
    const ann = await withPassword()
    const session = await signInAs(ann)
    await execute(sql`UPDATE users SET login_denied_text = 'Gone.' WHERE id = ${ann.id}`)
    const { body } = await callFromPage(getCaller, { credentials: { session } })
    expect(body).toMatchObject({ code: 301, message: expect.stringContaining('Gone.') })
  })
})

describe('GET /session', () => {
  test('lists the own sessions, the last used first, and marks the one that asks', async () => {
    const ann = await withPassword()
    await signInAs(await withPassword())
    const call = {
      headers: { 'cf-connecting-ip': '192.0.2.8' },
      parameters: { user_agent: 'Firefox\non Linux' },
    }
    await signInAs(ann, call)
    const session = await signInAs(ann)
    await execute(sql`UPDATE sessions SET created_at = ${NOW - DAY}, last_used_at = ${NOW - DAY}
      WHERE user_id = ${ann.id} AND user_agent <> ''`)
    const { body } = await callFromPage(listSessions, { credentials: { session } })
    expect(body.sessions).toMatchObject([
      { is_current: true, user_agent: '' },
      {
        id: expect.any(Number),
        creation_time: toDatetime(NOW - DAY),
        last_used: toDatetime(NOW - DAY),
        last_used_ip: '192.0.2.8',
        user_agent: 'Firefox on Linux',
        authenticated_by: 'password',
        is_current: false,
      },
    ])
  })

  test('tells the address of the last use', async () => {
    const ann = await withPassword()
    const session = await signInAs(ann)
    await execute(sql`UPDATE sessions SET last_used_at = ${NOW - DAY} WHERE user_id = ${ann.id}`)
    const headers = { 'cf-connecting-ip': '192.0.2.9' }
    await callFromPage(getCaller, { credentials: { session }, headers })
    const [{ last_used, last_used_ip }] = await listed(ann)
    expect(last_used_ip).toBe('192.0.2.9')
    expect(Date.parse(last_used) / 1000).toBeGreaterThanOrEqual(NOW)
  })

  test('shows the selected fields alone, and no session that has expired', async () => {
    const ann = await withPassword()
    await signInAs(ann)
    expect((await get(ann, '/rest/session?include_fields=is_current')).body.sessions).toEqual([
      { is_current: false },
    ])
    await execute(
      sql`UPDATE sessions SET last_used_at = ${NOW - 8 * DAY} WHERE user_id = ${ann.id}`,
    )
    expect(await listed(ann)).toEqual([])
  })
})

describe('DELETE /session', () => {
  test('ends all sessions of the caller but the one that asks, and no token or key', async () => {
    const ann = await withPassword()
    const [session, second, third] = [await signInAs(ann), await signInAs(ann), await signInAs(ann)]
    const foreign = await signInAs(await withPassword())
    const token = await insertToken(ann)
    const { body } = await callFromPage(endOtherSessions, { credentials: { session } })
    expect(body).toEqual({ ended: 2 })
    expect(
      await Promise.all([session, second, third, foreign].map((one) => isSignedIn(one))),
    ).toEqual([true, false, false, true])
    expect(await isTokenValid(token)).toBe(true)
    expect((await send(ann, 'DELETE', '/rest/session')).body).toEqual({ ended: 1 })
    expect(await isSignedIn(session)).toBe(false)
  })
})

describe('DELETE /session/:id', () => {
  test('ends a session of the caller, and refuses one of somebody else as a missing one', async () => {
    const [ann, bob] = [await withPassword(), await withPassword()]
    const [mine, theirs] = [await signInAs(ann), await signInAs(bob)]
    const [{ id }, { id: foreignId }] = [(await listed(ann))[0], (await listed(bob))[0]]
    expectFault(await send(ann, 'DELETE', `/rest/session/${foreignId}`), 404, 51, `${foreignId}`)
    expect(await isSignedIn(theirs)).toBe(true)
    expect((await send(ann, 'DELETE', `/rest/session/${id}`)).body).toEqual({})
    expect(await isSignedIn(mine)).toBe(false)
    expectFault(await send(ann, 'DELETE', `/rest/session/${id}`), 404, 51)
  })
})

test('sessions stay hidden from limited keys, which cannot end them either', async () => {
  const ann = await withPassword()
  const session = await signInAs(ann)
  const [{ id }] = await listed(ann)
  for (const more of [{ canWrite: false }, { canAdminister: false, canWrite: true }]) {
    const limited = await insertApiKey(ann, more)
    expectFault(await get(limited, '/rest/session'), 401, 304, 'limited')
    expectFault(await send(limited, 'DELETE', '/rest/session'), 401, 304)
    expectFault(await send(limited, 'DELETE', `/rest/session/${id}`), 401, 304)
  }
  expect(await isSignedIn(session)).toBe(true)
  expectFault(await get(ANYONE, '/rest/session'), 401, 410)
})
