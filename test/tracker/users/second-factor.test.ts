import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { hashRecoveryCode, useCode } from '../../../src/platform/access/second-factor.ts'
import { seal } from '../../../src/platform/lib/crypto/secrets.ts'
import { signIn } from '../../../src/tracker/users/sessions/sign-in.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertApiKey, insertPerson, insertToken } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { ANYONE, expectFault, get, post, put, send } from '../../support/client.ts'
import { callFromPage } from '../../support/clients/pages.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { codeOf } from '../../support/clients/totp.ts'
import { isTokenValid } from '../../support/clients/users.ts'
import { loadRow } from '../../support/database/execute.ts'

const PASSWORD = 'a good password'
const PATH = '/rest/account/totp'
const WITH_PASSWORD = { current_password: PASSWORD }

type Owner = TestPerson & { secret: string; codes: string[] }

const editor = await insertPerson({ roles: ['editusers'] })

async function begin(): Promise<Owner> {
  const person = await insertPerson({ password: PASSWORD })
  const { body } = await post(person, PATH, WITH_PASSWORD)
  return { ...person, secret: body.secret, codes: body.recovery_codes }
}

/** Switched on with the code before the present one, so that the present one is unused. */
async function enrol(): Promise<Owner> {
  const owner = await begin()
  expect((await put(owner, PATH, { totp: codeOf(owner.secret, -1) })).body).toEqual({})
  return owner
}

type Login = { totp?: string; password?: string; bindings?: object; ip?: string }

async function logIn(
  { login }: TestPerson,
  { totp, password = PASSWORD, bindings = {}, ip = '2001:db8:5::1' }: Login = {},
) {
  const query = new URLSearchParams({ login, password, ...(totp !== undefined && { totp }) })
  const headers = { 'cf-connecting-ip': ip }
  const answer = await fetchWith(bindings, `/rest/login?${query}`, { headers })
  return { status: answer.status, ...(await answer.json<{ code?: number; token?: string }>()) }
}

