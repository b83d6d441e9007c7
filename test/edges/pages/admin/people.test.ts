import { describe, expect, test } from 'vitest'
import { Browser } from '../../../support/browser.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { get, put } from '../../../support/client.ts'

const PASSWORD = 'a-long-password'
const USERS = '/admin/users'
const GROUPS = '/admin/groups'

const root = await insertPerson({
  password: PASSWORD,
  roles: ['admin', 'editusers', 'creategroups'],
})
const browser = await new Browser().signIn(root)
const stranger = await new Browser().signIn(await insertPerson({ password: PASSWORD }))

function submit(path: string, open: string, fields: Record<string, string | string[]>) {
  return browser.submit(path, `${path}?open=${open}`, fields)
}

async function readUser(id: number | string) {
  return (await get(root, `/rest/user/${id}`)).body.users[0]
}

describe('the accounts', () => {
  test('are invited without a password, and refused with what was typed kept', async () => {
    const email = `${uniqueName('new')}@example.test`
    const made = await submit(USERS, 'user.new', { do: 'user.create', email, full_name: 'Ann <b>' })
    const location = made.headers.get('location') ?? ''
    expect(location, made.html).toMatch(/^\/admin\/users\?open=user\.\d+&done=1$/)
    const { html } = await browser.open(location)
    expect(html).toContain(`value="${email}"`)
    expect(html).toContain('Ann &lt;b&gt;')
    const again = await submit(USERS, 'user.new', { do: 'user.create', email, full_name: 'Bea' })
    expect(again.status).toBeGreaterThanOrEqual(400)
    expect(again.html).toContain('role="alert"')
    expect(again.html).toContain('value="Bea"')
  })

  test('are found by a part of their name', async () => {
    const ann = await insertPerson({ realName: uniqueName('Zenobia') })
    const { html } = await browser.open(`${USERS}?match=${ann.login}`)
    expect(html).toContain(`?match=${encodeURIComponent(ann.login)}&amp;open=user.${ann.id}`)
    expect((await browser.open(`${USERS}?match=nobody-at-all`)).html).toContain(
      'Nobody is called so.',
    )
  })

  test('are renamed and disabled', async () => {
    const ann = await insertPerson()
    const values = { email: ann.login, full_name: 'Ann Lee', login_denied_text: 'left us' }
    const saved = await submit(USERS, `user.${ann.id}`, { ...values, do: 'user.save' })
    expect(saved.status, saved.html).toBe(303)
    expect(await readUser(ann.id)).toMatchObject({ real_name: 'Ann Lee', can_login: false })
  })

  test('get and lose groups by ticks, and hand them out', async () => {
    const [kept, gone, fresh] = [await insertGroup(), await insertGroup(), await insertGroup()]
    const ann = await insertPerson({ groups: [kept, gone], password: PASSWORD })
    const { html } = await browser.open(`${USERS}?open=user.${ann.id}`)
    expect(html).toContain(`value="${kept.name}" checked`)
    const had = [kept.name, gone.name]
    expect(html).toContain(`<input type="hidden" name="had" value="${gone.name}"/>`)
    const ticks = { had, groups: [kept.name, fresh.name], do: 'membership.save' }
    const saved = await submit(USERS, `membership.${ann.id}`, ticks)
    expect(saved.status, saved.html).toBe(303)
    const names = (await readUser(ann.id)).groups.map(({ name }: { name: string }) => name)
    expect(names.toSorted()).toEqual([kept.name, fresh.name].toSorted())
    const blessing = { add: kept.name, remove: '', do: 'blessing.save' }
    expect((await submit(USERS, `blessing.${ann.id}`, blessing)).status).toBe(303)
    const { body } = await get(ann, '/rest/group')
    expect(body.groups.map(({ name }: { name: string }) => name)).toEqual([kept.name])
  })
})

test('groups that somebody else took meanwhile are not given back by an older form', async () => {
  const [taken, fresh] = [await insertGroup(), await insertGroup()]
  const ann = await insertPerson({ groups: [taken] })
  await put(root, `/rest/user/${ann.id}`, { groups: { remove: [taken.name] } })
  const ticks = { had: taken.name, groups: [taken.name, fresh.name], do: 'membership.save' }
  expect((await submit(USERS, `membership.${ann.id}`, ticks)).status).toBe(303)
  expect((await readUser(ann.id)).groups).toMatchObject([{ name: fresh.name }])
})

describe('the groups', () => {
  test('are made, changed, given members and grants', async () => {
    const name = uniqueName('team')
    const fields = { name, description: 'Us & them', is_active: 'on' }
    const made = await submit(GROUPS, 'group.new', { ...fields, do: 'group.create' })
    const id = /group\.(\d+)/.exec(made.headers.get('location') ?? made.html)?.[1]
    const change = { ...fields, description: 'All of us', do: 'group.save' }
    expect((await submit(GROUPS, `group.${id}`, change)).status).toBe(303)
    const ann = await insertPerson()
    await submit(GROUPS, `members.${id}`, { logins: ann.login, do: 'members.add' })
    const other = await insertGroup()
    const grants = { members_from: other.name, bless_from: '', visible_to: '' }
    const granted = await submit(GROUPS, `grants.${id}`, { ...grants, do: 'grants.save' })
    expect(granted.status, granted.html).toBe(303)
    const { html } = await browser.open(`${GROUPS}?open=group.${id}`)
    expect(html).toContain(`href="/people/${ann.id}"`)
    expect(html).toContain('value="All of us"')
    expect(html).toContain(other.name)
    await submit(GROUPS, `members.${id}`, { logins: ann.login, do: 'members.remove' })
    expect((await readUser(ann.id)).groups).toEqual([])
  })

  test('keep a member whom a wrong login stands beside', async () => {
    const ann = await insertPerson()
    const group = await insertGroup([ann])
    const fields = { logins: `${ann.login}, nobody@nowhere.test`, do: 'members.remove' }
    const { status, html } = await submit(GROUPS, `members.${group.id}`, fields)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(html).toContain(`value="${ann.login}, nobody@nowhere.test"`)
    expect((await readUser(ann.id)).groups).toHaveLength(1)
  })
})

describe('others than administrators', () => {
  test.each([
    [USERS, 'user.new', { do: 'user.create', email: 'x@example.test' }],
    [GROUPS, 'group.new', { do: 'group.create', name: 'x', description: 'y' }],
  ])('are refused what the forms of %s do', async (path, open, fields) => {
    const shown = await stranger.open(path)
    expect(shown.status).toBeGreaterThanOrEqual(400)
    expect(shown.html).not.toContain(`value="${fields.do}"`)
    const sent = await stranger.submit('/', `${path}?open=${open}`, fields)
    expect(sent.status).toBeGreaterThanOrEqual(400)
  })
})
