import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPeopleNamed, insertPerson } from '../../support/builders/people.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, put } from '../../support/client.ts'
import { readMemberIds, sortNumbers } from '../../support/clients/users.ts'
import { executeBatch } from '../../support/database/execute.ts'
import { loadGroupState } from '../../support/database/structure.ts'

const creator = await insertPerson({ roles: ['creategroups'] })

const buildBody = (more: object = {}) => ({
  name: uniqueName('made'),
  description: 'Made by a test',
  ...more,
})

async function administrators(): Promise<number[]> {
  const [rows = []] = await executeBatch(
    sql`SELECT m.user_id FROM memberships m JOIN access_groups g ON g.id = m.group_id
      WHERE g.role = 'admin' ORDER BY m.user_id`,
  )
  return rows.map(({ user_id }) => Number(user_id))
}

describe('POST /group', () => {
  test('creates a group with the given values and records its author', async () => {
    const given = buildBody({
      user_regexp: ' nobody at all ',
      is_active: false,
      icon_url: 'https://x.test/i',
    })
    const answer = await post(creator, '/rest/group', { ...given, name: `  ${given.name} ` })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({ id: expect.any(Number) })
    const { audit, ...row } = await loadGroupState(answer.body.id)
    expect(row).toEqual({
      name: given.name,
      description: given.description,
      user_regexp: 'nobody at all',
      is_active: 0,
      is_bug_group: 1,
      icon_url: 'https://x.test/i',
      revision: 0,
    })
    expect(audit).toEqual([
      {
        by: creator.id,
        action: 'create',
        changes: {
          name: { removed: '', added: given.name },
          description: { removed: '', added: given.description },
          user_regexp: { removed: '', added: 'nobody at all' },
          is_active: { removed: '', added: '0' },
          icon_url: { removed: '', added: 'https://x.test/i' },
        },
      },
    ])
  })

  test('makes an active group without a pattern by default', async () => {
    const { id } = (await post(creator, '/rest/group', buildBody())).body
    expect(await loadGroupState(id)).toMatchObject({
      is_active: 1,
      is_bug_group: 1,
      user_regexp: '',
      icon_url: null,
    })
  })

  test('takes `is_bug_group` in vain, and says so', async () => {
    const answer = await post(creator, '/rest/group', buildBody({ is_bug_group: 0 }))
    expect(answer.headers.get('x-tracker-warnings')).toBe('unused parameters: is_bug_group')
    expect(await loadGroupState(answer.body.id)).toMatchObject({ is_bug_group: 1 })
  })

  test.each(['role', 'userregexp'])('refuses the unknown parameter %s', async (name) => {
    const answer = await post(creator, '/rest/group', buildBody({ [name]: 'admin' }))
    expectFault(answer, 400, 53, `'${name}'`)
  })

  test('makes administrators its only members', async () => {
    const boss = await insertPerson({ roles: ['admin'] })
    const { id } = (await post(creator, '/rest/group', buildBody())).body
    expect(await readMemberIds(creator, id)).toEqual(await administrators())
    expect(await administrators()).toContain(boss.id)
    const [grants = []] = await executeBatch(
      sql`SELECT g.role, kind FROM group_grants JOIN access_groups g ON g.id = member_group_id
        WHERE granting_group_id = ${id} ORDER BY kind`,
    )
    expect(grants).toEqual(
      ['bless', 'membership', 'visible'].map((kind) => ({ role: 'admin', kind })),
    )
    expect(
      (await get(boss, '/rest/group')).body.groups.map((its: { id: number }) => its.id),
    ).toContain(id)
  })

  test('fills a group with everybody whose login matches its pattern, at once', async () => {
    const mark = uniqueName('mark').toLowerCase()
    const [ann, bob] = await insertPeopleNamed(`${mark} ann`, `${mark} bob`, `other ${mark}`)
    const { id } = (
      await post(creator, '/rest/group', buildBody({ user_regexp: `^${mark.toUpperCase()}\\.` }))
    ).body
    expect(await readMemberIds(creator, id)).toEqual(
      sortNumbers([...(await administrators()), ann.id, bob.id]),
    )
    expect((await get(ann, `/rest/user/${ann.id}`)).body.users[0].groups).toMatchObject([{ id }])
  })
})

describe('POST /group', () => {
  test('rejects a name that is taken, in any case with 801, naming it', async () => {
    const { name } = await insertGroup()
    for (const taken of [name, name.toUpperCase(), ` ${name} `]) {
      expectFault(
        await post(creator, '/rest/group', buildBody({ name: taken })),
        400,
        801,
        taken.trim(),
      )
    }
  })

  test('rejects all but one of several who want the same name at once', async () => {
    const given = buildBody({ user_regexp: 'nobody' })
    const answers = await Promise.all([1, 2, 3, 4].map(() => post(creator, '/rest/group', given)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400])
    expect(answers.filter(({ body: { code } }) => code === 801)).toHaveLength(3)
  })

  test('rejects callers without creategroups with 410 and 304, before it looks at parameters', async () => {
    const editor = await insertPerson({ roles: ['editusers', 'editcomponents'] })
    for (const given of [buildBody(), {}, { user_regexp: '\\' }]) {
      expectFault(await post(ANYONE, '/rest/group', given), 401, 410)
      expectFault(await post(editor, '/rest/group', given), 401, 304)
    }
  })
})

test('a pattern of half a character does not break the creation of users', async () => {
  const given = buildBody({ user_regexp: 'a\ud800b\u0000' })
  const { id } = (await post(creator, '/rest/group', given)).body
  const editor = await insertPerson({ roles: ['editusers'] })
  const made = await post(editor, '/rest/user', { email: `${uniqueName('new')}@example.test` })
  expect({ status: made.status, trips: made.cost.trips }).toEqual({ status: 201, trips: 3 })
  await put(creator, `/rest/group/${id}`, { user_regexp: '' })
})

describe('a pattern that makes others run for ever', () => {
  test('is served, and costs no more than any other', async () => {
    const [victim] = await insertPeopleNamed(`${uniqueName('victim')} ${'a'.repeat(80)}`)
    const { status, body: made } = await post(
      creator,
      '/rest/group',
      buildBody({ user_regexp: '^(([a-z0-9.])+.)+[!]([a-z])+$' }),
    )
    expect(status).toBe(201)
    expect(await readMemberIds(creator, made.id)).not.toContain(victim.id)
  })
})