describe('POST /account/totp', () => {
  test('answers a secret, its address for apps, and ten recovery codes, which count for nothing yet', async () => {
    const ann = await insertPerson({ password: PASSWORD })
    const { status, body } = await post(ann, PATH, WITH_PASSWORD)
    expect(status).toBe(200)
    expect(body.secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(new URL(body.uri).searchParams.get('secret')).toBe(body.secret)
    expect(decodeURIComponent(body.uri)).toContain(ann.login)
    expect(new Set(body.recovery_codes).size).toBe(10)
    expect((await get(ann, PATH)).body).toMatchObject({ enabled: false, recovery_codes_left: 0 })
    expect((await logIn(ann)).status).toBe(200)
  })

  test('stores neither the secret nor a recovery code', async () => {
    const { id, secret, codes } = await begin()
    const row = await loadRow('second_factors', sql`user_id = ${id}`)
    for (const text of [secret, ...codes]) {
      expect(JSON.stringify(row)).not.toContain(text)
    }
  })

  test('takes the place of one that waits, and is refused where one is on', async () => {
    const first = await begin()
    const again = (await post(first, PATH, WITH_PASSWORD)).body.secret
    expectFault(await put(first, PATH, { totp: codeOf(first.secret) }), 401, 300)
    expect((await put(first, PATH, { totp: codeOf(again) })).status).toBe(200)
    expectFault(await post(first, PATH, WITH_PASSWORD), 400, 32_000)
  })

  test('needs the present password, which counts towards the lockout, and no limited key', async () => {
    const ann = await insertPerson({ password: PASSWORD })
    expectFault(await post(ann, PATH, { current_password: 'wrong' }), 401, 300)
    const { key } = await insertApiKey(ann, { canAdminister: false })
    expectFault(await post({ key }, PATH, WITH_PASSWORD), 401, 304)
  })
})

describe('PUT /account/totp', () => {
  test('switches it on with a right code, and ends what began without it but the keys', async () => {
    const ann = await begin()
    const token = await insertToken(ann)
    expectFault(await put(ann, PATH, { totp: '000000' }), 401, 300)
    expect(await isTokenValid(token)).toBe(true)
    expect((await put(ann, PATH, { totp: codeOf(ann.secret) })).body).toEqual({})
    expect(await isTokenValid(token)).toBe(false)
    const { body } = await get(ann, PATH)
    expect(body).toMatchObject({ enabled: true, recovery_codes_left: 10, is_required: false })
    expectFault(await put(ann, PATH, { totp: codeOf(ann.secret, 1) }), 400, 32_000)
  })

  test('is done by the first login with a right code too', async () => {
    const ann = await begin()
    expect(await logIn(ann, { totp: '000000' })).toMatchObject({ status: 401, code: 300 })
    expect(await logIn(ann, { totp: codeOf(ann.secret) })).toMatchObject({
      status: 200,
      id: ann.id,
    })
    expect((await get(ann, PATH)).body.enabled).toBe(true)
    expect(await logIn(ann)).toMatchObject({ status: 401, code: 300 })
  })
})

describe('a login of an account with a second factor', () => {
  test('needs the code besides the password', async () => {
    const ann = await enrol()
    const without = await logIn(ann)
    expect(without).toMatchObject({
      status: 401,
      code: 300,
      message: expect.stringMatching('totp'),
    })
    const wrong = await logIn(ann, { password: 'wrong', totp: codeOf(ann.secret) })
    expect(wrong).toMatchObject({ code: 300, message: expect.stringMatching('password') })
    expect(await logIn(ann, { totp: codeOf(ann.secret) })).toMatchObject({
      status: 200,
      id: ann.id,
    })
  })

  test('takes a code once, and none from before the last that was used', async () => {
    const ann = await enrol()
    const code = codeOf(ann.secret)
    const both = await Promise.all([logIn(ann, { totp: code }), logIn(ann, { totp: code })])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401])
    expect(await logIn(ann, { totp: codeOf(ann.secret, -1) })).toMatchObject({ code: 300 })
    expect((await logIn(ann, { totp: codeOf(ann.secret, 1) })).status).toBe(200)
    expect(await logIn(ann, { totp: codeOf(ann.secret, 3) })).toMatchObject({ code: 300 })
  })

  test('takes each recovery code once, however it is typed', async () => {
    const ann = await enrol()
    const [one = '', two = ''] = ann.codes
    const both = await Promise.all([logIn(ann, { totp: one }), logIn(ann, { totp: one })])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401])
    const typed = two.replaceAll('-', ' ').toUpperCase()
    expect((await logIn(ann, { totp: typed })).status).toBe(200)
    expect((await get(ann, PATH)).body.recovery_codes_left).toBe(8)
  })

  test('counts wrong codes towards the lockout, which a right password alone does not lift', async () => {
    const ann = await enrol()
    const ip = '2001:db8:77::1'
    for (let wrong = 0; wrong < 4; wrong += 1) {
      expect(await logIn(ann, { totp: '000000', ip })).toMatchObject({ code: 300 })
      expect(await logIn(ann, { ip })).toMatchObject({ code: 300 })
    }
    expect(await logIn(ann, { totp: '000000', ip })).toMatchObject({ code: 301 })
    expect(await logIn(ann, { totp: codeOf(ann.secret), ip })).toMatchObject({ code: 301 })
  })

  test('is refused where a request itself carries the password, and not for keys', async () => {
    const ann = await enrol()
    const query = new URLSearchParams({ login: ann.login, password: PASSWORD })
    expectFault(await get(ANYONE, `/rest/whoami?${query}`), 401, 300, 'totp')
    expect((await get(ann, '/rest/whoami')).body.id).toBe(ann.id)
  })

  test('at a page needs it too', async () => {
    const ann = await enrol()
    const credentials = { login: ann.login, password: PASSWORD }
    expect((await callFromPage(signIn, { credentials })).body.code).toBe(300)
    const parameters = { totp: codeOf(ann.secret) }
    expect((await callFromPage(signIn, { credentials, parameters })).status).toBe(200)
  })

  test('is needed to set another password by the present one', async () => {
    const ann = await enrol()
    const change = { login: ann.login, password: PASSWORD, new_password: 'another good one' }
    expectFault(await post(ANYONE, '/rest/account/password', change), 401, 300, 'totp')
    const totp = codeOf(ann.secret)
    const answer = await post(ANYONE, '/rest/account/password', { ...change, totp })
    expect(answer.body).toEqual({ id: ann.id })
  })
})

