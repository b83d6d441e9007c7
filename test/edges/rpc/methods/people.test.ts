import { describe, expect, test } from 'vitest'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE } from '../../../support/client.ts'
import { readFaultCode, readResult } from '../../../support/clients/rpc.ts'
import { PASSWORD } from '../../../support/tables/trip-budgets/budget.ts'

describe('the methods of users', () => {
  test('log in by the short names of the credentials, and out', async () => {
    const { id, login } = await insertPerson({ password: PASSWORD })
    const credentials = { login, password: PASSWORD }
    const { token, ...rest } = await readResult(ANYONE, 'User.login', credentials)
    expect(rest).toEqual({ id })
    expect(await readResult(ANYONE, 'User.valid_login', { login, token })).toBe(true)
    expect((await readResult(ANYONE, 'User.whoami', { Bugzilla_token: token })).id).toBe(id)
    expect(await readResult(ANYONE, 'User.logout', { token })).toEqual({})
    expect(await readResult(ANYONE, 'User.valid_login', { login, token })).toBe(false)
    const wrong = { login, password: 'wrong' }
    expect(await readFaultCode(ANYONE, 'User.login', wrong)).toBe(300)
    expect(await readFaultCode(ANYONE, 'User.login', { login })).toBe(50)
  })

  test('find, create and change accounts', async () => {
    const editor = await insertPerson({ roles: ['editusers'] })
    const email = `${uniqueName('new')}@example.test`
    const { id } = await readResult(editor, 'User.create', {
      ...{ email, full_name: 'New', password: PASSWORD },
    })
    const found = await readResult(editor, 'User.get', { ids: [id], include_fields: ['name'] })
    expect(found).toEqual({ users: [{ name: email }] })
    const { users } = await readResult(editor, 'User.update', { names: [email], full_name: 'Old' })
    expect(users).toMatchObject([{ id, changes: { full_name: { added: 'Old' } } }])
    expect(await readResult(editor, 'User.suggest', { match: email })).toMatchObject({
      users: [{ id }],
    })
  })
})

describe('the methods of groups', () => {
  test('create, read and change groups', async () => {
    const admin = await insertPerson({ roles: ['admin'] })
    const name = uniqueName('group')
    const { id } = await readResult(admin, 'Group.create', { name, description: 'x' })
    const changed = await readResult(admin, 'Group.update', { ids: [id], description: 'y' })
    expect(changed.groups).toMatchObject([{ id, changes: { description: { added: 'y' } } }])
    const read = await readResult(admin, 'Group.get', { names: [name] })
    expect(read.groups).toMatchObject([{ id, description: 'y' }])
  })

  test('never change the group whose ID is the name of digits', async () => {
    const admin = await insertPerson({ roles: ['admin'] })
    const { id } = await insertGroup()
    const edit = { names: [String(id)], description: 'z' }
    expect(await readFaultCode(admin, 'Group.update', edit)).toBe(53)
  })
})
