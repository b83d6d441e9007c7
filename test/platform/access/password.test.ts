import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { checkPassword } from '../../../src/platform/access/password.ts'
import { toNetwork } from '../../../src/platform/lib/address.ts'
import { fold } from '../../../src/platform/lib/text.ts'
import { toDatetime } from '../../../src/platform/lib/time.ts'
import { buildCtx } from '../../support/builders/callers.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { uniqueAddress, uniqueName } from '../../support/builders/unique.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { runStatements } from '../../support/database/statements.ts'
import { openInterruptedSession } from '../../support/fakes/sessions.ts'

const PASSWORD = 'a good password'
const BAD_LOGIN = 'The username or password you entered is not valid.'
const MINUTE = 60

type LoginAnswer = { status: number; code?: number; id?: number; message?: string }
type Attempt = { login: string; password?: string; ip?: string; path?: string }

/** One attempt, from an address of its own unless it says from which. */
async function attemptLogin(
  { login, password = PASSWORD, ip = uniqueAddress(), path = '/rest/login' }: Attempt,
  bindings: object = {},
): Promise<LoginAnswer> {
  const query = new URLSearchParams({ login, password })
  const headers = { 'cf-connecting-ip': ip }
  const answer = await fetchWith(bindings, `${path}?${query}`, { headers })
  return { status: answer.status, ...(await answer.json<object>()) }
}

function attemptWrongPassword(
  login: string,
  ip: string,
  bindings: object = {},
): Promise<LoginAnswer> {
  return attemptLogin({ login, ip, password: 'wrong' }, bindings)
}

/** Failures of the account from the address, so many minutes ago each. */
async function insertFailures(login: string, ip: string, minutesAgo: number[]): Promise<number> {
  const now = Math.floor(Date.now() / 1000)
  await runStatements(
    minutesAgo.map(
      (minutes) => sql`INSERT INTO login_failures (login_fold, ip, failed_at)
        VALUES (${fold(login)}, ${toNetwork(ip)}, ${now - minutes * MINUTE})`,
    ),
  )
  return now
}

async function requirePasswordChange(id: number): Promise<void> {
  await runStatements([sql`UPDATE users SET password_change_required = 1 WHERE id = ${id}`])
}

describe('a login with its password', () => {
  test('succeeds with the login in any case', async () => {
    const { id, login } = await insertPerson({ password: PASSWORD })
    for (const written of [login, login.toUpperCase(), `  ${login} `]) {
      expect(await attemptLogin({ login: written })).toMatchObject({ status: 200, id })
    }
  })

  test('succeeds with white space around the password, which it loses when it is set', async () => {
    const { id, login } = await insertPerson({ password: PASSWORD })
    expect(await attemptLogin({ login, password: ` ${PASSWORD}\t` })).toMatchObject({ id })
  })

  test('fails for a password in another case or with other white space inside', async () => {
    const { login } = await insertPerson({ password: PASSWORD })
    for (const password of [PASSWORD.toUpperCase(), PASSWORD.replace(' ', '  '), '']) {
      expect(await attemptLogin({ login, password })).toMatchObject({ status: 401, code: 300 })
    }
  })

  test('fails with the same message for an unknown login and a wrong password', async () => {
    const { login } = await insertPerson({ password: PASSWORD })
    const without = await insertPerson()
    const refused = { status: 401, error: true, code: 300, message: BAD_LOGIN }
    expect(await attemptLogin({ login, password: 'wrong' })).toEqual(refused)
    expect(await attemptLogin({ login: `${uniqueName('nobody')}@example.test` })).toEqual(refused)
    expect(await attemptLogin({ login: without.login })).toEqual(refused)
    expect(await attemptLogin({ login: '', password: '' })).toEqual(refused)
  })

  test('reveals that an account is disabled only with the right password', async () => {
    const { login } = await insertPerson({ password: PASSWORD, loginDeniedText: 'Left in May.' })
    expect(await attemptLogin({ login })).toMatchObject({
      status: 401,
      code: 301,
      message: 'Your account is disabled: Left in May.',
    })
    expect(await attemptLogin({ login, password: 'wrong' })).toMatchObject({ code: 300 })
  })

  test('does not reveal that the password is right while the account is locked', async () => {
    const { id, login } = await insertPerson({ password: PASSWORD })
    await requirePasswordChange(id)
    const ip = uniqueAddress()
    await Promise.all(Array.from({ length: 6 }, () => attemptWrongPassword(login, ip)))
    expect(await attemptLogin({ login, ip })).toMatchObject({ status: 401, code: 301 })
  })

  test('fails with 305 when the password must be changed', async () => {
    const { id, login } = await insertPerson({ password: PASSWORD })
    await requirePasswordChange(id)
    expect(await attemptLogin({ login })).toMatchObject({ status: 400, code: 305 })
    expect(await attemptLogin({ login, password: 'wrong' })).toMatchObject({ code: 300 })
  })
})

