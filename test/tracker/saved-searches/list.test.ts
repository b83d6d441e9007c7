import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { recomputeMembershipsStatements } from '../../../src/platform/access/membership.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { expectFault, get } from '../../support/client.ts'
import { listSearches, listSearchNames, saveSearch } from '../../support/clients/saved-searches.ts'
import { execute } from '../../support/database/execute.ts'

const owner = await insertPerson()
const member = await insertPerson()
const group = await insertGroup([owner, member])
await saveSearch(owner, 'zebra', 'id=1')
await saveSearch(owner, 'Ape', 'id=2')
const shared = await saveSearch(owner, 'lion', 'id=3', { shared_with: group.name })
await saveSearch(member, 'Bear', 'id=4')

describe('GET /saved_search', () => {
  test('lists own searches by name', async () => {
    expect(await listSearchNames(owner)).toEqual(['Ape', 'lion', 'zebra'])
  })

  test('lists searches that are shared with a group of the caller, with their owner and the ID that runs them', async () => {
    expect(await listSearches(member)).toEqual([
      {
        id: expect.any(Number),
        name: 'Bear',
        query: 'id=4',
        owner: member.login,
        sharer_id: member.id,
        shared_with: null,
      },
      {
        ...{ id: shared, name: 'lion', query: 'id=3', owner: owner.login, sharer_id: owner.id },
        shared_with: group.name,
      },
    ])
  })

  test('shows the selected fields alone', async () => {
    const searches = await listSearches(member, '?include_fields=owner,id&exclude_fields=id')
    expect(searches).toEqual([{ owner: member.login }, { owner: owner.login }])
  })

  test('pages through searches', async () => {
    expect(await listSearchNames(owner, '?limit=1&offset=1')).toEqual(['lion'])
    expect(await listSearchNames(owner, '?limit=0&offset=2')).toEqual(['zebra'])
    expect(await listSearchNames(owner, '?limit=2')).toEqual(['Ape', 'lion'])
  })

  test('ends a page ahead of a query with which it would be too long, and links the next one', async () => {
    const collector = await insertPerson()
    await execute(sql`INSERT INTO saved_searches (user_id, kind, name, name_fold, query)
      SELECT ${collector.id}, 'search', 'n' || (key + 100), 'n' || (key + 100), ${`id=${'1'.repeat(9_997)}`}
      FROM json_each(${JSON.stringify(Array.from({ length: 150 }, () => 0))})`)
    const first = await get(collector, '/rest/saved_search')
    const last = await get(collector, '/rest/saved_search?limit=500&offset=100')

    expect(first.body.saved_searches.map(({ name }: { name: string }) => name)).toEqual(
      Array.from({ length: 100 }, (_, n) => `n${n + 100}`),
    )
    expect(first.headers.get('link')).toContain('limit=500&offset=100>; rel="next"')
    expect(last.body.saved_searches).toHaveLength(50)
    expect(last.body.saved_searches[49].query).toHaveLength(10_000)
    expect(last.headers.get('link')).toBeNull()
    expect(await listSearchNames(collector, '?include_fields=name')).toHaveLength(150)
    expectFault(await get(collector, '/rest/saved_search?limit=1&offset=10001'), 400, 54, 'offset')
  })

  test('has no saved reports, and no searches of others in an account', async () => {
    await execute(sql`INSERT INTO saved_searches (user_id, kind, name, name_fold, query)
      VALUES (${member.id}, 'report', 'Cat', 'cat', 'id=1')`)
    expect(await listSearchNames(member)).toEqual(['Bear', 'lion'])
    const { users } = (await get(member, `/rest/user/${member.id}`)).body
    expect(users[0].saved_searches).toMatchObject([{ name: 'Bear' }])
    expect(users[0].saved_reports).toMatchObject([{ name: 'Cat' }])
  })
})

describe('the list of saved searches hides', () => {
  test('everything from strangers, administrators among them', async () => {
    expect(await listSearches(await insertPerson())).toEqual([])
    const admin = await insertPerson({ roles: ['admin'] })
    expect(await listSearches(admin)).toEqual([])
  })

  test('a shared search from those who leave the group, and while its owner is out of it', async () => {
    const [sharer, reader] = [await insertPerson(), await insertPerson()]
    const team = await insertGroup([sharer, reader])
    await saveSearch(sharer, 'Ours', 'id=1', { shared_with: team.name })
    const leave = (who: TestPerson) =>
      execute(
        sql`DELETE FROM group_members WHERE user_id = ${who.id} AND group_id = ${team.id}`,
        ...recomputeMembershipsStatements([who.id]),
      )
    expect(await listSearchNames(reader)).toEqual(['Ours'])
    await leave(sharer)
    expect(await listSearchNames(reader)).toEqual([])
    expect(await listSearches(sharer)).toMatchObject([{ name: 'Ours', shared_with: null }])
    await execute(
      sql`INSERT INTO group_members (user_id, group_id, source) VALUES (${sharer.id}, ${team.id}, 'direct')`,
      ...recomputeMembershipsStatements([sharer.id]),
    )
    expect(await listSearchNames(reader)).toEqual(['Ours'])
    await leave(reader)
    expect(await listSearchNames(reader)).toEqual([])
  })
})
