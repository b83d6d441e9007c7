import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSuccess, type Reply } from '../support/clients/visitor.ts'
import { LOGINS, setUpTeam, type Team } from '../support/worlds/team.ts'
import { expectViews, pickNames, readAsEverybody } from '../support/worlds/team-views.ts'
import { type RunningServer, startServer } from './running-server.ts'

/** The people of the team, what they see of each other, and which groups they may bless. */

const ADMIN = 'root@tracker.example'
const KEY = 'lwAdministratorOfTheLampMakers0000000000'

let server: RunningServer
let team: Team

beforeAll(async () => {
  server = await startServer({ ADMIN_LOGIN: ADMIN, ADMIN_API_KEY: KEY })
  team = await setUpTeam(server.url, KEY)
})
afterAll(() => server?.stop())

const readViews = (path: string, pick: (body: Reply['body']) => unknown) =>
  readAsEverybody(team, path, pick)
const groupsOf = ({ users: [user] }: Reply['body']) => user.groups && pickNames(user.groups)

describe('the groups of a team', () => {
  test('are read completely by people who create groups, and not at all from outside', async () => {
    expect(
      await readViews('/group?names=staff&names=prism-makers&names=admin', ({ groups }) => groups),
    ).toEqual({
      ...{ anyone: 410, stranger: 805, member: 805 },
      admin: [
        whole({
          name: 'staff',
          description: 'Everybody at Lantern',
          user_regexp: '@lantern\\.example$',
        }),
        whole({ name: 'prism-makers', description: 'Who knows of the new lamp' }),
        whole({ name: 'admin', description: expect.any(String), is_bug_group: 0 }),
      ],
    })
  })

  test('have the members of the groups that they include', async () => {
    const path = '/group/prism-makers?membership=1'
    expect(await readViews(path, ({ groups: [group] }) => pickNames(group.membership))).toEqual({
      ...{ anyone: 410, stranger: 805, member: 805 },
      admin: [LOGINS.member, LOGINS.lead, ADMIN],
    })
    const { groups } = await expectSuccess(
      team.admin.get('/group?names=staff&names=leads&membership=1'),
    )
    expect(groups.map((group: { users: [] }) => pickNames(group.users))).toEqual([
      [LOGINS.member, LOGINS.lead, ADMIN],
      [LOGINS.lead, ADMIN],
    ])
  })

  test('are shown to people who edit users without their settings', async () => {
    const { groups } = await expectSuccess(team.lead.get('/group/prism-makers?membership=1'))
    expect(Object.keys(groups[0])).toEqual(['id', 'name', 'description', 'membership', 'users'])
    const { groups: all } = await expectSuccess(team.lead.get('/group'))
    expect(all.length).toBeGreaterThan(15)
  })

  test('have grants that people who create groups can see', async () => {
    expect(await readViews('/group/prism-makers/grants', (body) => body)).toEqual({
      ...{ anyone: 410, stranger: 304, member: 304 },
      admin: {
        members_from: ['admin', 'leads', 'staff'],
        bless_from: ['admin', 'leads'],
        visible_to: ['admin'],
      },
    })
  })
})

describe('the people of a team', () => {
  test('are shown with the documented fields for each caller', async () => {
    const fields = await readViews(`/user/${LOGINS.member}`, ({ users: [user] }) =>
      Object.keys(user),
    )
    const outside = ['id', 'name', 'real_name', 'nick']
    const inside = ['email', 'can_login', 'groups']
    const times = ['last_seen_date', 'last_activity_time', 'creation_time']
    expect(fields).toEqual({
      anyone: outside,
      stranger: [...outside, ...inside, ...times],
      member: [...outside, ...inside, 'saved_searches', 'saved_reports', ...times],
      admin: [
        ...[...outside, 'email', 'can_login', 'email_enabled', 'login_denied_text', 'groups'],
        ...times,
      ],
    })
    expect(await readViews(`/user/${LOGINS.member}`, ({ users: [user] }) => user.nick)).toEqual(
      expectViews('mara', 'mara'),
    )
  })

  test('have groups that only they and people who edit users see', async () => {
    expect(await readViews(`/user/${LOGINS.member}`, groupsOf)).toEqual({
      ...{ anyone: undefined, stranger: [] },
      ...{ member: ['prism-makers', 'staff'], admin: ['prism-makers', 'staff'] },
    })
    const own = await expectSuccess(team.stranger.get(`/user/${team.ids.stranger}`))
    expect(groupsOf(own)).toEqual([])
    const lead = await expectSuccess(team.lead.get(`/user/${LOGINS.lead}`))
    expect(groupsOf(lead)).toEqual(['editusers', 'leads', 'prism-makers', 'staff'])
  })

  test('are found by ID and by match by every caller who is signed in', async () => {
    const names = ({ users }: Reply['body']) => pickNames(users)
    expect(await readViews(`/user/${team.ids.member}`, names)).toEqual({
      ...expectViews([LOGINS.member], [LOGINS.member]),
      anyone: 505,
    })
    expect(await readViews('/user?match=lantern', names)).toEqual({
      ...expectViews([LOGINS.member, LOGINS.lead], [LOGINS.member, LOGINS.lead]),
      anyone: 505,
    })
    expect(await readViews('/user?match=*&groups=prism-makers', names)).toEqual({
      ...{ anyone: 505, stranger: 804 },
      member: [LOGINS.member, LOGINS.lead, ADMIN],
      admin: [LOGINS.member, LOGINS.lead, ADMIN],
    })
    expect(await readViews(`/user?names=${LOGINS.member}&groups=prism-makers`, names)).toEqual({
      ...expectViews(804, [LOGINS.member]),
    })
    expect(
      await readViews('/user?names=nobody&permissive=1', ({ users, faults }) => [users, faults]),
    ).toEqual(
      expectViews(
        ...twice([[], [expect.objectContaining({ name: 'nobody', code: 51, error: true })]]),
      ),
    )
  })

  test('are identified by GET /whoami', async () => {
    expect(await readViews('/whoami', ({ name }) => name)).toEqual({
      ...{ anyone: 410, stranger: LOGINS.stranger },
      ...{ member: LOGINS.member, admin: ADMIN },
    })
  })
})

