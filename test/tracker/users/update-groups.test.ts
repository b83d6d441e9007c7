import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { updateUsers } from '../../../src/tracker/users/update.ts'
import {
  collectGroupRefs,
  decideUserGroups,
  type GroupsEditInput,
  presentGroupsChange,
} from '../../../src/tracker/users/update-groups.ts'
import { buildCtx } from '../../support/builders/callers.ts'
import { grantStatement, insertGroup, setGroupPattern } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestGroup, TestPerson } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'
import { expectFault, get, put } from '../../support/client.ts'
import { sortNumbers } from '../../support/clients/users.ts'
import { executeBatch } from '../../support/database/execute.ts'
import { loadAuditEntries } from '../../support/database/structure.ts'
import { loadMemberships, loadUserRow } from '../../support/database/users.ts'
import { openInterruptedSession } from '../../support/fakes/sessions.ts'

/** The caller may bless groups 1 to 4, but not 8 and 9. */
const KNOWN = [
  { id: 1, name: 'Alpha', isBlessable: true },
  { id: 2, name: 'beta', isBlessable: true },
  { id: 3, name: 'gamma', isBlessable: true },
  { id: 4, name: '44', isBlessable: true },
  { id: 8, name: 'foreign', isBlessable: false },
  { id: 9, name: 'secret', isBlessable: false },
]

type Line = [what: string, current: number[], edit: GroupsEditInput, expected: unknown]

const LINES: Line[] = [
  ['no edit', [1, 8], undefined, [[], []]],
  ['null', [1, 8], null, [[], []]],
  ['an empty edit', [1, 8], {}, [[], []]],
  ['empty lists', [1], { add: [], remove: [] }, [[], []]],
  ['an addition', [1], { add: [2] }, [[2], []]],
  ['an addition by name in any case', [], { add: ['ALPHA', ' Beta '] }, [[1, 2], []]],
  ['an addition by digits', [], { add: ['3'] }, [[3], []]],
  ['an addition of a group that is there', [1], { add: [1, 'alpha'] }, [[], []]],
  ['an addition of one group twice', [], { add: [1, '1', 'Alpha'] }, [[1], []]],
  ['a removal', [1, 2], { remove: ['beta'] }, [[], [2]]],
  ['a removal of a group that is not there', [1], { remove: [2] }, [[], []]],
  ['an addition and a removal', [1], { add: [2], remove: [1] }, [[2], [1]]],
  ['a group in both lists, which is there', [1], { add: [1], remove: [1] }, [[], []]],
  ['a group in both lists, which is not there', [], { add: [1], remove: ['Alpha'] }, [[1], []]],
  ['a set', [1, 2], { set: [2, 3] }, [[3], [1]]],
  ['an empty set', [1, 2], { set: [] }, [[], [1, 2]]],
  ['a set beside an addition and a removal', [1], { set: [2], add: [3], remove: [2] }, [[2], [1]]],
  ['a set, which keeps groups that the caller may not bless', [1, 8, 9], { set: [] }, [[], [1]]],
  ['a null set, which is ignored', [1], { set: null, add: [2] }, [[2], []]],
  ['blank elements', [1], { add: ['', ' '], remove: [' '] }, [[], []]],
  ['a group whose name is digits, which only its ID finds', [], { add: ['44'] }, 304],
  ['an unknown name', [], { add: ['nowhere'] }, 304],
  ['an unknown ID', [], { remove: [77] }, 304],
  ['digits beyond any ID', [], { add: ['9'.repeat(40)] }, 304],
  ['a broken number', [], { add: [1.5] }, 304],
  ['a group that the caller may not bless', [], { add: [8] }, 304],
  ['a removal of a group that the caller may not bless', [8], { remove: ['foreign'] }, 304],
  [
    'an addition of a group that is there and that the caller may not bless',
    [8],
    { add: [8] },
    304,
  ],
  ['a set of a group that the caller may not bless', [8], { set: [8] }, 304],
  ['an ignored addition of a group that the caller may not bless', [], { set: [1], add: [8] }, 304],
  [
    'an ignored removal of a group that the caller may not bless',
    [],
    { set: [1], remove: [9] },
    304,
  ],
]

