import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { recomputeMembershipsStatements } from '../../../src/platform/access/membership.ts'
import { grantStatement, insertBlesser, insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, type Sender } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { executeBatch } from '../../support/database/execute.ts'

const stranger = await insertPerson()
const creator = await insertPerson({ roles: ['creategroups'] })
const editor = await insertPerson({ roles: ['editusers'] })
const administrator = await insertPerson({ roles: ['admin'] })

async function groupsAt(who: Sender, path: string) {
  const answer = await get(who, `/rest/group${path}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.groups
}

const idsOf = (groups: { id: number }[]) => groups.map(({ id }) => id)

describe('GET /group', () => {
  test('refuses with 1001 to list more than 10,000 members, whom a search for people pages through', async () => {
    const { id } = await insertGroup()
    const prefix = uniqueName('member')
    const numbers = JSON.stringify(Array.from({ length: 10_001 }, (_, n) => n))
    await executeBatch(
      sql`INSERT INTO users (login, login_fold, created_at, login_denied_text)
        SELECT ${prefix} || value, ${prefix} || value, 0, 'gone' FROM json_each(${numbers})`,
      sql`INSERT INTO memberships (user_id, group_id)
        SELECT id, ${id} FROM users WHERE instr(login_fold, ${prefix}) = 1`,
    )
    const members = `match=${prefix}*&group_ids=${id}&include_disabled=1&limit=2&include_fields=name`

    expectFault(
      await get(editor, `/rest/group/${id}?membership=1`),
      400,
      1001,
      "'match=a*' and 'group_ids'",
    )
    expect(await groupsAt(editor, `/${id}`)).toHaveLength(1)
    expect((await get(editor, `/rest/user?${members}`)).body.users).toHaveLength(2)
    await executeBatch(
      sql`DELETE FROM memberships WHERE group_id = ${id} AND user_id = (SELECT max(user_id) FROM memberships WHERE group_id = ${id})`,
    )
    const [group] = await groupsAt(editor, `/${id}?membership=1`)
    expect(group.membership).toHaveLength(10_000)
    await executeBatch(
      sql`DELETE FROM memberships WHERE group_id = ${id}`,
      sql`DELETE FROM users WHERE instr(login_fold, ${prefix}) = 1`,
    )
  })

  test('shows every property to people with creategroups, booleans as 1 and 0', async () => {
    const { id, name } = await insertGroup()
    const whole = {
      id,
      name,
      description: `All of ${name}`,
      is_bug_group: 1,
      user_regexp: '',
      is_active: 1,
    }
    expect(await groupsAt(creator, `/${id}`)).toEqual([whole])
    await executeBatch(
      sql`UPDATE access_groups SET is_active = 0, user_regexp = 'nobody at all' WHERE id = ${id}`,
    )
    expect(await groupsAt(creator, `/${id}`)).toEqual([
      { ...whole, is_active: 0, user_regexp: 'nobody at all' },
    ])
    expect(await groupsAt(creator, '/admin')).toMatchObject([{ is_bug_group: 0, is_active: 1 }])
  })

  test('shows booleans with the setting GROUP_FLAGS_AS_BOOLEANS', async () => {
    const { id } = await insertGroup()
    await executeBatch(sql`UPDATE access_groups SET is_active = 0 WHERE id = ${id}`)
    const read = async (setting: string, path: string) => {
      const answer = await fetchWith({ GROUP_FLAGS_AS_BOOLEANS: setting }, `/rest/group${path}`, {
        headers: { 'x-tracker-api-key': creator.key },
      })
      const { groups } = await answer.json<{
        groups: { is_bug_group: unknown; is_active: unknown }[]
      }>()
      return groups.map(({ is_bug_group, is_active }) => [is_bug_group, is_active])
    }
    expect(await read('on', `/${id}`)).toEqual([[true, false]])
    expect(await read('on', '?names=admin')).toEqual([[false, true]])
    expect(new Set((await read('on', '')).flat())).toEqual(new Set([true, false]))
    expect(await read('off', `/${id}`)).toEqual([[1, 0]])
  })

  test('lists the path first, then ids and names in either case, each group once', async () => {
    const [a, b, c] = [await insertGroup(), await insertGroup(), await insertGroup()]
    const rest = `ids=${b.id},99999999&ids=${a.id}&names=${c.name.toUpperCase()}&names=${a.name}`
    expect(idsOf(await groupsAt(creator, `?${rest}`))).toEqual([b.id, a.id, c.id])
    expect(idsOf(await groupsAt(creator, `/${c.name}?${rest}`))).toEqual([c.id, b.id, a.id])
    expect(idsOf(await groupsAt(creator, `/${a.id}?${rest}`))).toEqual([a.id, b.id, c.id])
    expect(await groupsAt(creator, '?ids=99999999')).toEqual([])
  })

  test('finds a name with commas, slashes and spaces', async () => {
    const { id } = await insertGroup()
    const name = `${uniqueName('odd')}, with/all of+it?`
    await executeBatch(
      sql`UPDATE access_groups SET name = ${name}, name_fold = ${name.toLowerCase()} WHERE id = ${id}`,
    )
    expect(idsOf(await groupsAt(creator, `/${encodeURIComponent(name)}`))).toEqual([id])
    expect(idsOf(await groupsAt(creator, `?names=${encodeURIComponent(name)}`))).toEqual([id])
  })

  test('lists all groups, system groups first, then by name', async () => {
    const mark = uniqueName('order')
    const made = [await insertGroup(), await insertGroup()]
    const names = [`${mark} B`, `${mark} a`]
    await executeBatch(
      ...made.map(
        ({ id }, i) => sql`UPDATE access_groups
          SET name = ${names[i]}, name_fold = ${names[i]?.toLowerCase()} WHERE id = ${id}`,
      ),
    )
    for (const who of [creator, editor, administrator]) {
      const all: { id: number; name: string }[] = await groupsAt(who, '')
      const places = ['admin', 'timetracking', `${mark} a`, `${mark} B`].map((name) =>
        all.findIndex((each) => each.name === name),
      )
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      expect(places[0]).toBe(0)
    }
  })

  test('shows people who bless groups only those groups', async () => {
    const [own, given, other] = [await insertGroup(), await insertGroup(), await insertGroup()]
    const hand = await insertBlesser(own)
    const through = await insertGroup([hand])
    await executeBatch(grantStatement(through, 'bless', given))
    const ids = idsOf(await groupsAt(hand, ''))
    expect(new Set(ids)).toEqual(new Set([own.id, given.id]))
    expect(ids).not.toContain(other.id)
  })

  test('shows less of a group to people without creategroups', async () => {
    const its = await insertGroup()
    const hand = await insertBlesser(its)
    for (const who of [editor, hand]) {
      const [reduced] = await groupsAt(who, `/${its.id}`)
      expect(reduced).toEqual({ id: its.id, name: its.name, description: `All of ${its.name}` })
      const [withMembers] = await groupsAt(who, `?names=${its.name}&membership=1`)
      expect(Object.keys(withMembers)).toEqual(['id', 'name', 'description', 'membership', 'users'])
    }
  })

  test('shows the selected fields alone, of members too', async () => {
    const member = await insertPerson()
    const its = await insertGroup([member])
    const path = `?ids=${its.id}&membership=True&include_fields=`
    expect(await groupsAt(creator, `${path}id,name`)).toEqual([{ id: its.id, name: its.name }])
    expect(await groupsAt(creator, `${path}membership.email`)).toEqual([
      { membership: [{ email: member.login }] },
    ])
    expect(await groupsAt(creator, `/${its.id}?exclude_fields=id,is_active,user_regexp`)).toEqual([
      { name: its.name, description: `All of ${its.name}`, is_bug_group: 1 },
    ])
  })
})

describe('the members of a group are', () => {
  test('shown whole under both labels, disabled ones with the reason', async () => {
    const ann = await insertPerson({ realName: 'Ann [:ann]' })
    const bob = await insertPerson({ realName: 'Bob', loginDeniedText: 'left' })
    const its = await insertGroup([ann, bob])
    const buildMember = (who: TestPerson, real_name: string, reason: string) => ({
      id: who.id,
      real_name,
      nick: who.login.split('@')[0],
      email: who.login,
      name: who.login,
      can_login: reason === '',
      email_enabled: reason === '',
      disabled_text: reason,
      login_denied_text: reason,
    })
    const members = [buildMember(ann, 'Ann [:ann]', ''), buildMember(bob, 'Bob', 'left')]
    for (const who of [creator, editor, await insertBlesser(its)]) {
      const [{ membership, users }] = await groupsAt(who, `?ids=${its.id}&membership=1`)
      expect(membership).toEqual(members)
      expect(users).toEqual(members)
    }
  })

  test('direct, by pattern and inherited ones, each once, round a loop of inclusion', async () => {
    const [ann, bob, eve] = [await insertPerson(), await insertPerson(), await insertPerson()]
    const inner = await insertGroup([ann, eve])
    const its = await insertGroup([bob, eve])
    await executeBatch(
      grantStatement(inner, 'membership', its),
      grantStatement(its, 'membership', inner),
    )
    const pat = await insertPerson()
    await executeBatch(
      sql`INSERT INTO group_members (user_id, group_id, source) VALUES
        (${pat.id}, ${its.id}, 'regexp'), (${bob.id}, ${its.id}, 'regexp')`,
      ...recomputeMembershipsStatements('everybody'),
    )
    for (const each of [its, inner]) {
      const [{ membership }] = await groupsAt(creator, `/${each.id}?membership=1`)
      expect(idsOf(membership)).toEqual([ann.id, bob.id, eve.id, pat.id])
    }
  })

  test('shown only on request', async () => {
    const its = await insertGroup([stranger])
    for (const query of ['', '?membership=0', '?membership=false']) {
      const [answer] = await groupsAt(creator, `/${its.id}${query}`)
      expect(answer).not.toHaveProperty('membership')
      expect(answer).not.toHaveProperty('users')
    }
  })
})

describe('GET /group', () => {
  test('rejects callers who have not logged in with 410', async () => {
    for (const path of ['', '/admin', '?ids=1', '?ids=x', '?names=nothing']) {
      expectFault(await get(ANYONE, `/rest/group${path}`), 401, 410)
    }
  })

  test('rejects callers without a right over any group with 805, before it looks for the group', async () => {
    const its = await insertGroup([stranger])
    const missing = uniqueName('missing')
    for (const path of ['', `/${its.id}`, `/${its.name}`, `/${missing}`, `?names=${missing}`]) {
      for (const query of ['', 'membership=1']) {
        const glue = path.includes('?') ? '&' : '?'
        expectFault(await get(stranger, `/rest/group${path}${glue}${query}`), 400, 805)
      }
    }
  })

  test('rejects a group that the caller cannot hand out, even among others with 805', async () => {
    const [own, other] = [await insertGroup(), await insertGroup()]
    const hand = await insertBlesser(own)
    for (const path of [`/${other.id}`, `/${other.name}`, `?ids=${own.id}&ids=${other.id}`]) {
      expectFault(await get(hand, `/rest/group${path}`), 400, 805)
    }
  })

  test('rejects a name that no group has with 51, naming it', async () => {
    const missing = uniqueName('missing')
    const own = await insertGroup()
    for (const who of [creator, editor, administrator, await insertBlesser(own)]) {
      for (const path of [`/${missing}`, `?names=${own.name}&names=${missing}`]) {
        expectFault(await get(who, `/rest/group${path}`), 404, 51, missing)
      }
    }
  })

  test.each(['/0', '?ids=x', '?ids=0', '?ids=-1', '?ids=1,two', '/9999999999999999'])(
    'rejects %s, which is no ID with 52',
    async (path) => {
      expectFault(await get(creator, `/rest/group${path}`), 400, 52)
    },
  )
})

describe('GET /group', () => {
  test('costs as many rows as the group has members, however many others there are', async () => {
    const its = await insertGroup([await insertPerson()])
    // so that its rows are not the last of an index
    await insertGroup([await insertPerson()])
    const reading = async () => {
      const { cost } = await get(creator, `/rest/group/${its.id}?membership=1`)
      return cost.read
    }
    const before = await reading()
    await insertGroup([await insertPerson(), await insertPerson(), await insertPerson()])
    expect(await reading()).toBe(before)
  })
})