describe('the right to bless', () => {
  test('extends to the groups that the person or a group of theirs may bless', async () => {
    const added = await expectSuccess(
      team.lead.put(`/user/${LOGINS.stranger}`, {
        groups: { add: ['staff', team.ids.makers], remove: ['prism-makers'] },
      }),
    )
    expect(added.users[0].changes).toEqual({
      groups: { removed: '', added: 'prism-makers, staff' },
    })
    const seenAfter = await expectSuccess(team.stranger.get('/product/Prism?include_fields=name'))
    expect(seenAfter.products).toEqual([{ name: 'Prism' }])

    const removed = await expectSuccess(
      team.lead.put(`/user/${LOGINS.stranger}`, { groups: { set: [] } }),
    )
    expect(removed.users[0].changes).toEqual({
      groups: { removed: 'prism-makers, staff', added: '' },
    })
    expect((await expectSuccess(team.stranger.get('/product/Prism'))).products).toEqual([])
  })

  test.each(['leads', 'admin', 'editusers', 'no-such-group'])(
    'does not extend to %s, and the refusal reveals nothing',
    async (group) => {
      const refused = await team.lead.put(`/user/${LOGINS.stranger}`, { groups: { add: [group] } })
      expect(refused.body).toEqual({
        error: true,
        code: 304,
        message: `You are not authorized to hand out the membership of the group '${group}'.`,
      })
    },
  )

  test('keeps groups that the person may not bless when groups are set', async () => {
    await expectSuccess(
      team.admin.put(`/user/${LOGINS.stranger}`, { groups: { add: ['canconfirm'] } }),
    )
    const set = await expectSuccess(
      team.lead.put(`/user/${LOGINS.stranger}`, { groups: { set: ['staff'] } }),
    )
    expect(set.users[0].changes).toEqual({ groups: { removed: '', added: 'staff' } })
    const all = await expectSuccess(team.admin.get(`/user/${LOGINS.stranger}`))
    expect(groupsOf(all)).toEqual(['canconfirm', 'prism-makers', 'staff'])
    await expectSuccess(team.admin.put(`/user/${LOGINS.stranger}`, { groups: { set: [] } }))
  })

  test('does not extend to people who do not edit users', async () => {
    for (const who of ['stranger', 'member', 'builder'] as const) {
      const refused = await team[who].put(`/user/${LOGINS.stranger}`, {
        groups: { add: ['staff'] },
      })
      expect({ who, code: refused.body.code }).toEqual({ who, code: 304 })
    }
  })
})

describe('a bug of a team', () => {
  test('follows the changed workflow', async () => {
    const move = (body: object) => team.lead.put(`/bug/${team.ids.bug}`, body)
    expect((await move({ status: 'CONFIRMED' })).body.code).toBe(123)
    await expectSuccess(team.admin.put(`/bug/${team.ids.bug}`, { status: 'CONFIRMED' }))
    expect((await move({ status: 'IN_PROGRESS' })).body.code).toBe(123)
    await expectSuccess(move({ status: 'DISMANTLED' }))
    const silent = await move({ status: 'RESOLVED', resolution: 'FIXED' })
    expect(silent.body.message).toContain('needs a comment')
    await expectSuccess(
      move({ status: 'RESOLVED', resolution: 'FIXED', comment: { body: 'New glass.' } }),
    )
    const { bugs } = await expectSuccess(
      team.member.get(`/bug/${team.ids.bug}?include_fields=status,groups`),
    )
    expect(bugs).toEqual([{ status: 'RESOLVED', groups: ['prism-makers'] }])
  })
})

function whole(set: Record<string, unknown>) {
  return { id: expect.any(Number), is_bug_group: 1, user_regexp: '', is_active: 1, ...set }
}

function twice<Value>(value: Value): [Value, Value] {
  return [value, value]
}
