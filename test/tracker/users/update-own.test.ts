import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { updateUsers } from '../../../src/tracker/users/update.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertApiKey, insertPerson, insertToken } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, put, send } from '../../support/client.ts'
import { openMailingSite } from '../../support/clients/mailing-site.ts'
import { callFromPage, isSignedIn, signInAs } from '../../support/clients/pages.ts'
import { isTokenValid, logIn } from '../../support/clients/users.ts'
import { execute } from '../../support/database/execute.ts'
import { loadAuditEntries } from '../../support/database/structure.ts'

const OLD = 'the old password'
const FRESH = 'a fresh password'

const withPassword = () => insertPerson({ password: OLD, realName: 'Ann' })
const change = (who: TestPerson, body: object) => put(who, `/rest/user/${who.id}`, body)

describe('people change of their own account', () => {
  test('the name, by ID or login and without a password', async () => {
    const ann = await withPassword()
    expect((await change(ann, { full_name: 'Ann One' })).body.users).toEqual([
      { id: ann.id, changes: { full_name: { removed: 'Ann', added: 'Ann One' } } },
    ])
    const byLogin = await put(ann, `/rest/user/${ann.login.toUpperCase()}`, {
      ...{ names: [ann.login], ids: [ann.id], full_name: 'Ann Two' },
    })
    expect(byLogin.status).toBe(200)
    expect(await loadAuditEntries('User', ann.id)).toHaveLength(2)
  })

  test('nothing that administrators decide, and no account of somebody else', async () => {
    const [ann, bob] = [await withPassword(), await withPassword()]
    for (const body of [
      { email_enabled: false },
      { login_denied_text: 'x' },
      { password_change_required: false },
      { groups: { add: ['admin'] } },
      { bless_groups: { add: ['admin'] } },
      { ids: [bob.id], full_name: 'x' },
      { names: [bob.login], full_name: 'x' },
    ]) {
      expectFault(await change(ann, { ...body, current_password: OLD }), 401, 304, 'edit users')
    }
    for (const given of ['ids', 'names']) {
      const body = { [given]: [{ toString: 1 }], full_name: 'x' }
      expectFault(await change(ann, body), 401, 304, 'edit users')
    }
    expectFault(await put(ann, `/rest/user/${bob.id}`, { full_name: 'x' }), 401, 304)
    expectFault(await put(ANYONE, `/rest/user/${bob.id}`, { full_name: 'x' }), 401, 410)
  })

  test('the password with the present one: other logins end, this one and keys stay', async () => {
    const ann = await withPassword()
    const [session, other, token] = [
      await signInAs(ann),
      await signInAs(ann),
      await insertToken(ann),
    ]
    const parameters = { id_or_name: String(ann.id), password: FRESH, current_password: OLD }
    const { status, body } = await callFromPage(updateUsers, {
      credentials: { session },
      parameters,
    })
    expect({ status, body }).toEqual({
      status: 200,
      body: { users: [{ id: ann.id, changes: {} }] },
    })
    expect(await Promise.all([session, other].map((one) => isSignedIn(one)))).toEqual([true, false])
    expect(await isTokenValid(token)).toBe(false)
    expect((await logIn(ann.login, FRESH)).status).toBe(200)
    expect((await get(ann, '/rest/whoami')).status).toBe(200)
    expect(await loadAuditEntries('User', ann.id)).toEqual([
      { user_id: ann.id, action: 'update', changes: { password: { removed: '', added: '' } } },
    ])
  })

  test('the password by a token, which stays, and by a key with `revoke_keys`, which does not', async () => {
    const ann = await withPassword()
    const [token, other] = [await insertToken(ann), await insertToken(ann)]
    const path = `/rest/user/${ann.id}`
    const body = { password: FRESH, current_password: OLD }
    expect((await send(ANYONE, 'PUT', path, body, { 'x-tracker-token': token })).status).toBe(200)
    expect([await isTokenValid(token), await isTokenValid(other)]).toEqual([true, false])
    await insertApiKey(ann)
    const revoking = { password: 'a third password', current_password: FRESH, revoke_keys: true }
    expect((await change(ann, revoking)).status).toBe(200)
    expectFault(await get(ann, '/rest/whoami'), 400, 306)
    const keys = await execute(sql`SELECT id, revoked FROM api_keys WHERE user_id = ${ann.id}`)
    expect(keys.map(({ revoked }) => revoked)).toEqual([1, 1])
    expect(await loadAuditEntries('APIKey', Number(keys[0]?.id))).toEqual([
      { user_id: ann.id, action: 'update', changes: { revoked: { removed: '0', added: '1' } } },
    ])
  })

  test('no password without the present one, nor with a wrong one, which counts towards the lock', async () => {
    const ann = await withPassword()
    expectFault(await change(ann, { password: FRESH }), 400, 50, 'current_password')
    for (let wrong = 0; wrong < 4; wrong += 1) {
      expectFault(await change(ann, { password: FRESH, current_password: 'no' }), 401, 300)
    }
    expectFault(await change(ann, { password: FRESH, current_password: 'no' }), 401, 301)
    expectFault(await change(ann, { password: FRESH, current_password: OLD }), 401, 301)
    expectFault(await change(ann, { full_name: 'x', revoke_keys: true }), 400, 53, 'revoke_keys')
  })

  test.each([
    ['short', 502],
    ['qwertyuiop', 53],
    ['', 502],
  ])('no password that is refused: %s', async (password, code) => {
    const ann = await withPassword()
    expectFault(await change(ann, { password, current_password: OLD }), 400, code)
    expectFault(await change(ann, { password: ann.login, current_password: OLD }), 400, 53, 'login')
  })

  test('nothing that lets in with a limited key, but the name', async () => {
    const ann = await withPassword()
    const limited = await insertApiKey(ann, { canAdminister: false })
    const path = `/rest/user/${ann.id}`
    const body = { password: FRESH, current_password: OLD }
    expectFault(await put(limited, path, body), 401, 304, 'limited')
    expectFault(await put(limited, path, { email: 'a@b.test', current_password: OLD }), 401, 304)
    expect((await put(limited, path, { full_name: 'By a bot' })).status).toBe(200)
  })

  test('the address by a link to it, so that no group takes in who does not own it', async () => {
    const ann = await withPassword()
    const session = await signInAs(ann)
    const email = `${uniqueName('moved')}@example.test`
    const group = await insertGroup()
    await execute(
      sql`UPDATE access_groups SET user_regexp = ${email.replaceAll('.', '\\.')} WHERE id = ${group.id}`,
    )
    const site = openMailingSite()
    const headers = { 'x-tracker-api-key': ann.key }
    const body = { email, current_password: OLD, full_name: 'Moved' }
    const asked = await site.request('PUT', `/rest/user/${ann.id}`, body, headers)
    expect(asked.body.users).toEqual([
      { id: ann.id, changes: { full_name: { removed: 'Ann', added: 'Moved' } } },
    ])
    const before = await get(ann, `/rest/user/${ann.id}`)
    expect(before.body.users[0]).toMatchObject({ name: ann.login, groups: [] })
    expect(site.mailsTo(email)[0]?.text).toContain('https://tracker.test/account/email?token=')
    const token = site.tokenFor(email)
    expect((await site.post('/rest/account/password', { token, password: FRESH })).body.code).toBe(
      32_000,
    )
    expect((await site.post('/rest/account/email', { token })).body).toEqual({ id: ann.id })
    const after = await get(ann, `/rest/user/${ann.id}`)
    expect(after.body.users[0]).toMatchObject({ name: email, groups: [{ id: group.id }] })
    expect(await isSignedIn(session)).toBe(false)
    expect((await logIn(email, OLD)).status).toBe(200)
    expect((await site.post('/rest/account/email', { token })).body.code).toBe(32_000)
    expect(await loadAuditEntries('User', ann.id)).toContainEqual({
      user_id: ann.id,
      action: 'update',
      changes: { email: { removed: ann.login, added: email } },
    })
  })

  test('no address that somebody has, had by the time of the link, or that cannot be mailed', async () => {
    const [ann, bob] = [await withPassword(), await insertPerson()]
    const site = openMailingSite()
    const headers = { 'x-tracker-api-key': ann.key }
    const ask = (email: string, on = site) =>
      on.request('PUT', `/rest/user/${ann.id}`, { email, current_password: OLD }, headers)
    expect((await ask(bob.login)).body.code).toBe(500)
    expect((await ask('nobody')).body.code).toBe(501)
    const mute = openMailingSite({ MAIL_FROM: '' })
    expect((await ask(`${uniqueName('m')}@example.test`, mute)).body.code).toBe(32_000)
    const email = `${uniqueName('m')}@example.test`
    await ask(email)
    await execute(
      sql`UPDATE users SET login = ${email}, login_fold = ${email} WHERE id = ${bob.id}`,
    )
    const token = site.tokenFor(email)
    expect((await site.post('/rest/account/email', { token })).body.code).toBe(500)
    for (let time = 0; time < 2; time += 1) {
      expect((await ask(`${uniqueName('m')}@example.test`)).status).toBe(200)
    }
    expect((await ask(`${uniqueName('m')}@example.test`)).status).toBe(429)
  })

  test('the case of their address at once', async () => {
    const ann = await withPassword()
    const email = ann.login.toUpperCase()
    expect((await change(ann, { email, current_password: OLD })).body.users[0].changes).toEqual({
      email: { removed: ann.login, added: email },
    })
    expectFault(await change(ann, { email: ann.login }), 400, 50, 'current_password')
  })
})

