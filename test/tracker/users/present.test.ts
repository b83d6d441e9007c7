import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { recomputeMembershipsStatements } from '../../../src/platform/access/membership.ts'
import type { Role } from '../../../src/platform/access/roles.ts'
import { toDatetime } from '../../../src/platform/lib/time.ts'
import { grantStatement, insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestGroup, TestPerson } from '../../support/builders/types.ts'
import { NOW, uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, type Sender } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { readUser } from '../../support/clients/users.ts'
import { executeBatch } from '../../support/database/execute.ts'

const stranger = await insertPerson()
const editor = await insertPerson({ roles: ['editusers'] })
const disabler = await insertPerson({ roles: ['disableusers'] })
const administrator = await insertPerson({ roles: ['admin'] })

async function groupsShown(whom: TestPerson, who: Sender): Promise<string[]> {
  const { groups } = await readUser(whom, who)
  return groups.map(({ name }: { name: string }) => name)
}

describe('GET /user', () => {
  let member: TestPerson
  let club: TestGroup
  let known: object
  beforeAll(async () => {
    member = await insertPerson()
    club = await insertGroup([member])
    await executeBatch(
      sql`UPDATE users SET last_seen_at = 1700000000, last_activity_at = 1600000000,
        email_enabled = 0 WHERE id = ${member.id}`,
    )
    known = {
      id: member.id,
      name: member.login,
      real_name: `Person ${member.login}`,
      nick: member.login.split('@')[0],
    }
  })
  const TIMES = {
    last_seen_date: '2023-11-14T22:13:20Z',
    last_activity_time: '2020-09-13T12:26:40Z',
    creation_time: toDatetime(NOW),
  }

  test('shows four fields to logged-out callers, whatever they ask for', async () => {
    expect(await readUser(member, ANYONE)).toEqual(known)
    expect(await readUser(member, ANYONE, '?include_fields=_all')).toEqual(known)
    expect(
      await readUser(member, ANYONE, '?include_fields=id,email,groups.name,can_login'),
    ).toEqual({
      id: member.id,
    })
  })

  test('shows logins without their domain to logged-out callers where the site hides it', async () => {
    const path = `/rest/user/${member.login}`
    const name = member.login.split('@')[0]
    const hidden = await fetchWith({ HIDE_EMAIL_DOMAINS: 'on' }, path)
    const headers = { 'x-tracker-api-key': stranger.key }
    const open = await fetchWith({ HIDE_EMAIL_DOMAINS: 'on' }, path, { headers })

    expect(await hidden.json()).toEqual({ users: [{ ...known, name, nick: name }] })
    expect(await open.json()).toMatchObject({
      users: [{ name: member.login, email: member.login }],
    })
  })

  test('shows what the real name, or else the login, gives as the nick', async () => {
    const one = await insertPerson()
    await executeBatch(
      sql`UPDATE users SET nick = 'jroe', nick_fold = ${uniqueName('nick')} WHERE id = ${one.id}`,
    )
    const other = await insertPerson()

    expect((await readUser(one, ANYONE)).nick).toBe('jroe')
    expect((await readUser(other, ANYONE)).nick).toBe(other.login.split('@')[0])
  })

  test('shows mail address, login state and times to whoever has logged in', async () => {
    expect(await readUser(member, stranger)).toEqual({
      ...known,
      email: member.login,
      can_login: true,
      groups: [],
      ...TIMES,
    })
  })

  test('shows mail switch and reason for being disabled to disableusers alone', async () => {
    const seen = { ...known, email: member.login, can_login: true, groups: [], ...TIMES }

    expect(await readUser(member, disabler)).toEqual({
      ...seen,
      email_enabled: false,
      login_denied_text: '',
    })
    expect(await readUser(disabler, disabler)).toMatchObject({
      email_enabled: true,
      login_denied_text: '',
    })
    expect(await readUser(member, administrator)).toMatchObject({ login_denied_text: '' })
    for (const who of [editor, member]) {
      expect(await readUser(member, who)).not.toHaveProperty('email_enabled')
      expect(await readUser(member, who)).not.toHaveProperty('login_denied_text')
    }
  })

  test('shows a disabled account as one that cannot log in and gets no mail', async () => {
    const gone = await insertPerson({ loginDeniedText: 'Left the project' })

    expect(await readUser(gone, disabler)).toMatchObject({
      can_login: false,
      email_enabled: false,
      login_denied_text: 'Left the project',
      last_seen_date: null,
      last_activity_time: null,
    })
    expect(await readUser(gone, stranger)).toMatchObject({ can_login: false })
    expect(JSON.stringify(await readUser(gone, editor))).not.toContain('Left the project')
  })

  test('shows the groups of oneself, and to editusers those of everybody', async () => {
    const { id, name } = club
    const groups = [{ id, name, description: `All of ${name}` }]

    expect((await readUser(member, member)).groups).toEqual(groups)
    expect((await readUser(member, editor)).groups).toEqual(groups)
    expect(await groupsShown(member, administrator)).toEqual([name])
    for (const who of [stranger, disabler]) {
      expect(await groupsShown(member, who)).toEqual([])
    }
  })

  test('shows groups that somebody inherits, and all of them by name', async () => {
    const [upper, lower] = [await insertGroup(), await insertGroup()]
    const one = await insertPerson({ groups: [lower] })
    await executeBatch(
      grantStatement(lower, 'membership', upper),
      ...recomputeMembershipsStatements([one.id]),
    )
    const names = [upper.name, lower.name].sort()

    expect(await groupsShown(one, one)).toEqual(names)
    expect(await groupsShown(one, editor)).toEqual(names)
    const own = await groupsShown(administrator, administrator)
    expect(own).toEqual([...own].sort())
    expect(own).toEqual(expect.arrayContaining(['admin', 'editusers', 'insider']))
  })

  test('shows of the groups of others only those that the caller may hand out', async () => {
    const [mine, theirs] = [await insertGroup(), await insertGroup()]
    const one = await insertPerson({ groups: [mine, theirs] })
    const blesser = await insertPerson()
    await executeBatch(
      sql`INSERT INTO group_blessers (user_id, group_id) VALUES (${blesser.id}, ${mine.id})`,
    )

    expect(await groupsShown(one, blesser)).toEqual([mine.name])
    expect(await groupsShown(stranger, blesser)).toEqual([])
    expect(await groupsShown(blesser, blesser)).toEqual([])
    expect(await groupsShown(one, stranger)).toEqual([])
  })

  test('shows those too that a group of the caller may hand out, an inherited one included', async () => {
    const [target, givers, chiefs] = [await insertGroup(), await insertGroup(), await insertGroup()]
    const one = await insertPerson({ groups: [target, givers] })
    const [giver, chief] = [
      await insertPerson({ groups: [givers] }),
      await insertPerson({ groups: [chiefs] }),
    ]
    const viewer = await insertGroup([stranger])
    await executeBatch(
      grantStatement(givers, 'bless', target),
      grantStatement(chiefs, 'membership', givers),
      // neither membership of it nor the right to see it is a right to hand it out
      grantStatement(viewer, 'visible', target),
      ...recomputeMembershipsStatements([chief.id]),
    )

    expect(await groupsShown(one, giver)).toEqual([target.name])
    expect(await groupsShown(one, chief)).toEqual([target.name])
    expect(await groupsShown(one, stranger)).toEqual([])
    expect(await groupsShown(one, await insertPerson({ groups: [target] }))).toEqual([])
  })

  test('shows saved searches and reports to their owner alone, by name', async () => {
    const owner = await insertPerson()
    const saved = ['search:Zoo', 'search:apes', 'report:Load'].map((text) => text.split(':'))
    await executeBatch(
      ...saved.map(
        ([kind, name]) => sql`INSERT INTO saved_searches (user_id, kind, name, name_fold, query)
          VALUES (${owner.id}, ${kind}, ${name}, ${name?.toLowerCase()}, ${`product=${name}`})`,
      ),
    )
    const item = (name: string) => ({ id: expect.any(Number), name, query: `product=${name}` })

    expect(await readUser(owner, owner)).toMatchObject({
      saved_searches: [item('apes'), item('Zoo')],
      saved_reports: [item('Load')],
    })
    expect(await readUser(owner, owner, '?include_fields=saved_searches.name')).toEqual({
      saved_searches: [{ name: 'apes' }, { name: 'Zoo' }],
    })
    for (const who of [ANYONE, stranger, editor, disabler, administrator]) {
      const seen = await readUser(owner, who)
      expect(seen).not.toHaveProperty('saved_searches')
      expect(seen).not.toHaveProperty('saved_reports')
    }
    const { body } = await get(owner, `/rest/user?ids=${owner.id},${stranger.id}`)
    expect(body.users[1]).not.toHaveProperty('saved_searches')
  })

  test('refuses groups of very many people that are too long for one answer', async () => {
    const description = 'x'.repeat(2_000_000)
    const group = await insertGroup()
    await executeBatch(
      sql`UPDATE access_groups SET description = ${description} WHERE id = ${group.id}`,
    )
    const people = await Promise.all(
      Array.from({ length: 5 }, () => insertPerson({ groups: [group] })),
    )
    const read = (count: number, fields = '') =>
      get(administrator, `/rest/user?ids=${people.slice(0, count).map(({ id }) => id)}${fields}`)
    expect((await read(4)).status).toBe(200)
    const refused = await read(5)
    expectFault(refused, 400, 1001)
    expect(refused.body.message).toContain('exclude_fields=groups')
    expect((await read(5, '&exclude_fields=groups')).body.users).toHaveLength(5)
  })

  test('shows the first million bytes of very long saved searches', async () => {
    const owner = await insertPerson()
    await executeBatch(sql`WITH RECURSIVE n(i) AS (SELECT 1001 UNION ALL SELECT i + 1 FROM n WHERE i < 1150)
      INSERT INTO saved_searches (user_id, kind, name, name_fold, query)
      SELECT ${owner.id}, 'search', 'No. ' || i, 'no. ' || i, ${'q'.repeat(10_000)} FROM n`)
    const { saved_searches: shown } = await readUser(owner, owner)
    expect(shown).toHaveLength(100)
    expect(shown.at(-1).name).toBe('No. 1100')
    expect(
      (await get(owner, '/rest/saved_search?limit=1&offset=149')).body.saved_searches,
    ).toHaveLength(1)
    await executeBatch(sql`DELETE FROM saved_searches WHERE user_id = ${owner.id}`)
  })

  test('shows to everybody but oneself the same, whatever the roles that see nothing more', async () => {
    const plain = await readUser(member, stranger)
    const others: Role[] = ['creategroups', 'editbugs', 'insider', 'tweakparams']

    expect(await readUser(member, await insertPerson({ roles: others }))).toEqual(plain)
  })
})

