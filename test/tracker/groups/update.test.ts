import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { buildBugBody } from '../../support/builders/bugs.ts'
import { grantStatement, insertGroup } from '../../support/builders/groups.ts'
import { insertPeopleNamed, insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, put } from '../../support/client.ts'
import { readMemberIds, sortNumbers } from '../../support/clients/users.ts'
import { executeBatch } from '../../support/database/execute.ts'
import { loadGroupState } from '../../support/database/structure.ts'

const creator = await insertPerson({ roles: ['creategroups'] })
const administrator = await insertPerson({ roles: ['admin'] })

describe('PUT /group', () => {
  test('reports the change and records its author', async () => {
    const { id, name } = await insertGroup()
    const fresh = uniqueName('fresh')
    const answer = await put(creator, `/rest/group/${id}`, {
      name: ` ${fresh} `,
      description: 'New',
      user_regexp: 'nobody at all',
      is_active: '0',
      icon_url: 'https://x.test/i',
    })
    const changes = {
      name: { removed: name, added: fresh },
      description: { removed: `All of ${name}`, added: 'New' },
      user_regexp: { removed: '', added: 'nobody at all' },
      is_active: { removed: '1', added: '0' },
      icon_url: { removed: '', added: 'https://x.test/i' },
    }
    expect(answer.body).toEqual({ groups: [{ id, changes }] })
    expect(await loadGroupState(id)).toEqual({
      name: fresh,
      description: 'New',
      user_regexp: 'nobody at all',
      is_active: 0,
      is_bug_group: 1,
      icon_url: 'https://x.test/i',
      revision: 1,
      audit: [{ by: creator.id, action: 'update', changes }],
    })
  })

  test('writes nothing and reports no change when nothing differs', async () => {
    const { id, name } = await insertGroup()
    for (const body of [{}, { name, is_active: 1 }, { user_regexp: '', name: null }]) {
      const answer = await put(creator, `/rest/group/${name}`, body)
      expect(answer.body).toEqual({ groups: [{ id, changes: {} }] })
      expect(answer.cost.written).toBe(0)
    }
    expect(await loadGroupState(id)).toMatchObject({ revision: 0, audit: [] })
  })

  test('changes several groups by path, ids and names, each once', async () => {
    const [a, b, c] = [await insertGroup(), await insertGroup(), await insertGroup()]
    await executeBatch(sql`UPDATE access_groups SET description = 'New' WHERE id = ${b.id}`)
    const body = { ids: [b.id, a.id], names: [c.name.toUpperCase()], description: 'New' }
    const { groups } = (await put(creator, `/rest/group/${a.name}`, body)).body
    expect(groups).toEqual([
      { id: a.id, changes: { description: { removed: `All of ${a.name}`, added: 'New' } } },
      { id: b.id, changes: {} },
      { id: c.id, changes: { description: { removed: `All of ${c.name}`, added: 'New' } } },
    ])
    expect(await loadGroupState(b.id)).toMatchObject({ revision: 0, audit: [] })
    expect(await loadGroupState(c.id)).toMatchObject({ description: 'New', revision: 1 })
  })

  test('accepts the own name in another case, and empties values by null and blank texts', async () => {
    const { id, name } = await insertGroup()
    const upper = name.toUpperCase()
    await put(creator, `/rest/group/${id}`, { icon_url: 'https://x.test', user_regexp: 'nobody' })
    const { groups } = (
      await put(creator, `/rest/group/${id}`, { name: upper, icon_url: null, user_regexp: null })
    ).body
    expect(groups[0].changes).toEqual({
      name: { removed: name, added: upper },
      user_regexp: { removed: 'nobody', added: '' },
      icon_url: { removed: 'https://x.test', added: '' },
    })
  })

  test('renames a system group, which keeps its rights', async () => {
    const fresh = uniqueName('keywords')
    const [keeper] = [await insertPerson({ roles: ['editkeywords'] })]
    const renamed = await put(creator, '/rest/group/editkeywords', { name: fresh })
    expect(renamed.body.groups[0].changes.name).toEqual({ removed: 'editkeywords', added: fresh })
    expect(await readMemberIds(creator, renamed.body.groups[0].id)).toContain(keeper.id)
    expect((await put(creator, `/rest/group/${fresh}`, { name: 'editkeywords' })).status).toBe(200)
  })

  test('updates the members of a new pattern, and no others', async () => {
    const mark = uniqueName('mark').toLowerCase()
    const [ann, bob] = await insertPeopleNamed(`${mark} ann`, `${mark} bob`)
    const [its, outer] = [await insertGroup([bob]), await insertGroup()]
    await executeBatch(grantStatement(its, 'membership', outer))
    await put(creator, `/rest/group/${its.id}`, { user_regexp: `^${mark}\\.ANN@` })
    expect(await readMemberIds(creator, its.id)).toEqual(sortNumbers([ann.id, bob.id]))
    expect(await readMemberIds(creator, outer.id)).toContain(ann.id)
    await put(creator, `/rest/group/${its.id}`, { user_regexp: 'nobody at all' })
    expect(await readMemberIds(creator, its.id)).toEqual([bob.id])
    expect(await readMemberIds(creator, outer.id)).not.toContain(ann.id)
    await put(creator, `/rest/group/${its.id}`, { user_regexp: `^${mark}\\.` })
    await put(creator, `/rest/group/${its.id}`, { user_regexp: '' })
    expect(await readMemberIds(creator, its.id)).toEqual([bob.id])
  })

  test('sets one pattern for several groups', async () => {
    const mark = uniqueName('mark').toLowerCase()
    const [ann] = await insertPeopleNamed(`${mark} ann`)
    const made = [await insertGroup(), await insertGroup(), await insertGroup()]
    const body = { ids: made.map(({ id }) => id), user_regexp: `^${mark}\\.` }
    await put(creator, `/rest/group/${made[0]?.id}`, body)
    for (const { id } of made) {
      expect(await readMemberIds(creator, id)).toEqual([ann.id])
    }
  })

  test('puts an activated group on the bugs where it is mandatory', async () => {
    const [its, member] = [await insertGroup(), await insertPerson()]
    await put(creator, `/rest/group/${its.id}`, { is_active: false })
    const strict = await insertProduct({
      controls: [{ group: its, memberControl: 3, otherControl: 3 }],
    })
    const free = await insertProduct()
    const file = async (place: typeof strict) =>
      (await post(member, '/rest/bug', buildBugBody(place))).body.id
    const [inside, outside] = [await file(strict), await file(free)]
    const hidden = async (id: number) => (await get(ANYONE, `/rest/bug/${id}`)).status === 401
    expect([await hidden(inside), await hidden(outside)]).toEqual([false, false])
    await put(creator, `/rest/group/${its.id}`, { is_active: true })
    expect([await hidden(inside), await hidden(outside)]).toEqual([true, false])
    const [history = [], revision] = await executeBatch(
      sql`SELECT author_id, field, removed, added FROM history WHERE bug_id = ${inside}`,
      sql`SELECT revision FROM products WHERE id = ${strict.id}`,
    )
    expect(history).toEqual([
      { author_id: creator.id, field: 'groups', removed: '', added: its.name },
    ])
    // so that a bug that is being filed there is decided again
    expect(revision).toEqual([{ revision: 1 }])
    await put(creator, `/rest/group/${its.id}`, { is_active: false })
    expect(await hidden(inside)).toBe(true)
  })

  test('chains concurrent changes: each begins where the previous one ended', async () => {
    const { id } = await insertGroup()
    const wishes = ['1', '2', '3', '4', '5']
    const answers = await Promise.all(
      wishes.map((description) => put(creator, `/rest/group/${id}`, { description })),
    )
    expect(answers.map(({ status }) => status)).toEqual(wishes.map(() => 200))
    const { audit, ...row } = await loadGroupState(id)
    const steps = audit.map(({ changes }) => changes.description)
    expect(steps.slice(1).map(({ removed }) => removed)).toEqual(
      steps.slice(0, -1).map(({ added }) => added),
    )
    expect(row).toMatchObject({ description: steps.at(-1).added, revision: 5 })
  })
})

