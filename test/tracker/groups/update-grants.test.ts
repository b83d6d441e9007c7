import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { decideGrantEdit } from '../../../src/tracker/groups/update-grants.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestGroup } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, put } from '../../support/client.ts'
import { readMemberIds } from '../../support/clients/users.ts'
import { executeBatch } from '../../support/database/execute.ts'
import { loadGroupState } from '../../support/database/structure.ts'

const administrator = await insertPerson({ roles: ['admin'] })

async function grantsOf({ id }: TestGroup) {
  return (await get(administrator, `/rest/group/${id}/grants`)).body
}

async function updateGrants(its: TestGroup, body: object) {
  const answer = await put(administrator, `/rest/group/${its.id}/grants`, body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.groups[0].changes
}

describe('what an edit comes to', () => {
  const named = (id: number, name: string, role: string | null = null) => ({ id, name, role })
  const [admin, a, b, c] = [
    named(1, 'admin', 'admin'),
    named(2, 'A'),
    named(3, 'B'),
    named(4, '4x'),
  ]
  const known = [admin, a, b, c]

  test.each([
    ['nothing when it is left out', undefined, [a], '', ''],
    ['nothing when it is null', null, [a], '', ''],
    ['what is added, by name in either case and by ID', { add: ['b', '4'] }, [a], 'B 4x', ''],
    ['no change for what is there', { add: ['A'], remove: ['B'] }, [a], '', ''],
    ['what is removed', { remove: [' A ', 'B'] }, [a, b, c], '', 'A B'],
    ['added, when it is removed too', { add: ['A'], remove: ['A'] }, [], 'A', ''],
    ['left, when it is there, added and removed', { add: ['A'], remove: ['A'] }, [a], '', ''],
    ['exactly what is set', { set: ['B', '4X'] }, [a, b], '4x', 'A'],
    ['nothing left when nothing is set', { set: [] }, [a, b], '', 'A B'],
    [
      'what is set, whatever is added and removed',
      { set: ['A'], add: ['B'], remove: ['A'] },
      [a],
      '',
      '',
    ],
    ['each once', { add: ['B', '3', 'b'] }, [a], 'B', ''],
    ['administrators kept when others are set', { set: ['B'] }, [admin, a], 'B', 'A'],
  ])('%s', (_, edit, current, added, removed) => {
    const names = (list: readonly { name: string }[]) => list.map(({ name }) => name).join(' ')
    const decided = decideGrantEdit(edit as Parameters<typeof decideGrantEdit>[0], current, known)
    expect([names(decided.added), names(decided.removed)]).toEqual([added, removed])
  })

  test.each(['add', 'remove', 'set'])('a fault for an unknown group in %s', (part) => {
    const edit = { [part]: ['A', 'nobody'] } as Parameters<typeof decideGrantEdit>[0]
    expect(() => decideGrantEdit(edit, [a], known)).toThrow(expect.objectContaining({ code: 51 }))
  })
})

describe('PUT /group/:group/grants', () => {
  test('reports the change of each list and records its author', async () => {
    const [its, a, b] = [await insertGroup(), await insertGroup(), await insertGroup()]
    await updateGrants(its, { members_from: { add: [a.id] }, visible_to: { add: [a.name] } })
    const [first, second] = [a.name, b.name].toSorted()
    const changes = {
      members_from: { removed: a.name, added: b.name },
      bless_from: { removed: '', added: `${first}, ${second}` },
    }
    expect(
      await updateGrants(its, {
        members_from: { set: [b.name] },
        bless_from: { add: [b.id, a.id] },
        visible_to: { add: [a.id] },
      }),
    ).toEqual(changes)
    expect(await grantsOf(its)).toEqual({
      members_from: [b.name],
      bless_from: [first, second],
      visible_to: [a.name],
    })
    const state = await loadGroupState(its.id)
    expect(state).toMatchObject({ revision: 2 })
    expect(state.audit.at(-1)).toEqual({ by: administrator.id, action: 'update', changes })
  })

  test('writes nothing and reports no change when nothing differs', async () => {
    const its = await insertGroup()
    for (const body of [
      {},
      { members_from: {} },
      { members_from: null, bless_from: { set: [] } },
    ]) {
      const answer = await put(administrator, `/rest/group/${its.name}/grants`, body)
      expect(answer.body).toEqual({ groups: [{ id: its.id, changes: {} }] })
      expect(answer.cost.written).toBe(0)
    }
  })

  test('lets people who bless a group change its grants', async () => {
    const creator = await insertPerson({ roles: ['creategroups'] })
    const [its, inner] = [await insertGroup(), await insertGroup()]
    await executeBatch(
      sql`INSERT INTO group_blessers (user_id, group_id) VALUES (${creator.id}, ${its.id})`,
    )
    const body = { members_from: { add: [inner.id] } }
    expect((await put(creator, `/rest/group/${its.id}/grants`, body)).status).toBe(200)
    expect((await grantsOf(its)).members_from).toEqual([inner.name])
  })
})

describe('memberships follow the grants:', () => {
  test('over any number of steps, at once, and back again', async () => {
    const [ann, bob] = [await insertPerson(), await insertPerson()]
    const [a, b, c] = [await insertGroup([ann]), await insertGroup([bob]), await insertGroup()]
    await updateGrants(c, { members_from: { add: [b.id] } })
    await updateGrants(b, { members_from: { add: [a.id] } })
    expect(await readMemberIds(administrator, c.id)).toEqual([ann.id, bob.id])
    await updateGrants(b, { members_from: { remove: [a.id] } })
    expect(await readMemberIds(administrator, b.id)).toEqual([bob.id])
    expect(await readMemberIds(administrator, c.id)).toEqual([bob.id])
  })

  test('one group given up for another in the same change', async () => {
    const [ann, bob, eve] = [await insertPerson(), await insertPerson(), await insertPerson()]
    const [a, b, its] = [
      await insertGroup([ann, eve]),
      await insertGroup([bob, eve]),
      await insertGroup(),
    ]
    await updateGrants(its, { members_from: { set: [a.id] } })
    expect(await readMemberIds(administrator, its.id)).toEqual([ann.id, eve.id])
    await updateGrants(its, { members_from: { set: [b.id] } })
    expect(await readMemberIds(administrator, its.id)).toEqual([bob.id, eve.id])
  })

  test('a loop of inclusion ends, and opens again', async () => {
    const [ann, bob, eve] = [await insertPerson(), await insertPerson(), await insertPerson()]
    const [a, b, c] = [await insertGroup([ann]), await insertGroup([bob]), await insertGroup([eve])]
    await updateGrants(b, { members_from: { add: [a.id] } })
    await updateGrants(c, { members_from: { add: [b.id] } })
    await updateGrants(a, { members_from: { add: [c.id, a.id] } })
    for (const { id } of [a, b, c]) {
      expect(await readMemberIds(administrator, id)).toEqual([ann.id, bob.id, eve.id])
    }
    await updateGrants(a, { members_from: { set: [] } })
    expect(await readMemberIds(administrator, a.id)).toEqual([ann.id])
    expect(await readMemberIds(administrator, b.id)).toEqual([ann.id, bob.id])
    expect(await readMemberIds(administrator, c.id)).toEqual([ann.id, bob.id, eve.id])
  })

  test('the right to hand out or see membership gives none', async () => {
    const ann = await insertPerson()
    const [its, hands] = [await insertGroup(), await insertGroup([ann])]
    await updateGrants(its, { bless_from: { add: [hands.id] }, visible_to: { add: [hands.id] } })
    expect(await readMemberIds(administrator, its.id)).toEqual([])
    const { groups } = (await get(ann, '/rest/group')).body
    expect(groups).toMatchObject([{ id: its.id }])
  })

  test('each of several writers is heard', async () => {
    const its = await insertGroup()
    const inner = [
      await insertGroup(),
      await insertGroup(),
      await insertGroup(),
      await insertGroup(),
    ]
    await Promise.all(inner.map(({ id }) => updateGrants(its, { members_from: { add: [id] } })))
    expect((await grantsOf(its)).members_from).toHaveLength(4)
    expect(await loadGroupState(its.id)).toMatchObject({ revision: 4 })
  })
})

describe('PUT /group/:group/grants', () => {
  test('rejects to take administrators their grants with 32000, naming them', async () => {
    const { id } = (
      await post(administrator, '/rest/group', { name: uniqueName('made'), description: 'x' })
    ).body
    for (const field of ['members_from', 'bless_from', 'visible_to']) {
      const body = { [field]: { remove: ['admin'] } }
      expectFault(await put(administrator, `/rest/group/${id}/grants`, body), 400, 32000, 'admin')
    }
    const emptied = { members_from: { set: [] }, bless_from: { set: [] }, visible_to: { set: [] } }
    const answer = await put(administrator, `/rest/group/${id}/grants`, emptied)
    expect(answer.body.groups).toEqual([{ id, changes: {} }])
    expect(await readMemberIds(administrator, id)).toContain(administrator.id)
  })

  test('rejects callers who may create groups but not hand out this one with 304', async () => {
    const creator = await insertPerson({ roles: ['creategroups'] })
    const [its, own] = [await insertGroup(), await insertGroup([creator])]
    for (const field of ['members_from', 'bless_from', 'visible_to']) {
      const body = { [field]: { add: [own.id] } }
      expectFault(await put(creator, `/rest/group/${its.id}/grants`, body), 401, 304)
    }
    expect(await loadGroupState(its.id)).toMatchObject({ revision: 0, audit: [] })
  })

  test('rejects system groups to everybody but administrators, with the right to bless too with 304', async () => {
    const creator = await insertPerson({ roles: ['creategroups'] })
    const own = await insertGroup([creator])
    await executeBatch(
      sql`INSERT INTO group_blessers (user_id, group_id)
        SELECT ${creator.id}, id FROM access_groups WHERE role IN ('admin', 'editbugs')`,
    )
    for (const path of ['admin', 'editbugs']) {
      const body = { members_from: { add: [own.id] } }
      expectFault(await put(creator, `/rest/group/${path}/grants`, body), 401, 304, 'system groups')
    }
  })

  test('rejects callers without creategroups with 410 and 304, whether the group exists or not', async () => {
    const [its, editor] = [await insertGroup(), await insertPerson({ roles: ['editusers'] })]
    for (const path of [its.id, uniqueName('missing')]) {
      expectFault(await put(ANYONE, `/rest/group/${path}/grants`, {}), 401, 410)
      expectFault(await put(editor, `/rest/group/${path}/grants`, {}), 401, 304)
    }
  })

  test.each([
    ['an unknown name', { members_from: { add: ['nobody at all'] } }, 404, 51],
    ['an unknown ID', { visible_to: { remove: [99999999] } }, 404, 51],
    ['an unknown group beside others', { bless_from: { set: ['admin', 'nobody'] } }, 404, 51],
    ['an ID that is none', { bless_from: { add: [0] } }, 400, 52],
    ['a list where three are meant', { members_from: ['admin'] }, 400, 53],
    ['a text where lists are meant', { members_from: 'admin' }, 400, 53],
    ['a misspelled list', { bless_from: { removed: ['admin'] } }, 400, 53],
  ])('rejects %s, and changes nothing', async (_, body, status, code) => {
    const its = await insertGroup()
    expectFault(await put(administrator, `/rest/group/${its.id}/grants`, body), status, code)
    expect(await loadGroupState(its.id)).toMatchObject({ revision: 0, audit: [] })
  })

  test('rejects a group that does not exist with 51', async () => {
    const missing = uniqueName('missing')
    const answer = await put(administrator, `/rest/group/${missing}/grants`, {})
    expectFault(answer, 404, 51, missing)
  })
})
