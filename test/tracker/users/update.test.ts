import { describe, expect, test } from 'vitest'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, put } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { loadAuditEntries } from '../../support/database/structure.ts'
import { loadUserRow } from '../../support/database/users.ts'

const editor = await insertPerson({ roles: ['editusers', 'disableusers'] })
const administrator = await insertPerson({ roles: ['admin'] })

const updateUser = (who: TestPerson, whom: TestPerson, body: object) =>
  put(who, `/rest/user/${whom.id}`, body)

const readChanges = async (whom: TestPerson, body: object, who = editor) => {
  const answer = await updateUser(who, whom, body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.users[0].changes
}

describe('PUT /user', () => {
  test('reports the change and records its author', async () => {
    const one = await insertPerson()
    const email = `${uniqueName('fresh')}@Example.test`
    const answer = await put(editor, `/rest/user/${one.login.toUpperCase()}`, {
      email: ` ${email} `,
      full_name: ' Jane  Roe ',
      login_denied_text: ' Gone. ',
      password_change_required: true,
    })
    const changes = {
      email: { removed: one.login, added: email },
      full_name: { removed: `Person ${one.login}`, added: 'Jane  Roe' },
      login_denied_text: { removed: '', added: 'Gone.' },
      email_enabled: { removed: '1', added: '0' },
      password_change_required: { removed: '0', added: '1' },
    }
    expect(answer.body).toEqual({ users: [{ id: one.id, changes }] })
    expect(await loadUserRow(one.id)).toMatchObject({
      login: email,
      login_fold: email.toLowerCase(),
      real_name: 'Jane  Roe',
      real_name_fold: 'jane  roe',
      login_denied_text: 'Gone.',
      email_enabled: 0,
      password_change_required: 1,
      revision: 1,
    })
    expect(await loadAuditEntries('User', one.id)).toEqual([
      { user_id: editor.id, action: 'update', changes },
    ])
  })

  test('writes nothing and reports no change when nothing differs', async () => {
    const one = await insertPerson()
    const same = { email: one.login, full_name: `Person ${one.login}`, email_enabled: '1' }
    for (const body of [
      {},
      same,
      { login_denied_text: '', login: 'blue', email: null, groups: null },
      { groups: { add: [] }, bless_groups: {} },
    ]) {
      const answer = await updateUser(editor, one, body)
      expect(answer.body).toEqual({ users: [{ id: one.id, changes: {} }] })
      expect(answer.cost.written).toBe(0)
    }
    expect(await loadUserRow(one.id)).toMatchObject({ revision: 0 })
    expect(await loadAuditEntries('User', one.id)).toEqual([])
  })

  test('changes several users by path, ids and names, each once', async () => {
    const [a, b, c] = [
      await insertPerson(),
      await insertPerson({ realName: 'New' }),
      await insertPerson(),
    ]
    const body = { ids: [b.id, a.id], names: [c.login.toUpperCase()], full_name: 'New' }
    const { users } = (await put(editor, `/rest/user/${a.login}`, body)).body
    const renamed = (whom: TestPerson) => ({
      id: whom.id,
      changes: { full_name: { removed: `Person ${whom.login}`, added: 'New' } },
    })
    expect(users).toEqual([renamed(a), { id: b.id, changes: {} }, renamed(c)])
    expect(await loadUserRow(b.id)).toMatchObject({ revision: 0 })
    expect(await loadUserRow(c.id)).toMatchObject({ revision: 1 })
  })

  test('changes an account once when the body repeats the login of the path', async () => {
    const one = await insertPerson()
    const answer = await put(editor, `/rest/user/${encodeURIComponent(one.login)}`, {
      names: [one.login],
      name: 'Ann',
    })
    expect(answer.body.users).toMatchObject([
      { id: one.id, changes: { full_name: { added: 'Ann' } } },
    ])
  })

  test('takes a real name, even an empty one, under the names that clients have for it', async () => {
    const one = await insertPerson()
    expect((await readChanges(one, { real_name: 'B' })).full_name.added).toBe('B')
    expect((await readChanges(one, { name: 'C' })).full_name.added).toBe('C')
    expect((await readChanges(one, { full_name: '  ' })).full_name).toEqual({
      removed: 'C',
      added: '',
    })
    await readChanges(one, { full_name: 'D' })
    expect((await readChanges(one, { full_name: null })).full_name.added).toBe('')
  })

  test('accepts its own login in another case', async () => {
    const one = await insertPerson()
    const email = one.login.toUpperCase()
    expect(await readChanges(one, { email })).toEqual({
      email: { removed: one.login, added: email },
    })
    expect((await get(ANYONE, `/rest/user/${one.login}`)).body.users[0].name).toBe(email)
  })

  test('chains concurrent changes: each begins where the previous one ended', async () => {
    const one = await insertPerson()
    const wishes = ['1', '2', '3', '4', '5']
    const answers = await Promise.all(
      wishes.map((full_name) => updateUser(editor, one, { full_name })),
    )
    expect(answers.map(({ status }) => status)).toEqual(wishes.map(() => 200))
    const steps = (await loadAuditEntries('User', one.id)).map(
      ({ changes }) => (changes as Record<string, { removed: string; added: string }>).full_name,
    )
    expect(steps.slice(1).map((step) => step?.removed)).toEqual(
      steps.slice(0, -1).map((step) => step?.added),
    )
    expect(await loadUserRow(one.id)).toMatchObject({ real_name: steps.at(-1)?.added, revision: 5 })
  })
})

describe('the nick', () => {
  const nickOf = async (whom: TestPerson) =>
    (await get(editor, `/rest/user/${whom.id}`)).body.users[0].nick
  const local = ({ login }: TestPerson) => login.split('@')[0]

  test('follows the real name, and goes with it', async () => {
    const one = await insertPerson()
    const nick = uniqueName('Nick')
    await readChanges(one, { full_name: `Jane [:${nick}]` })
    expect(await nickOf(one)).toBe(nick)
    await readChanges(one, { email: `${uniqueName('other')}@example.test` })
    expect(await nickOf(one)).toBe(nick)
    await readChanges(one, { full_name: 'Jane' })
    expect(await nickOf(one)).not.toBe(nick)
    expect(await loadUserRow(one.id)).toMatchObject({ nick: null, nick_fold: null })
  })

  test('is one person’s: others with that name keep the beginning of their login', async () => {
    const [holder, a, b] = [await insertPerson(), await insertPerson(), await insertPerson()]
    const nick = uniqueName('Nick')
    await readChanges(holder, { full_name: `Holder :${nick}` })
    await readChanges(a, { full_name: `Other :${nick.toLowerCase()}` })
    expect([await nickOf(holder), await nickOf(a)]).toEqual([nick, local(a)])
    await readChanges(holder, { full_name: `Holder, known as :${nick}` })
    expect(await nickOf(holder)).toBe(nick)
    const all = { ids: [a.id, holder.id, b.id], full_name: `All :${nick.toUpperCase()}` }
    await put(editor, `/rest/user/${b.id}`, all)
    expect([await nickOf(a), await nickOf(holder), await nickOf(b)]).toEqual([
      local(a),
      nick.toUpperCase(),
      local(b),
    ])
  })

  test('goes to the first of several who are given it at once', async () => {
    const [a, b] = [await insertPerson(), await insertPerson()]
    const nick = uniqueName('Nick')
    await put(editor, `/rest/user/${b.id}`, { ids: [a.id], full_name: `Both :${nick}` })
    expect([await nickOf(b), await nickOf(a)]).toEqual([nick, local(a)])
  })
})

describe('PUT /user', () => {
  test('rejects an address that somebody else has, in whatever case with 500', async () => {
    const [one, other] = [await insertPerson(), await insertPerson()]
    expectFault(await updateUser(editor, one, { email: other.login.toUpperCase() }), 400, 500)
    expect(await loadUserRow(one.id)).toMatchObject({ login: one.login })
  })

  test('rejects one address for several users with 500', async () => {
    const [one, other] = [await insertPerson(), await insertPerson()]
    const email = `${uniqueName('new')}@example.test`
    expectFault(await updateUser(editor, one, { ids: [other.id], email }), 400, 500)
    expect((await get(ANYONE, `/rest/user?names=${email}&permissive=1`)).body.users).toEqual([])
  })

  test('rejects one address for two who ask for it at once', async () => {
    const [one, other] = [await insertPerson(), await insertPerson()]
    const email = `${uniqueName('new')}@example.test`
    const answers = await Promise.all([
      updateUser(editor, one, { email }),
      updateUser(editor, other, { email }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  })

  test('rejects simple passwords where the site requires complex ones with 305', async () => {
    const one = await insertPerson()
    const answer = await fetchWith({ PASSWORD_COMPLEXITY: 'on' }, `/rest/user/${one.id}`, {
      method: 'PUT',
      headers: { 'x-tracker-api-key': editor.key },
      body: JSON.stringify({ password: 'aaaaaaaaaa' }),
    })
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 305 }])
  })

  test('rejects more users than can be written at once with 53', async () => {
    const ids = Array.from({ length: 500 }, (_, i) => i + 1)
    expectFault(await updateUser(editor, editor, { ids, full_name: 'x' }), 400, 53, '500')
  })

  test('rejects callers who do not edit users with 304 but for their own account, and callers who have not logged in with 410', async () => {
    const one = await insertPerson({ roles: ['creategroups', 'disableusers'] })
    for (const path of ['/rest/user/nobody', `/rest/user/${editor.login}`]) {
      expectFault(await put(one, path, { full_name: 'x' }), 401, 304)
      expectFault(await put(ANYONE, path, { full_name: 'x' }), 401, 410)
    }
  })
})

test('an update of users costs three round trips, however many there are', async () => {
  const people = [
    await insertPerson(),
    await insertPerson(),
    await insertPerson(),
    await insertPerson(),
  ]
  const answer = await put(administrator, `/rest/user/${people[0]?.id}`, {
    names: people.map(({ login }) => login),
    full_name: 'Same',
    groups: { add: ['editbugs'] },
    bless_groups: { set: ['editbugs'] },
    password: 'a good password',
  })
  expect(answer.body.users).toHaveLength(4)
  expect(answer.cost.trips).toBe(3)
})