describe('PUT /group', () => {
  test('rejects a name that is taken with 801', async () => {
    const [its, other] = [await insertGroup(), await insertGroup()]
    const body = { name: other.name.toUpperCase() }
    expectFault(await put(creator, `/rest/group/${its.id}`, body), 400, 801, body.name)
    expect(await loadGroupState(its.id)).toMatchObject({ name: its.name, revision: 0 })
  })

  test('rejects one name for several groups with 801', async () => {
    const [a, b] = [await insertGroup(), await insertGroup()]
    const body = { ids: [b.id], name: uniqueName('fresh') }
    expectFault(await put(creator, `/rest/group/${a.id}`, body), 400, 801, 'one group')
    expect(await loadGroupState(a.id)).toMatchObject({ name: a.name, revision: 0 })
    const same = { ids: [a.id], names: [a.name], name: uniqueName('fresh') }
    expect((await put(creator, `/rest/group/${a.id}`, same)).status).toBe(200)
  })

  test('rejects more than 500 groups at once with 53', async () => {
    const ids = Array.from({ length: 500 }, (_, i) => i + 1)
    expectFault(await put(creator, '/rest/group/1', { ids, is_active: true }), 400, 53, "'ids'")
  })

  test('rejects an unknown group with 51 and changes no other', async () => {
    const [its, missing] = [await insertGroup(), uniqueName('missing')]
    const body = { names: [missing], description: 'New' }
    expectFault(await put(creator, `/rest/group/${its.id}`, body), 404, 51, missing)
    expectFault(await put(creator, '/rest/group/99999999', { name: 'x' }), 404, 51, '99999999')
    expectFault(await put(creator, `/rest/group/${missing}`, {}), 404, 51, missing)
    expectFault(await put(creator, '/rest/group/0', {}), 400, 52)
    expect(await loadGroupState(its.id)).toMatchObject({ revision: 0 })
  })

  test('rejects callers without creategroups with 410 and 304, before it looks at parameters', async () => {
    const [its, editor] = [await insertGroup(), await insertPerson({ roles: ['editusers'] })]
    for (const path of [its.id, its.name, uniqueName('missing')]) {
      expectFault(await put(ANYONE, `/rest/group/${path}`, { name: '' }), 401, 410)
      expectFault(await put(editor, `/rest/group/${path}`, { name: '' }), 401, 304)
    }
  })

  test('rejects a pattern that would hand out what a system group gives, but to administrators with 304', async () => {
    const [inner, outer] = [await insertGroup(), await insertGroup()]
    await executeBatch(
      grantStatement(inner, 'membership', outer),
      sql`INSERT INTO group_grants (member_group_id, granting_group_id, kind)
        SELECT ${outer.id}, id, 'membership' FROM access_groups WHERE role = 'editclassifications'`,
    )
    for (const path of ['admin', 'editbugs', inner.id, outer.id]) {
      expectFault(
        await put(creator, `/rest/group/${path}`, { user_regexp: creator.login }),
        401,
        304,
        'system groups',
      )
    }
    const body = { user_regexp: 'nobody at all' }
    expect((await put(administrator, `/rest/group/${inner.id}`, body)).status).toBe(200)
    expect((await put(creator, '/rest/group/editbugs', { description: 'Edit' })).status).toBe(200)
  })
})

describe('PUT /group', () => {
  test('costs rows in proportion to the people, when it is given to them and taken from them', async () => {
    const mark = uniqueName('crowd').toLowerCase()
    const { id } = await insertGroup()
    await executeBatch(sql`INSERT INTO users (login, login_fold, created_at)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 800)
      SELECT ${mark} || i, ${mark} || i, 1 FROM n`)
    const [[people] = []] = await executeBatch(sql`SELECT count(*) AS n FROM users`)
    for (const user_regexp of [`^${mark}`, `^${mark}1`, `^${mark}2`, '']) {
      const { status, cost } = await put(creator, `/rest/group/${id}`, { user_regexp })
      expect(status).toBe(200)
      expect(cost.read).toBeLessThan(40 * Number(people?.n))
    }
    expect(await readMemberIds(creator, id)).toEqual([])
    await executeBatch(sql`DELETE FROM users WHERE substr(login_fold, 1, ${mark.length}) = ${mark}`)
  })
})