describe('decideGroups', () => {
  test.each(LINES)('%s', (_, current, edit, expected) => {
    const result = catchFaultCode(() => {
      const { added, removed } = decideUserGroups(edit, current, KNOWN)
      return [added.map(({ id }) => id), removed.map(({ id }) => id)]
    })
    expect(result).toEqual(expected)
  })

  test('rejects an unknown group with the message for one that the caller may not bless', () => {
    const message = (text: string) => {
      try {
        decideUserGroups({ add: [text] }, [], KNOWN)
      } catch (error) {
        return String(error).replace(text, '')
      }
      return ''
    }
    expect(message('foreign')).toBe(message('nowhere'))
    expect(message('foreign')).not.toBe('')
  })

  test('is presented by names, in their order', () => {
    const edit = decideUserGroups({ set: ['gamma', 'beta'] }, [1, 4], KNOWN)
    expect(presentGroupsChange(edit)).toEqual({ removed: '44, Alpha', added: 'beta, gamma' })
    expect(presentGroupsChange(decideUserGroups({ add: [1] }, [1], KNOWN))).toBeUndefined()
  })

  test('collects IDs and names, including those without effect', () => {
    expect(collectGroupRefs({ set: [1, 'Beta'], add: ['7', ''], remove: ['X'] })).toEqual({
      ids: [7, 1],
      names: ['x', 'beta'],
    })
    expect(collectGroupRefs(null)).toEqual({ ids: [], names: [] })
  })
})

const updateUser = (who: TestPerson, whom: TestPerson, body: object) =>
  put(who, `/rest/user/${whom.id}`, body)

