import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { createUser } from '../../../src/tracker/users/create.ts'
import { buildCtx } from '../../support/builders/callers.ts'
import { grantStatement, insertGroup, setGroupPattern } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { NOW, uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { logIn } from '../../support/clients/users.ts'
import { countRows, executeBatch } from '../../support/database/execute.ts'
import { loadAuditEntries } from '../../support/database/structure.ts'
import { loadMemberships, loadUserRow } from '../../support/database/users.ts'
import { openInterruptedSession } from '../../support/fakes/sessions.ts'

const editor = await insertPerson({ roles: ['editusers'] })

const uniqueEmail = () => `${uniqueName('New')}@Example.test`

describe('POST /user', () => {
  test('creates a public account and records it', async () => {
    const email = uniqueEmail()
    const answer = await post(editor, '/rest/user', {
      email: ` ${email} `,
      full_name: ' Jane Roe ',
    })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({ id: expect.any(Number) })
    const { id } = answer.body
    expect(await loadUserRow(id)).toMatchObject({
      login: email,
      login_fold: email.toLowerCase(),
      real_name: 'Jane Roe',
      real_name_fold: 'jane roe',
      nick: null,
      password_hash: null,
      password_change_required: 0,
      login_denied_text: '',
      email_enabled: 1,
      last_seen_at: null,
      revision: 0,
    })
    expect(Number((await loadUserRow(id)).created_at)).toBeGreaterThanOrEqual(NOW)
    const { body } = await get(ANYONE, `/rest/user/${email.toUpperCase()}`)
    expect(body.users).toMatchObject([{ id, name: email, real_name: 'Jane Roe' }])
    expect(await loadAuditEntries('User', id)).toEqual([
      {
        user_id: editor.id,
        action: 'create',
        changes: {
          email: { removed: '', added: email },
          full_name: { removed: '', added: 'Jane Roe' },
        },
      },
    ])
  })

  test('lets its owner log in, without white space around the login', async () => {
    const email = uniqueEmail()
    const body = { email, password: '  a good password ', login: 'x', full_name: null }
    const { id } = (await post(editor, '/rest/user', body)).body
    expect((await logIn(email, 'a good password')).body).toMatchObject({ id })
    expect(JSON.stringify(await loadAuditEntries('User', id))).not.toContain('password')
  })

  test('lets nobody log in without a password', async () => {
    for (const password of [undefined, null, '', '  ', '*']) {
      const email = uniqueEmail()
      const { id } = (await post(editor, '/rest/user', { email, password })).body
      expect((await loadUserRow(id)).password_hash).toBeNull()
      expectFault(await logIn(email, password ?? 'x'), 401, 300)
    }
  })

  test('takes a real name under the names that clients have for it', async () => {
    for (const body of [{ name: 'Ann' }, { real_name: 'Ann' }, { full_name: 'Ann', name: 'Bob' }]) {
      const { id } = (await post(editor, '/rest/user', { email: uniqueEmail(), ...body })).body
      expect((await loadUserRow(id)).real_name).toBe('Ann')
    }
  })

  test('has the nick of its real name, unless somebody else has it', async () => {
    const nick = uniqueName('Nick')
    const made = async (realName: string) => {
      const email = uniqueEmail()
      await post(editor, '/rest/user', { email, full_name: realName })
      const { users } = (await get(editor, `/rest/user/${email}`)).body
      return [users[0].nick, email.split('@')[0]]
    }
    expect((await made(`Jane Roe [:${nick}]`))[0]).toBe(nick)
    const [second, local] = await made(`John Roe [:${nick.toUpperCase()}]`)
    expect(second).toBe(local)
  })

  test('makes the account a member of groups whose pattern matches, and of groups that include those', async () => {
    const mark = uniqueName('mark')
    const [by, over, other] = [await insertGroup(), await insertGroup(), await insertGroup()]
    await setGroupPattern(by, `^new.*@${mark}\\.`)
    await setGroupPattern(other, `@${mark}\\.example$`)
    await executeBatch(grantStatement(by, 'membership', over))
    const { id } = (await post(editor, '/rest/user', { email: `New@${mark}.test` })).body
    const { regexp, effective, direct } = await loadMemberships(id, by, over, other)
    expect(regexp).toEqual([by.id])
    expect(effective).toEqual([by.id, over.id])
    expect(direct).toEqual([])
  })

  test('creates one account for concurrent requests with the same address', async () => {
    const email = uniqueEmail()
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => post(editor, '/rest/user', { email, password: 'a good password' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400])
    expect(await countRows('users', sql`login = ${email}`)).toBe(1)
  })
})

describe('a new user is decided again', () => {
  test('when a group gets a pattern meanwhile', async () => {
    const mark = uniqueName('mark')
    const by = await insertGroup()
    const session = openInterruptedSession(2, () => setGroupPattern(by, `@${mark}\\.test$`))
    const ctx = buildCtx(editor, ['editusers'], session)
    const { id } = await createUser.run(ctx, { email: `new@${mark}.test` })
    expect((await loadMemberships(id, by)).regexp).toEqual([by.id])
    expect(await countRows('users', sql`login = ${`new@${mark}.test`}`)).toBe(1)
  })

  test('when somebody else takes the nick meanwhile', async () => {
    const [nick, email, holder] = [uniqueName('nick'), uniqueEmail(), await insertPerson()]
    const session = openInterruptedSession(2, () =>
      executeBatch(
        sql`UPDATE users SET nick = ${nick}, nick_fold = ${nick} WHERE id = ${holder.id}`,
      ),
    )
    const input = { email, full_name: `Jane :${nick}` }
    const { id } = await createUser.run(buildCtx(editor, ['editusers'], session), input)
    expect(await loadUserRow(id)).toMatchObject({ nick: null, real_name: `Jane :${nick}` })
  })
})

describe('POST /user', () => {
  test('rejects an address that is taken in whatever case, before it looks at the password', async () => {
    const { login } = await insertPerson()
    const body = { email: login.toUpperCase(), password: 'x' }
    expectFault(await post(editor, '/rest/user', body), 400, 500, login.toUpperCase())
  })

  test('rejects simple passwords where the site requires complex ones with 305', async () => {
    const init = {
      method: 'POST',
      headers: { 'x-tracker-api-key': editor.key },
      body: JSON.stringify({ email: uniqueEmail(), password: 'aaaaaaaaaa' }),
    }
    const answer = await fetchWith({ PASSWORD_COMPLEXITY: 'on' }, '/rest/user', init)
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 305 }])
  })

  test('rejects callers who do not edit users or have not logged in with 304, whatever they send', async () => {
    const creator = await insertPerson({ roles: ['creategroups', 'disableusers', 'editbugs'] })
    for (const who of [ANYONE, creator]) {
      for (const body of [{}, { email: uniqueEmail() }, { email: editor.login }]) {
        expectFault(await post(who, '/rest/user', body), 401, 304)
      }
    }
  })
})

test('a new account hides from callers who may not make one which logins there are', async () => {
  const stranger = await insertPerson()
  const [taken, free] = [{ email: editor.login }, { email: uniqueEmail() }]
  const [one, other] = [
    await post(stranger, '/rest/user', taken),
    await post(stranger, '/rest/user', free),
  ]
  expect(one.text).toBe(other.text)
  expect(await countRows('users', sql`login = ${free.email}`)).toBe(0)
})