describe('DELETE /account/totp', () => {
  test('removes the own one with the present password', async () => {
    const ann = await enrol()
    expectFault(await send(ann, 'DELETE', PATH, { current_password: 'wrong' }), 401, 300)
    expect((await send(ann, 'DELETE', PATH, WITH_PASSWORD)).body).toEqual({})
    expect((await logIn(ann)).status).toBe(200)
  })

  test('removes that of somebody else for those who may edit users, who need no password, and records it', async () => {
    const ann = await enrol()
    const other = await insertPerson({ password: PASSWORD })
    expectFault(await send(other, 'DELETE', PATH, { user: ann.login }), 401, 304)
    expectFault(await send(editor, 'DELETE', PATH, { user: editor.login }), 400, 50)
    expect((await send(editor, 'DELETE', PATH, { user: String(ann.id) })).body).toEqual({})
    expect((await logIn(ann)).status).toBe(200)
    const admin = await insertPerson({ roles: ['admin'] })
    const { audit } = (await get(admin, `/rest/audit?object=User&object_id=${ann.id}`)).body
    expect(audit).toContainEqual(
      expect.objectContaining({ who: editor.login, field: 'second_factor', removed: '1' }),
    )
  })
})

describe('TOTP_REQUIRED_GROUPS', () => {
  test('keeps members out until they begin a second factor with their password and log in with its code', async () => {
    const ann = await insertPerson({ password: PASSWORD })
    const group = await insertGroup([ann])
    const bindings = { TOTP_REQUIRED_GROUPS: `nobody, ${group.name.toUpperCase()}` }
    expect(await logIn(ann, { bindings })).toMatchObject({ code: 305 })
    const query = new URLSearchParams({ login: ann.login, password: PASSWORD })
    const bare = await fetchWith(bindings, `/rest/whoami?${query}`)
    expect(await bare.json()).toMatchObject({ code: 305 })
    const { body } = await post(ANYONE, PATH, { login: ann.login, ...WITH_PASSWORD })
    expect(await logIn(ann, { bindings })).toMatchObject({ code: 305 })
    expect(await logIn(ann, { bindings, totp: codeOf(body.secret) })).toMatchObject({ status: 200 })
    const other = await insertPerson({ password: PASSWORD })
    expect((await logIn(other, { bindings })).status).toBe(200)
  })
})

describe('useCode', () => {
  const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  // the last six digits of appendix B of RFC 6238
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
  ])('at %i takes the code of RFC 6238, %s', async (now, code) => {
    const row = {
      ...{ userId: 1, sealed: await seal(SECRET, env.SECRETS_KEY), recoveryHashes: '[]' },
      ...{ confirmedAt: 1, lastStep: 0 },
    }
    expect(await useCode({ env, now }, row, code)).not.toBeNull()
    expect(await useCode({ env, now: now + 90 }, row, code)).toBeNull()
    const used = { ...row, lastStep: Math.floor(now / 30) }
    expect(await useCode({ env, now }, used, code)).toBeNull()
  })

  test('knows no code after SECRETS_KEY was lost, but recovery codes', async () => {
    const hash = await hashRecoveryCode('abcd-efgh-ijkl-mnop')
    const row = {
      ...{ userId: 1, sealed: await seal(SECRET, 'another secret'), confirmedAt: 1, lastStep: 0 },
      recoveryHashes: JSON.stringify([hash]),
    }
    expect(await useCode({ env, now: 59 }, row, '287082')).toBeNull()
    expect(await useCode({ env, now: 59 }, row, 'ABCD EFGH IJKL MNOP')).not.toBeNull()
  })
})