describe('GET /user', () => {
  let member: TestPerson
  let club: TestGroup
  beforeAll(async () => {
    member = await insertPerson()
    club = await insertGroup([member])
  })

  test.each([
    ['include_fields=id', () => ({ id: member.id })],
    ['include_fields=id,name&exclude_fields=id', () => ({ name: member.login })],
    ['include_fields=bogus', () => ({})],
    ['include_fields=groups.name', () => ({ groups: [{ name: club.name }] })],
    [
      'include_fields=groups&exclude_fields=groups.description',
      () => ({ groups: [{ id: club.id, name: club.name }] }),
    ],
    ['include_fields=groups.name&exclude_fields=groups', () => ({})],
    [
      'include_fields=saved_searches,saved_reports',
      () => ({ saved_searches: [], saved_reports: [] }),
    ],
    ['include_fields=email_enabled,nick', () => ({ nick: member.login.split('@')[0] })],
    [
      'include_fields=id&include_fields=can_login+creation_time',
      () => ({ id: member.id, can_login: true, creation_time: toDatetime(NOW) }),
    ],
  ])('filters fields: %s', async (fields, expected) => {
    expect(await readUser(member, member, `?${fields}`)).toEqual(expected())
  })

  test('gives everything for _all, _default and an empty list', async () => {
    // authentication writes when somebody was last seen, so the first answer is thrown away
    await readUser(member, member)
    const whole = await readUser(member, member)

    for (const all of ['_all', '_default', '']) {
      expect(await readUser(member, member, `?include_fields=${all}`)).toEqual(whole)
    }
  })

  test.each([
    ['id,name', 1],
    ['email,can_login,last_seen_date', 1],
    ['groups.name', 2],
    ['saved_searches', 2],
    ['_all', 3],
  ])('runs only the statements for them: %s takes %d', async (fields, statements) => {
    const own = `/rest/user/${member.id}?include_fields=${fields}`

    // one more finds out who is calling
    expect((await get(member, own)).cost).toMatchObject({ trips: 1, statements: statements + 1 })
    expect(
      (await get(ANYONE, `/rest/user/${member.login}?include_fields=${fields}`)).cost,
    ).toMatchObject({ trips: 1, statements: 1 })
  })
})