describe('wrong passwords', () => {
  test('lock the account for the address at the fifth, with a warning before', async () => {
    const { login } = await insertPerson({ password: PASSWORD })
    const ip = uniqueAddress()
    const answers = []
    for (let i = 0; i < 5; i += 1) {
      answers.push(await attemptWrongPassword(login, ip))
    }
    expect(answers.map(({ code, message }) => `${code} ${message}`)).toEqual([
      `300 ${BAD_LOGIN}`,
      `300 ${BAD_LOGIN}`,
      `300 ${BAD_LOGIN} After 2 more wrong attempts this account is locked for 30 minutes.`,
      `300 ${BAD_LOGIN} After 1 more wrong attempt this account is locked for 30 minutes.`,
      expect.stringMatching(/^301 Too many wrong passwords: this account is locked until 20.+Z\.$/),
    ])
    expect(await attemptLogin({ login, ip })).toMatchObject({ status: 401, code: 301 })
  })

  test('lock neither the account at other addresses nor other accounts', async () => {
    const [ann, bob] = [
      await insertPerson({ password: PASSWORD }),
      await insertPerson({ password: PASSWORD }),
    ]
    const ip = uniqueAddress()
    await insertFailures(ann.login, ip, [1, 1, 1, 1, 1])
    expect(await attemptLogin({ login: ann.login, ip })).toMatchObject({ code: 301 })
    expect(await attemptLogin({ login: ann.login })).toMatchObject({ id: ann.id })
    expect(await attemptLogin({ login: bob.login, ip })).toMatchObject({ id: bob.id })
  })

  test('count together for all IPv6 addresses of a client’s network', async () => {
    const { login } = await insertPerson({ password: PASSWORD })
    const ip = uniqueAddress()
    await insertFailures(login, ip, [1, 1, 1, 1, 1])
    const neighbour = ip.replace('::7', ':8:9:a:b')
    expect(await attemptLogin({ login, ip: neighbour })).toMatchObject({ code: 301 })
  })

  test('count as from one client where no header is trusted, even if a client claims an address', async () => {
    const { login } = await insertPerson({ password: PASSWORD })
    const untrusting = { CLIENT_ADDRESS_HEADER: '', LOGIN_ATTEMPTS: '2' }
    const codes = []
    for (let i = 0; i < 3; i += 1) {
      codes.push((await attemptWrongPassword(login, uniqueAddress(), untrusting)).code)
    }
    expect(codes).toEqual([300, 301, 301])
  })

  test('count in the same way for an unknown login', async () => {
    const login = `${uniqueName('nobody')}@example.test`
    const ip = uniqueAddress()
    await insertFailures(login, ip, [1, 1, 1])
    expect((await attemptWrongPassword(login, ip)).message).toContain('After 1 more wrong attempt')
    expect(await attemptWrongPassword(login.toUpperCase(), ip)).toMatchObject({ code: 301 })
  })

  test('count at every operation that verifies a password', async () => {
    const { login } = await insertPerson({ password: PASSWORD })
    const ip = uniqueAddress()
    await insertFailures(login, ip, [1, 1, 1])
    const path = '/rest/version'
    expect(await attemptLogin({ login, ip, path, password: 'wrong' })).toMatchObject({ code: 300 })
    expect(await attemptLogin({ login, ip, path, password: 'wrong' })).toMatchObject({ code: 301 })
    expect(await attemptLogin({ login, ip, path })).toMatchObject({ code: 301 })
  })

  test('expire after half an hour', async () => {
    const { id, login } = await insertPerson({ password: PASSWORD })
    const ip = uniqueAddress()
    await insertFailures(login, ip, [31, 31, 40, 90, 90, 90])
    expect(await attemptWrongPassword(login, ip)).toMatchObject({ code: 300, message: BAD_LOGIN })
    expect(await attemptLogin({ login, ip })).toMatchObject({ id })
  })

  test('lock until the oldest of them expires', async () => {
    const { login } = await insertPerson({ password: PASSWORD })
    const ip = uniqueAddress()
    const now = await insertFailures(login, ip, [29, 20, 15, 10, 5, 1])
    const { message } = await attemptLogin({ login, ip })
    expect(message).toContain(`locked until ${toDatetime(now - 20 * MINUTE + 30 * MINUTE)}`)
  })

  test('are deleted by a successful login at any operation', async () => {
    const { id, login } = await insertPerson({ password: PASSWORD })
    for (const path of ['/rest/login', '/rest/whoami']) {
      const ip = uniqueAddress()
      await insertFailures(login, ip, [1, 1, 1, 1])
      expect(await attemptLogin({ login, ip, path })).toMatchObject({ id })
      expect(await attemptWrongPassword(login, ip)).toMatchObject({ message: BAD_LOGIN })
    }
  })

  test('are deleted when they have expired', async () => {
    const ip = uniqueAddress()
    await insertFailures('nobody', ip, [31, 32])
    await attemptWrongPassword('nobody', ip)
    const [rows] = await runStatements([
      sql`SELECT count(*) AS kept FROM login_failures WHERE ip = ${toNetwork(ip)}`,
    ])
    expect(rows).toEqual([{ kept: 1 }])
  })

  test('are stored with at most 255 characters of the login', async () => {
    const ip = uniqueAddress()
    await attemptWrongPassword('x'.repeat(5_000), ip)
    const [rows] = await runStatements([
      sql`SELECT length(login_fold) AS length FROM login_failures WHERE ip = ${toNetwork(ip)}`,
    ])
    expect(rows).toEqual([{ length: 255 }])
  })
})

