import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertBugs, postBug, updateBugRow } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { ANYONE, expectFault, get, put } from '../../../support/client.ts'
import { readBug, searchBugIds } from '../../../support/clients/bugs.ts'
import { fetchWith } from '../../../support/clients/service.ts'
import { execute } from '../../../support/database/execute.ts'

const editor = await insertPerson({ roles: ['editbugs'] })
const stranger = await insertPerson()

const idsOf = (body: { bugs: { id: number }[] }) => body.bugs.map(({ id }) => id)

describe('GET /bug', () => {
  test('returns bugs as GET /bug/:id does, with an empty list of faults', async () => {
    const { place, ids } = await insertBugs(editor, 1)
    const answer = await get(ANYONE, `/rest/bug?product=${place.name}`)

    expect(answer.body).toEqual({ faults: [], bugs: [await readBug(ids[0] ?? 0)] })
    const none = await get(ANYONE, `/rest/bug?product=${place.name}&resolution=FIXED`)
    expect(none.body).toEqual({ faults: [], bugs: [] })
    const slashed = await get(ANYONE, `/rest/bug/?product=${place.name}`)
    expect(slashed.body).toEqual(answer.body)
  })

  test('returns the fields that are selected, including extra ones', async () => {
    const { place, ids } = await insertBugs(editor, 1)
    const query = `product=${place.name}&include_fields=id,description,creator.name&exclude_fields=x`

    expect((await get(ANYONE, `/rest/bug?${query}`)).body.bugs).toEqual([
      {
        id: ids[0],
        description: '',
        creator: editor.login,
        creator_detail: { name: editor.login },
      },
    ])
  })

  test('orders bugs by number unless the request names another order', async () => {
    const { place, ids } = await insertBugs(editor, 3)

    expect(await searchBugIds(`product=${place.name}`)).toEqual(ids)
    expect(await searchBugIds(`product=${place.name}&order=bug_id%20DESC`)).toEqual(
      ids.toReversed(),
    )
    expect(await searchBugIds(`product=${place.name}&order=nonsense`)).toEqual(ids)
    expect(await searchBugIds(`id=${ids[1]},${ids[2]},${ids[0]}&order=bug_list`)).toEqual([
      ids[1],
      ids[2],
      ids[0],
    ])
    expect(await searchBugIds(`id=${ids[1]}&id=${ids[0]}&order=bug_list&limit=1`)).toEqual([ids[1]])
  })

  test('orders bugs by the sort keys of values, not by their names', async () => {
    const place = await insertProduct({ assignee: editor })
    await execute(
      sql`INSERT INTO milestones (product_id, name, name_fold, sort_key) VALUES
        (${place.id}, 'a', 'a', 20), (${place.id}, 'z', 'z', -5), (${place.id}, 'b', 'b', 100)`,
    )
    const make = (more: Record<string, unknown>) =>
      postBug(editor, place, { ...more, status: 'CONFIRMED' })
    const one = await make({
      priority: 'Lowest',
      severity: 'S2',
      summary: 'b',
      target_milestone: 'b',
    })
    const two = await make({
      priority: 'P1',
      severity: 'trivial',
      summary: 'C',
      target_milestone: 'z',
    })
    const three = await make({
      priority: '--',
      severity: 'S2',
      summary: 'a',
      target_milestone: 'a',
    })
    await put(editor, `/rest/bug/${two}`, { status: 'RESOLVED', resolution: 'FIXED' })
    const by = (order: string) =>
      searchBugIds(`product=${place.name}&order=${encodeURIComponent(order)}`)

    expect(await by('priority')).toEqual([three, two, one])
    expect(await by('priority DESC')).toEqual([one, two, three])
    expect(await by('severity,priority')).toEqual([three, one, two])
    expect(await by('short_desc')).toEqual([three, one, two])
    expect(await by('target_milestone')).toEqual([two, three, one])
    expect(await by('bug_status DESC')).toEqual([two, one, three])
    expect(await by('resolution')).toEqual([one, three, two])
  })

  test('orders bugs by time and then by number, consistently on every page', async () => {
    const { place, ids } = await insertBugs(editor, 6)
    for (const [i, id] of ids.entries()) {
      await updateBugRow(id, {
        changed_at: 1_700_000_000 + Math.floor(i / 3),
        created_at: 1_600_000_000,
      })
    }
    const [a, b, c, d, e, f] = ids
    const order = 'changeddate%20DESC'

    expect(await searchBugIds(`product=${place.name}&order=${order}`)).toEqual([d, e, f, a, b, c])
    const pages = await Promise.all(
      [0, 2, 4, 6].map((offset) =>
        searchBugIds(`product=${place.name}&order=${order}&limit=2&offset=${offset}`),
      ),
    )
    expect(pages).toEqual([[d, e], [f, a], [b, c], []])
    expect(await searchBugIds(`product=${place.name}&order=opendate%20DESC&limit=4`)).toEqual([
      a,
      b,
      c,
      d,
    ])
  })

  test('returns the page of limit and offset, where no limit and 0 mean the maximum', async () => {
    const { place, ids } = await insertBugs(editor, 5)
    const page = (query: string) => searchBugIds(`product=${place.name}&${query}`)

    expect(await page('limit=2')).toEqual(ids.slice(0, 2))
    expect(await page('limit=2&offset=3')).toEqual(ids.slice(3))
    expect(await page('limit=2&offset=0')).toEqual(ids.slice(0, 2))
    expect(await page('limit=0')).toEqual(ids)
    expect(await page('limit=0&offset=4')).toEqual(ids.slice(4))
    expect(await page('limit=&offset=')).toEqual(ids)
    expect(await page('limit=999999&offset=1')).toEqual(ids.slice(1))
    expect(await page('limit=5&offset=5')).toEqual([])
  })

  test('returns fewer bugs to anonymous callers where SEARCH_LIMIT_ANONYMOUS says so', async () => {
    const { place } = await insertBugs(stranger, 5)
    const count = async (headers: Record<string, string>) => {
      const answer = await fetchWith(
        { SEARCH_LIMIT_ANONYMOUS: '3' },
        `/rest/bug?product=${place.name}&limit=0`,
        { headers },
      )
      return (await answer.json<{ bugs: unknown[] }>()).bugs.length
    }
    expect(await count({})).toBe(3)
    expect(await count({ 'x-tracker-api-key': stranger.key })).toBe(5)
  })

  test('returns no more bugs than the setting SEARCH_LIMIT allows', async () => {
    const { place, ids } = await insertBugs(editor, 4)
    const most = async (query: string) =>
      idsOf(
        await (
          await fetchWith({ SEARCH_LIMIT: '3' }, `/rest/bug?product=${place.name}${query}`)
        ).json(),
      )

    for (const query of ['', '&limit=0', '&limit=4']) {
      expect(await most(query)).toEqual(ids.slice(0, 3))
    }
    expect(await most('&limit=0&offset=3')).toEqual(ids.slice(3))
    expect(await most('&limit=2')).toEqual(ids.slice(0, 2))
  })

  test('returns only the number of bugs with count_only, for any page and order', async () => {
    const { place } = await insertBugs(editor, 3)
    const count = async (query: string) =>
      (await get(ANYONE, `/rest/bug?product=${place.name}&${query}`)).body

    for (const query of [
      'count_only=1',
      'count_only=true&limit=1',
      'count_only=True&offset=2&order=x',
    ]) {
      expect(await count(query)).toEqual({ bug_count: 3 })
    }
    for (const query of ['count_only=0', 'count_only=', 'count_only=false']) {
      expect((await count(query)).bugs).toHaveLength(3)
    }
  })

  test('accepts saved links of the search page', async () => {
    const { place, ids } = await insertBugs(editor, 1)
    const link = `query_format=advanced&list_id=7&columnlist=a,b&known_name=x&short_desc_type=allwordssubstr
      &short_desc=&longdesc_type=substring&longdesc=&keywords=&keywords_type=allwords&email1=&emailtype1=exact
      &emailassigned_to1=1&email2=a@b.test&emailtype2=substring&chfieldto=Now&chfieldfrom=&chfieldvalue=
      &f1=OP&f2=&o2=equals&v2=&f3=CP&j_top=OR&bug_id_type=anyexact&bug_id=&resolution=---
      &product=${place.name}&bug_status=__open__&order=Importance`

    expect(await searchBugIds(link.replace(/\s+/g, ''))).toEqual(ids)
  })

  test('takes one round trip for up to 500 bugs, and one more for a caller who is not cached', async () => {
    const { place } = await insertBugs(editor, 500)
    const query = `/rest/bug?product=${place.name}`

    const anonymous = await get(ANYONE, query)
    expect(anonymous.body.bugs).toHaveLength(500)
    expect(anonymous.cost.trips).toBe(1)
    expect((await get(await insertPerson(), query)).cost.trips).toBe(2)
    await get(stranger, query)
    expect((await get(stranger, query)).cost.trips).toBe(1)
    expect((await get(stranger, `${query}&count_only=1`)).cost.trips).toBe(1)
  })

  test('finds bugs that come with discussions or histories once for all statements that read these', async () => {
    const { place, ids } = await insertBugs(editor, 50)
    // what is compared to find them is more than what counts of others for either
    const texts = [1, 2, 3].map((n) => `f${n}=longdesc&o${n}=notsubstring&v${n}=zq${n}`).join('&')
    const query = `/rest/bug?product=${place.name}&${texts}&include_fields=_all`

    const page = await get(ANYONE, `${query}&limit=50&count_total=0`)
    const whole = await get(ANYONE, query)
    expect(whole.body).toEqual(page.body)
    expect(whole.body.bugs.map(({ id }: { id: number }) => id)).toEqual(ids)
    const none = await get(ANYONE, `${query}&whiteboard=zq`)
    expect(none.body.bugs).toEqual([])
    // the second one of none tells which names do not exist
    expect([page, whole, none].map(({ cost }) => cost.trips)).toEqual([1, 2, 2])
    expect(whole.cost.read).toBeLessThan(page.cost.read)
  })
})