describe('somebody who edits users', () => {
  test('changes their own account like every other one, and keeps the login with the present password', async () => {
    const editor = await insertPerson({ roles: ['editusers'], password: OLD })
    const [token, other] = [await insertToken(editor), await insertToken(editor)]
    const body = { password: FRESH, current_password: OLD, email_enabled: false }
    const headers = { 'x-tracker-token': token }
    expect((await send(ANYONE, 'PUT', `/rest/user/${editor.id}`, body, headers)).status).toBe(200)
    expect([await isTokenValid(token), await isTokenValid(other)]).toEqual([true, false])
    expect((await change(editor, { password: 'by right alone' })).status).toBe(200)
    expect(await isTokenValid(token)).toBe(false)
  })

  test('revokes the keys of somebody with a new password', async () => {
    const [editor, ann] = [await insertPerson({ roles: ['editusers'] }), await insertPerson()]
    await put(editor, `/rest/user/${ann.id}`, { password: FRESH, revoke_keys: true })
    expectFault(await get(ann, '/rest/whoami'), 400, 306)
  })

  test('sets no password that is the login of one of the accounts', async () => {
    const [editor, ann] = [await insertPerson({ roles: ['editusers'] }), await insertPerson()]
    expectFault(
      await put(editor, `/rest/user/${ann.id}`, { password: ann.login }),
      400,
      53,
      'login',
    )
  })
})