const changesOf = async (whom: TestPerson, body: object, who: TestPerson) => {
  const answer = await updateUser(who, whom, body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.users[0].changes
}

/** Inserts a person who edits users and may bless these groups. */
async function insertEditingBlesser(...groups: TestGroup[]): Promise<TestPerson> {
  const one = await insertPerson({ roles: ['editusers'] })
  await executeBatch(
    ...groups.map(
      ({ id }) => sql`INSERT INTO group_blessers (user_id, group_id) VALUES (${one.id}, ${id})`,
    ),
  )
  return one
}

describe('PUT /user with groups', () => {
  let administrator: TestPerson
  let mine: TestGroup
  let other: TestGroup
  let foreign: TestGroup
  let blesser: TestPerson
  beforeAll(async () => {
    ;[mine, other, foreign] = [await insertGroup(), await insertGroup(), await insertGroup()]
    blesser = await insertEditingBlesser(mine, other)
    administrator = await insertPerson({ roles: ['admin'] })
  })

  test('adds, removes and sets groups that the caller may bless', async () => {
    const one = await insertPerson({ groups: [mine, foreign] })
    expect(
      await changesOf(one, { groups: { add: [other.name], remove: [mine.id] } }, blesser),
    ).toEqual({ groups: { removed: mine.name, added: other.name } })
    expect(await loadMemberships(one.id, mine, other, foreign)).toMatchObject({
      direct: [other.id, foreign.id],
      effective: [other.id, foreign.id],
    })
    expect(await changesOf(one, { groups: { set: [mine.id], add: [other.id] } }, blesser)).toEqual({
      groups: { removed: other.name, added: mine.name },
    })
    expect(await changesOf(one, { groups: { set: [] } }, blesser)).toEqual({
      groups: { removed: mine.name, added: '' },
    })
    expect((await loadMemberships(one.id, mine, other, foreign)).direct).toEqual([foreign.id])
    expect(await loadUserRow(one.id)).toMatchObject({ revision: 3 })
    expect(await loadAuditEntries('User', one.id)).toHaveLength(3)
  })

  test('returns the changed groups with comma and space, by name', async () => {
    const one = await insertPerson()
    const names = [mine.name, other.name].sort().join(', ')
    expect(
      (await changesOf(one, { groups: { set: [other.id, mine.id] } }, blesser)).groups,
    ).toEqual({
      removed: '',
      added: names,
    })
  })

  test('takes effect at once, including inherited groups', async () => {
    const [inner, outer] = [await insertGroup(), await insertGroup()]
    await executeBatch(grantStatement(inner, 'membership', outer))
    const giver = await insertEditingBlesser(inner)
    const [a, b] = [await insertPerson(), await insertPerson()]
    await put(giver, `/rest/user/${a.id}`, { ids: [b.id], groups: { add: [inner.id] } })
    for (const { id } of [a, b]) {
      expect((await loadMemberships(id, inner, outer)).effective).toEqual(
        sortNumbers([inner.id, outer.id]),
      )
    }
    await changesOf(a, { groups: { remove: [inner.id] } }, giver)
    expect((await loadMemberships(a.id, inner, outer)).effective).toEqual([])
    expect((await loadMemberships(b.id, inner, outer)).effective).toEqual([inner.id, outer.id])
  })

  test('keeps memberships by pattern and by inheritance', async () => {
    const [inner, outer] = [await insertGroup(), await insertGroup()]
    const one = await insertPerson({ groups: [inner] })
    await executeBatch(
      grantStatement(inner, 'membership', outer),
      sql`INSERT INTO group_members (user_id, group_id, source)
        VALUES (${one.id}, ${mine.id}, 'regexp')`,
    )
    const giver = await insertEditingBlesser(mine, outer)
    expect(await changesOf(one, { groups: { remove: [mine.id, outer.id] } }, giver)).toEqual({})
    expect(await changesOf(one, { groups: { set: [] } }, giver)).toEqual({})
    expect((await changesOf(one, { groups: { add: [mine.id] } }, giver)).groups.added).toBe(
      mine.name,
    )
    expect(await loadMemberships(one.id, mine, inner, outer)).toMatchObject({
      direct: sortNumbers([mine.id, inner.id]),
      regexp: [mine.id],
      effective: sortNumbers([mine.id, inner.id, outer.id]),
    })
  })

  test('lets members of a group bless that has the right', async () => {
    const givers = await insertGroup()
    await executeBatch(grantStatement(givers, 'bless', foreign))
    const giver = await insertPerson({ roles: ['editusers'], groups: [givers] })
    const one = await insertPerson()
    expect((await changesOf(one, { groups: { add: [foreign.id] } }, giver)).groups.added).toBe(
      foreign.name,
    )
  })

  test('lets administrators bless all groups, including the system groups', async () => {
    const one = await insertPerson()
    const body = { groups: { add: ['editbugs', foreign.id] } }
    expect((await changesOf(one, body, administrator)).groups.added).toBe(
      ['editbugs', foreign.name].sort().join(', '),
    )
    const { body: me } = await get(one, `/rest/user/${one.id}?include_fields=groups.name`)
    expect(me.users[0].groups).toContainEqual({ name: 'editbugs' })
  })

  test('grants the right to bless a group without its membership', async () => {
    const one = await insertPerson({ roles: ['editusers'] })
    const friend = await insertPerson()
    expectFault(await updateUser(one, friend, { groups: { add: [mine.id] } }), 401, 304)
    expect(await changesOf(one, { bless_groups: { add: [mine.name, other.id] } }, blesser)).toEqual(
      {
        bless_groups: { removed: '', added: [mine.name, other.name].sort().join(', ') },
      },
    )
    expect((await loadMemberships(one.id, mine)).effective).not.toContain(mine.id)
    expect((await changesOf(friend, { groups: { add: [mine.id] } }, one)).groups.added).toBe(
      mine.name,
    )
    expect(
      await changesOf(one, { bless_groups: { set: [other.id], remove: [other.id] } }, blesser),
    ).toEqual({ bless_groups: { removed: mine.name, added: '' } })
    expectFault(await updateUser(one, friend, { groups: { remove: [mine.id] } }), 401, 304)
  })

  test('gives a user with a new login the groups whose patterns match it', async () => {
    const mark = uniqueName('mark')
    const [old, fresh, over] = [await insertGroup(), await insertGroup(), await insertGroup()]
    const one = await insertPerson({ groups: [mine] })
    await setGroupPattern(old, `^${one.login}$`)
    await setGroupPattern(fresh, `@${mark}\\.test$`)
    await executeBatch(
      grantStatement(fresh, 'membership', over),
      sql`INSERT INTO group_members (user_id, group_id, source)
        VALUES (${one.id}, ${old.id}, 'regexp')`,
      sql`INSERT INTO memberships (user_id, group_id) VALUES (${one.id}, ${old.id})`,
    )
    await changesOf(one, { email: `Ann@${mark.toUpperCase()}.test` }, blesser)
    expect(await loadMemberships(one.id, mine, old, fresh, over)).toMatchObject({
      direct: [mine.id],
      regexp: [fresh.id],
      effective: sortNumbers([mine.id, fresh.id, over.id]),
    })
  })

  test('applies all edits that arrive at the same time', async () => {
    const groups = [
      await insertGroup(),
      await insertGroup(),
      await insertGroup(),
      await insertGroup(),
    ]
    const one = await insertPerson({ groups: groups.slice(0, 2) })
    const giver = await insertEditingBlesser(...groups)
    const ids = groups.map(({ id }) => id)
    const answers = await Promise.all([
      updateUser(giver, one, { groups: { remove: [ids[0]] } }),
      updateUser(giver, one, { groups: { remove: [ids[1]] } }),
      updateUser(giver, one, { groups: { add: [ids[2]] } }),
      updateUser(giver, one, { groups: { add: [ids[3]] } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await loadMemberships(one.id, ...groups)).effective).toEqual(sortNumbers(ids.slice(2)))
  })
})

describe('PUT /user decides again', () => {
  test('when a group gets a pattern that the new login matches meanwhile', async () => {
    const mark = uniqueName('mark')
    const [one, by, editor] = [await insertPerson(), await insertGroup(), await insertPerson()]
    const session = openInterruptedSession(2, () => setGroupPattern(by, `@${mark}\\.test$`))
    const ctx = buildCtx(editor, ['editusers'], session)
    await updateUsers.run(ctx, { id_or_name: String(one.id), email: `new@${mark}.test` })
    expect((await loadMemberships(one.id, by)).regexp).toEqual([by.id])
  })

  test('when the groups of the account change meanwhile, and returns the actual changes', async () => {
    const [one, mine, editor] = [await insertPerson(), await insertGroup(), await insertPerson()]
    const meanwhile = () =>
      executeBatch(
        sql`INSERT INTO group_members (user_id, group_id, source)
          VALUES (${one.id}, ${mine.id}, 'direct')`,
        sql`UPDATE users SET revision = revision + 1 WHERE id = ${one.id}`,
      )
    const ctx = buildCtx(editor, ['editusers', 'admin'], openInterruptedSession(2, meanwhile))
    const body = { id_or_name: one.login, full_name: 'New', groups: { add: [mine.id] } }
    const { users } = await updateUsers.run(ctx, body)
    expect(Object.keys(users[0]?.changes ?? {})).toEqual(['full_name'])
  })
})

test('PUT /user hides which groups exist from people who may not bless them', async () => {
  const [one, secret] = [await insertPerson(), await insertGroup()]
  const editor = await insertEditingBlesser()
  const refused = await updateUser(editor, one, { groups: { add: [secret.name] } })
  const unknown = await updateUser(editor, one, { groups: { add: ['nowhere'] } })
  expect(refused.text.replace(secret.name, 'nowhere')).toBe(unknown.text)
})

test('names at most 10,000 groups of all accounts together', async () => {
  const editor = await insertPerson({ roles: ['editusers'] })
  const names = Array.from({ length: 499 }, (_, n) => `nobody${n}@groups.test`)
  const groups = { add: Array.from({ length: 21 }, (_, n) => `no group ${n}`) }
  const answer = await put(editor, `/rest/user/${editor.id}`, { names, groups })
  expectFault(answer, 400, 53, '10,000 entries')
})
