import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { expectFault, get, post, put } from '../../support/client.ts'
import { listSearches, saveSearch } from '../../support/clients/saved-searches.ts'
import { countRows, execute, loadRow } from '../../support/database/execute.ts'

let owner: TestPerson

beforeEach(async () => {
  owner = await insertPerson()
})

describe('POST /saved_search', () => {
  test('saves a search that is listed and shown in the account of its owner', async () => {
    const query = 'reporter=%25user%25&order=id%20DESC'
    const made = await post(owner, '/rest/saved_search', { name: ' My\tbugs ', query: `?${query}` })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({ id: expect.any(Number) })
    const search = { id: made.body.id, name: 'My bugs', query }
    expect(await listSearches(owner)).toEqual([
      { ...search, owner: owner.login, sharer_id: owner.id, shared_with: null },
    ])
    const { users } = (await get(owner, `/rest/user/${owner.id}`)).body
    expect(users[0]).toMatchObject({ saved_searches: [search], saved_reports: [] })
  })

  test('shares it with a group of the caller, by name or ID', async () => {
    const group = await insertGroup([owner])
    await saveSearch(owner, 'a', 'id=1', { shared_with: group.name.toUpperCase() })
    await saveSearch(owner, 'b', 'id=1', { shared_with: String(group.id) })
    await saveSearch(owner, 'c', 'id=1', { shared_with: ' ' })
    const shared = (await listSearches(owner)).map(
      (each: { shared_with: string | null }) => each.shared_with,
    )
    expect(shared).toEqual([group.name, group.name, null])
  })

  test('lets others use the same name', async () => {
    const other = await insertPerson()
    await saveSearch(owner, 'Mine', 'id=1')
    await saveSearch(other, 'Mine', 'id=2')
    expect(await listSearches(other)).toMatchObject([{ name: 'Mine', query: 'id=2' }])
  })

  test('leaves the name of a saved report free', async () => {
    await execute(sql`INSERT INTO saved_searches (user_id, kind, name, name_fold, query)
      VALUES (${owner.id}, 'report', 'Mine', 'mine', 'id=1')`)
    await saveSearch(owner, 'Mine', 'id=1')
    expect(await listSearches(owner)).toHaveLength(1)
  })

  test('is no entry of the audit log', async () => {
    const entries = await countRows('audit_log')
    const id = await saveSearch(owner, 'Mine', 'id=1')
    expect(await loadRow('saved_searches', sql`id = ${id}`)).toMatchObject({ user_id: owner.id })
    expect(await countRows('audit_log')).toBe(entries)
  })
})

describe('POST /saved_search', () => {
  test('gives a name once when several requests want it', async () => {
    const names = ['Mine', 'MINE', 'mine']
    const answers = await Promise.all(
      names.map((name) => post(owner, '/rest/saved_search', { name, query: 'id=1' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400])
    const refused = answers.filter(({ status }) => status === 400)
    expect(refused.map(({ body }) => body.code)).toEqual([32_000, 32_000])
    expect(await listSearches(owner)).toHaveLength(1)
  })

  test('rejects one more than 500 searches with 32000, also when several come at once', async () => {
    await execute(sql`INSERT INTO saved_searches (user_id, kind, name, name_fold, query)
      SELECT ${owner.id}, 'search', 'n' || key, 'n' || key, 'id=1'
      FROM json_each(${JSON.stringify(Array.from({ length: 499 }, () => 0))})`)
    const bodies = ['a', 'b'].map((name) => ({ name, query: 'id=1' }))
    const answers = await Promise.all(bodies.map((body) => post(owner, '/rest/saved_search', body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
    expectFault(
      await post(owner, '/rest/saved_search', { name: 'c', query: 'id=1' }),
      400,
      32_000,
      '500',
    )
    expect(await countRows('saved_searches', sql`user_id = ${owner.id}`)).toBe(500)
  })

  test('rejects a search with which its owner has over a million characters of queries with 32000', async () => {
    await execute(sql`INSERT INTO saved_searches (user_id, kind, name, name_fold, query)
      SELECT ${owner.id}, 'search', 'n' || key, 'n' || key, ${`id=${'1'.repeat(9_997)}`}
      FROM json_each(${JSON.stringify(Array.from({ length: 100 }, () => 0))}) WHERE key < 99`)
    const save = (name: string, length: number) =>
      post(owner, '/rest/saved_search', { name, query: `summary=${'a'.repeat(length - 8)}` })

    expect((await save('last', 9_995)).status).toBe(201)
    expectFault(await save('more', 9), 400, 32_000, '1000000')
    const { id } = (await get(owner, '/rest/saved_search?limit=1')).body.saved_searches[0]
    const longer = { query: `summary=${'a'.repeat(10_000)}` }
    expectFault(await put(owner, `/rest/saved_search/${id}`, longer), 400, 32_000, '1000000')
    expect(await countRows('saved_searches', sql`user_id = ${owner.id}`)).toBe(100)
  })

  test('answers a group of others and none in the same words, with 804', async () => {
    const group = await insertGroup([await insertPerson()])
    const answers = await Promise.all(
      [group.name, 'NoSuch', String(group.id), '999999999'].map(async (shared_with) => {
        const { status, body } = await post(owner, '/rest/saved_search', {
          ...{ name: 'Mine', query: 'id=1' },
          shared_with,
        })
        return [status, body.code, body.message.replace(shared_with, '')]
      }),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]?.slice(0, 2)).toEqual([400, 804])
    expect(await listSearches(owner)).toEqual([])
  })
})
