import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { recomputeMembershipsStatements } from '../../../src/platform/access/membership.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestGroup, TestPerson } from '../../support/builders/types.ts'
import { expectFault, put } from '../../support/client.ts'
import { listSearches, listSearchNames, saveSearch } from '../../support/clients/saved-searches.ts'
import { execute } from '../../support/database/execute.ts'
import { loadRevision } from '../../support/database/structure.ts'

let owner: TestPerson
let member: TestPerson
let group: TestGroup
let id: number
let path: string

beforeEach(async () => {
  owner = await insertPerson()
  member = await insertPerson()
  group = await insertGroup([owner, member])
  id = await saveSearch(owner, 'Mine', 'id=1')
  path = `/rest/saved_search/${id}`
})

describe('PUT /saved_search', () => {
  test('reports the change and shows it to those whom it is shared with', async () => {
    const body = { name: 'Ours', query: '?id=2', shared_with: group.name }
    const changes = {
      name: { removed: 'Mine', added: 'Ours' },
      query: { removed: 'id=1', added: 'id=2' },
      shared_with: { removed: '', added: group.name },
    }
    expect((await put(owner, path, body)).body).toEqual({ saved_searches: [{ id, changes }] })
    expect(await listSearches(member)).toMatchObject([
      { id, name: 'Ours', query: 'id=2', owner: owner.login },
    ])
  })

  test('writes nothing and reports no change when nothing differs', async () => {
    const body = { name: 'Mine', query: 'id=1', shared_with: null }
    expect((await put(owner, path, body)).body).toEqual({ saved_searches: [{ id, changes: {} }] })
    expect((await put(owner, path, {})).body).toEqual({ saved_searches: [{ id, changes: {} }] })
    expect(await loadRevision('saved_searches', id)).toBe(0)
  })

  test.each([null, '', ' '])('ends sharing for the group %j', async (shared_with) => {
    await put(owner, path, { shared_with: group.name })
    expect(await listSearchNames(member)).toEqual(['Mine'])
    const { changes } = (await put(owner, path, { shared_with })).body.saved_searches[0]
    expect(changes).toEqual({ shared_with: { removed: group.name, added: '' } })
    expect(await listSearchNames(member)).toEqual([])
  })

  test('changes the case of a name, and keeps the group that is not named', async () => {
    await put(owner, path, { shared_with: group.name })
    const { changes } = (await put(owner, path, { name: 'MINE' })).body.saved_searches[0]
    expect(changes).toEqual({ name: { removed: 'Mine', added: 'MINE' } })
    expect(await listSearchNames(member)).toEqual(['MINE'])
  })

  test('forgets a group that the owner has left', async () => {
    await put(owner, path, { shared_with: group.name })
    const leave = [
      sql`DELETE FROM group_members WHERE user_id = ${owner.id} AND group_id = ${group.id}`,
      ...recomputeMembershipsStatements([owner.id]),
    ]
    await execute(...leave)
    const answer = await put(owner, path, { shared_with: null })
    expect(answer.body.saved_searches[0].changes).toEqual({})
    await execute(
      sql`INSERT INTO group_members (user_id, group_id, source) VALUES (${owner.id}, ${group.id}, 'direct')`,
      ...recomputeMembershipsStatements([owner.id]),
    )
    expect(await listSearchNames(member)).toEqual([])
  })

  test('keeps every change of concurrent requests', async () => {
    await Promise.all([put(owner, path, { name: 'New' }), put(owner, path, { query: 'id=2' })])
    expect(await listSearches(owner)).toMatchObject([{ name: 'New', query: 'id=2' }])
  })
})

describe('PUT /saved_search', () => {
  test('rejects a name that another search of the owner has with 32000', async () => {
    await saveSearch(owner, 'Other', 'id=1')
    expectFault(await put(owner, path, { name: 'OTHER' }), 400, 32_000, 'OTHER')
    expect(await loadRevision('saved_searches', id)).toBe(0)
  })

  test('tells those whom a search is shared with, and strangers, that it does not exist', async () => {
    await put(owner, path, { shared_with: group.name })
    const admin = await insertPerson({ roles: ['admin'] })
    for (const who of [member, await insertPerson(), admin]) {
      const [hidden, missing] = [
        await put(who, path, { name: 'Taken' }),
        await put(who, '/rest/saved_search/999999999', { name: 'Taken' }),
      ]
      expectFault(hidden, 404, 51, String(id))
      expect(hidden.body.message.replace(id, '')).toBe(
        missing.body.message.replace('999999999', ''),
      )
    }
    expect(await listSearchNames(owner)).toEqual(['Mine'])
  })
})