describe('the limits of the lockout', () => {
  test('are settings', async () => {
    const { login } = await insertPerson({ password: PASSWORD })
    const ip = uniqueAddress()
    const strict = { LOGIN_ATTEMPTS: '1', LOGIN_LOCK_MINUTES: '10' }
    expect(await attemptWrongPassword(login, ip, strict)).toMatchObject({ code: 301 })
    expect(await attemptLogin({ login, ip }, strict)).toMatchObject({ code: 301 })
    const later = uniqueAddress()
    await insertFailures(login, later, [11])
    expect(await attemptLogin({ login, ip: later }, strict)).toMatchObject({ status: 200 })
  })

  test('count failures of an address over all accounts', async () => {
    const { id, login } = await insertPerson({ password: PASSWORD })
    const ip = uniqueAddress()
    const strict = { LOGIN_ATTEMPTS_PER_ADDRESS: '3' }
    await insertFailures(uniqueName('nobody'), ip, [1])
    await insertFailures(uniqueName('nobody'), ip, [1])
    expect(await attemptWrongPassword(uniqueName('nobody'), ip, strict)).toMatchObject({
      code: 301,
      message: expect.stringContaining('this address is locked until'),
    })
    expect(await attemptLogin({ login, ip }, strict)).toMatchObject({ code: 301 })
    expect(await attemptLogin({ login }, strict)).toMatchObject({ id })
  })
})

describe('parallel guesses of a password', () => {
  test.each(['/rest/login', '/rest/whoami'])(
    'no more than the allowed ones are answered at %s, and a right one after them is not',
    async (path) => {
      const { login } = await insertPerson({ password: PASSWORD })
      const ip = uniqueAddress()
      const strict = { LOGIN_ATTEMPTS: '2' }
      const guesses = ['a', 'b', 'c', 'd', 'e', PASSWORD]
      const answers = await Promise.all(
        guesses.map((password) => attemptLogin({ login, ip, path, password }, strict)),
      )
      expect(answers.filter(({ code }) => code === 300).length).toBeLessThanOrEqual(1)
      expect(answers.at(-1)).toMatchObject({ status: 401, code: 301 })
    },
  )
})

describe('an account that changes while its password is verified', () => {
  const entered: number[] = []
  const enter = async (who: { id: number; login: string }, change: ReturnType<typeof sql>) => {
    const session = openInterruptedSession(2, () => runStatements([change]))
    const ctx = { ...buildCtx({ ...who, key: '' }, [], session), ip: uniqueAddress() }
    const { person } = await checkPassword(ctx, {
      ...{ login: who.login, password: PASSWORD, secondFactor: 'asked' },
      statements: async ({ id }) => {
        entered.push(id)
        return []
      },
    })
    return person
  }

  test('rejects the old password', async () => {
    const one = await insertPerson({ password: PASSWORD })
    const changed = sql`UPDATE users SET password_hash = NULL, revision = revision + 1
      WHERE id = ${one.id}`
    await expect(enter(one, changed)).rejects.toMatchObject({ code: 300 })
    expect(entered.filter((id) => id === one.id)).toHaveLength(1)
  })

  test('is rejected when it has been disabled', async () => {
    const one = await insertPerson({ password: PASSWORD })
    const disabled = sql`UPDATE users SET login_denied_text = 'Gone.', revision = revision + 1
      WHERE id = ${one.id}`
    await expect(enter(one, disabled)).rejects.toMatchObject({ code: 301 })
  })

  test('accepts a password that is still right', async () => {
    const one = await insertPerson({ password: PASSWORD })
    const renamed = sql`UPDATE users SET real_name = 'New', revision = revision + 1
      WHERE id = ${one.id}`
    expect(await enter(one, renamed)).toMatchObject({ id: one.id, realName: 'New' })
  })
})