describe('GET /bug with wrong parameters', () => {
  test.each([
    ['offset=1', 50, 'offset'],
    ['offset=0&limit=', 50, 'offset'],
    ['offset=1&after=5', 50, 'offset'],
    ['offset=1&order=bug_id&include_fields=id', 50, 'offset'],
    ['limit=-1', 52, 'limit'],
    ['limit=abc', 52, 'limit'],
    ['limit=1.5', 52, 'limit'],
    ['limit=1&limit=2', 53, 'limit'],
    ['limit=5&offset=-1', 52, 'offset'],
    ['limit=5&offset=x', 52, 'offset'],
    ['quicksearch=%22half', 32000, 'quicksearch'],
    ['quicksearch=', 1000, 'search term'],
    ['f1=cc&o1=equal&v1=x', 32000, 'o1'],
    ['f1=no_field&o1=equals&v1=x', 108, 'f1'],
  ])('rejects %s with %i', async (query, code, naming) => {
    expectFault(await get(ANYONE, `/rest/bug?product=P&${query}`), 400, code, naming)
  })

  test('rejects an offset without limit and conditions with 50', async () => {
    for (const query of ['offset=1', 'offset=0', 'offset=1&after=5', 'offset=1&after=']) {
      expectFault(await get(ANYONE, `/rest/bug?${query}`), 400, 50, 'offset')
    }
  })

  test('rejects a search without a condition with 1000', async () => {
    expectFault(await get(ANYONE, '/rest/bug'), 400, 1000)
    expectFault(await get(stranger, '/rest/bug/'), 400, 1000)
    expectFault(await get(ANYONE, '/rest.cgi/bug?limit=5'), 400, 1000)
  })

  test('answers no bugs to a client that reads an empty list of IDs with permissive alone', async () => {
    const read = await get(ANYONE, '/rest/bug?permissive=1&include_fields=id,summary&api_key=')
    expect(read.body).toEqual({ bugs: [], faults: [] })
    expectFault(await get(ANYONE, '/rest/bug?permissive=1&limit=5&blank=x'), 400, 1000)
  })
})
