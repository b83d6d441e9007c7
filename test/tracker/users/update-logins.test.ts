import { describe, expect, test } from 'vitest'
import { insertPerson, insertToken } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { expectFault, get, put } from '../../support/client.ts'
import { isTokenValid, logIn } from '../../support/clients/users.ts'
import { loadAuditEntries } from '../../support/database/structure.ts'
import { loadUserRow } from '../../support/database/users.ts'

const editor = await insertPerson({ roles: ['editusers', 'disableusers'] })

const updateUser = (who: TestPerson, whom: TestPerson, body: object) =>
  put(who, `/rest/user/${whom.id}`, body)

const changesOf = async (whom: TestPerson, body: object, who = editor) => {
  const answer = await updateUser(who, whom, body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.users[0].changes
}

describe('a disabled account', () => {
  test('cannot log in and gets no mail, and gets none when it is enabled again', async () => {
    const one = await insertPerson({ password: 'a good password' })
    expect(await changesOf(one, { login_denied_text: 'Away.', email_enabled: true })).toEqual({
      login_denied_text: { removed: '', added: 'Away.' },
      email_enabled: { removed: '1', added: '0' },
    })
    expectFault(await logIn(one.login, 'a good password'), 401, 301, 'Away.')
    expectFault(await get(one, '/rest/whoami'), 401, 301)
    expect(await changesOf(one, { email_enabled: true })).toEqual({})
    expect(await changesOf(one, { login_denied_text: ' ' })).toEqual({
      login_denied_text: { removed: 'Away.', added: '' },
    })
    const seen = async () => (await get(editor, `/rest/user/${one.id}`)).body.users[0]
    expect(await seen()).toMatchObject({ can_login: true, email_enabled: false })
    expect(await changesOf(one, { email_enabled: 1 })).toEqual({
      email_enabled: { removed: '0', added: '1' },
    })
    expect(await seen()).toMatchObject({ email_enabled: true })
  })

  test('may be enabled with its mail at once', async () => {
    const one = await insertPerson({ loginDeniedText: 'Away.' })
    expect(await changesOf(one, { login_denied_text: null, email_enabled: true })).toEqual({
      login_denied_text: { removed: 'Away.', added: '' },
      email_enabled: { removed: '0', added: '1' },
    })
  })
})

describe('tokens', () => {
  test.each([
    ['a new password', { password: 'another password' }],
    ['a new login', { email: () => `${uniqueName('moved')}@example.test` }],
    ['a reason for being disabled', { login_denied_text: 'Gone.' }],
  ])('end with %s', async (_, body) => {
    const [one, other] = [await insertPerson(), await insertPerson()]
    const [token, foreign] = [await insertToken(one), await insertToken(other)]
    expect(await isTokenValid(token)).toBe(true)
    const sent = Object.entries(body).map(([name, value]) => [
      name,
      typeof value === 'function' ? value() : value,
    ])
    await changesOf(one, Object.fromEntries(sent))
    expect(await isTokenValid(token)).toBe(false)
    expect(await isTokenValid(foreign)).toBe(true)
  })

  test('live on when anything else changes', async () => {
    const one = await insertPerson()
    const token = await insertToken(one)
    await changesOf(one, { full_name: 'New', email_enabled: false, email: one.login })
    await changesOf(one, { password_change_required: true })
    expect(await isTokenValid(token)).toBe(true)
  })
})

describe('a password', () => {
  test('is set for several users at once, and never answered', async () => {
    const [a, b] = [await insertPerson({ password: 'the first one' }), await insertPerson()]
    const answer = await put(editor, `/rest/user/${a.id}`, {
      ids: [b.id],
      password: ' the second one ',
    })
    expect(answer.body.users).toEqual([
      { id: a.id, changes: {} },
      { id: b.id, changes: {} },
    ])
    for (const { login } of [a, b]) {
      expectFault(await logIn(login, 'the first one'), 401, 300)
      expect((await logIn(login, 'the second one')).status).toBe(200)
    }
    expect(await loadUserRow(a.id)).toMatchObject({ revision: 1 })
    expect(await loadAuditEntries('User', a.id)).toEqual([
      {
        user_id: editor.id,
        action: 'update',
        changes: { password: { removed: '', added: '' } },
      },
    ])
  })

  test('is taken away by a star', async () => {
    const one = await insertPerson({ password: 'the first one' })
    expect(await changesOf(one, { password: '*' })).toEqual({})
    expect((await loadUserRow(one.id)).password_hash).toBeNull()
    expectFault(await logIn(one.login, 'the first one'), 401, 300)
  })

  test('that has to be changed keeps from logging in until there is a new one', async () => {
    const one = await insertPerson({ password: 'the first one' })
    await changesOf(one, { password_change_required: true })
    expectFault(await logIn(one.login, 'the first one'), 400, 305)
    expect(await changesOf(one, { password: 'the second one' })).toEqual({
      password_change_required: { removed: '1', added: '0' },
    })
    expect((await logIn(one.login, 'the second one')).status).toBe(200)
    await changesOf(one, { password: 'the third one', password_change_required: true })
    expectFault(await logIn(one.login, 'the third one'), 400, 305)
  })
})
