import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { postBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { get, type Sender } from '../../support/client.ts'
import { searchBugIds } from '../../support/clients/bugs.ts'
import { saveSearch } from '../../support/clients/saved-searches.ts'
import { execute } from '../../support/database/execute.ts'

const owner = await insertPerson()
const member = await insertPerson()
const stranger = await insertPerson()
const group = await insertGroup([owner, member])
const place = await insertProduct()
const bugs: { byOwner: number; byMember: number; secret: number } = {
  byOwner: await postBug(owner, place, { summary: 'lamp' }),
  byMember: await postBug(member, place, { summary: 'lamp' }),
  secret: await postBug(owner, place, { summary: 'lantern' }),
}
const secrets = await insertGroup([owner])
await execute(
  sql`INSERT INTO bug_groups (bug_id, group_id) VALUES (${bugs.secret}, ${secrets.id})`,
  sql`UPDATE bugs SET is_creator_accessible = 0 WHERE id = ${bugs.secret}`,
)
const product = new URLSearchParams({ product: place.name }).toString()
await saveSearch(owner, 'All of it', product, { shared_with: group.name })
await saveSearch(owner, 'Filed', `${product}&reporter=%25user%25`, { shared_with: group.name })
await saveSearch(owner, 'Private', product)
await saveSearch(owner, 'Rows', `${product}&f1=short_desc&o1=substring&v1=lantern&n1=1`)
await saveSearch(owner, 'Words', 'quicksearch=ALL+lantern')
await saveSearch(owner, 'Newest', `${product}&order=id+DESC&limit=1&count_only=1`)

describe('a saved search', () => {
  test.each([
    ['savedsearch=All+of+it', ['byOwner', 'byMember', 'secret']],
    ['savedsearch=ALL%20OF%20IT', ['byOwner', 'byMember', 'secret']],
    ['namedcmd=All+of+it&cmdtype=dorem&remaction=run', ['byOwner', 'byMember', 'secret']],
    ['cmdtype=runnamed&namedcmd=All+of+it', ['byOwner', 'byMember', 'secret']],
    ['savedsearch=All+of+it&summary=lantern', ['secret']],
    ['savedsearch=All+of+it&order=id+DESC&limit=2', ['secret', 'byMember']],
    ['savedsearch=Newest', ['secret', 'byMember', 'byOwner']],
    ['savedsearch=Newest&order=id', ['byOwner', 'byMember', 'secret']],
    ['savedsearch=All+of+it&product=none', []],
    ['savedsearch=Rows', ['byOwner', 'byMember']],
    ['savedsearch=Rows&f2=short_desc&o2=substring&v2=lantern', ['secret']],
    ['savedsearch=Words&product={product}', ['secret']],
    ['savedsearch=Filed', ['byOwner', 'secret']],
    ['savedsearch=Filed&creator={member}', ['byMember']],
  ] as const)('is run by %s', async (query, found) => {
    const filled = query
      .replace('{member}', encodeURIComponent(member.login))
      .replace('{product}', encodeURIComponent(place.name))
    expect(await searchBugIds(filled, owner)).toEqual(found.map((name) => bugs[name]))
  })

  test('is walked page by page by the links of its answers', async () => {
    const walked: number[] = []
    let path: string | undefined = '/rest/bug?savedsearch=All+of+it&include_fields=id&limit=1'
    while (path !== undefined && walked.length < 9) {
      const answer = await get(owner, path)
      walked.push(...answer.body.bugs.map(({ id }: { id: number }) => id))
      path = /<https:\/\/[^/]*([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
    }
    expect(walked).toEqual([bugs.byOwner, bugs.byMember, bugs.secret])
  })

  test('is counted', async () => {
    const answer = await get(owner, '/rest/bug?savedsearch=All+of+it&count_only=1')
    expect(answer.body).toEqual({ bug_count: 3 })
  })

  test('is run by the owner when the sharer is the owner', async () => {
    const query = `savedsearch=Private&sharer_id=${owner.id}`
    expect(await searchBugIds(query, owner)).toHaveLength(3)
  })

  test('of somebody else finds what the caller sees, for the caller', async () => {
    const shared = (name: string) =>
      searchBugIds(`savedsearch=${name}&sharer_id=${owner.id}`, member)
    expect(await shared('All+of+it')).toEqual([bugs.byOwner, bugs.byMember])
    expect(await shared('Filed')).toEqual([bugs.byMember])
  })

  test('needs no more statements than the search and its own', async () => {
    await searchBugIds('savedsearch=All+of+it', owner)
    const named = await get(owner, '/rest/bug?savedsearch=All+of+it')
    const direct = await get(owner, `/rest/bug?product=${encodeURIComponent(place.name)}`)
    expect(named.body).toEqual(direct.body)
    expect([named.cost.trips, direct.cost.trips]).toEqual([2, 1])
  })
})

describe('running a saved search', () => {
  /** What an answer says, without the name that was asked for. */
  async function refuse(who: Sender, name: string, sharerId: number | string) {
    const { status, body } = await get(who, `/rest/bug?savedsearch=${name}&sharer_id=${sharerId}`)
    return [status, body.code, body.message?.replaceAll(name, '').replaceAll(`${sharerId}`, '')]
  }

  test('answers a hidden search, a missing one and a missing person in the same words, with 51', async () => {
    const missing = await refuse(stranger, 'Nothing', owner.id)
    expect(missing.slice(0, 2)).toEqual([404, 51])
    expect(await refuse(stranger, 'Private', owner.id)).toEqual(missing)
    expect(await refuse(stranger, 'Filed', owner.id)).toEqual(missing)
    expect(await refuse(stranger, 'Filed', 999_999_999)).toEqual(missing)
    expect(await refuse(member, 'Private', owner.id)).toEqual(missing)
    expect(await refuse(await insertPerson({ roles: ['admin'] }), 'Filed', owner.id)).toEqual(
      missing,
    )
  })

  test('of others needs their ID', async () => {
    const answer = await get(member, '/rest/bug?savedsearch=Filed')
    expect(answer.body).toMatchObject({ code: 51, message: expect.stringContaining("'Filed'") })
  })

  test('tells anonymous callers to log in, whether the search exists or not', async () => {
    for (const name of ['Filed', 'Nothing']) {
      expect((await refuse({}, name, owner.id)).slice(0, 2)).toEqual([401, 410])
    }
  })
})
