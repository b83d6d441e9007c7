import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyBug, hideBugs, insertBugs } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { ANYONE, expectFault, get } from '../../../support/client.ts'
import { fetchWith } from '../../../support/clients/service.ts'

const made = await insertBugs(await insertPerson({ roles: ['editbugs'] }), 7)
const ids = made.ids
const product = made.place.name

async function headersOf(query: string) {
  const { headers } = await get(ANYONE, `/rest/bug?product=${product}&include_fields=id&${query}`)
  return { total: headers.get('x-total-count'), link: headers.get('link') }
}

describe('the headers of GET /bug', () => {
  test('lead to the next page behind the last bug, or by offset in other orders', async () => {
    const next = (link: string | null) => /^<(.*)>; rel="next"$/.exec(link ?? '')?.[1]
    const byId = new URL(next((await headersOf('limit=3')).link) ?? '')
    expect(byId.searchParams.get('after')).toBe(String(ids[2]))
    const byTime = new URL(next((await headersOf('limit=3&order=changeddate')).link) ?? '')
    expect(byTime.searchParams.get('offset')).toBe('3')
    expect((await headersOf('limit=7')).link).toBeNull()
    expect((await headersOf('')).link).toBeNull()
  })
})

describe('the headers of GET /bug with more bugs than one chunk', () => {
  let many: string
  let found: number[]

  beforeAll(async () => {
    const made = await insertBugs(await insertPerson({ roles: ['editbugs'] }), 600)
    many = `/rest/bug?product=${made.place.name}&include_fields=id`
    found = made.ids
  })

  afterAll(() => hideBugs(found))

  test.each([
    ['', '600', false],
    ['limit=50', '51+', true],
    ['limit=550', '551+', true],
    ['limit=600', '600', false],
    ['limit=601', '600', false],
    ['limit=601&offset=10', '600', false],
    ['limit=60&offset=700', null, false],
  ])('tell of bugs with histories what is found: %s has %s', async (query, total, hasNext) => {
    const path = `${many},history&${query}`
    const { headers, body } = await fetchWith({ COUNT_TOTALS_UP_TO: '0' }, path)
    await body?.cancel()
    expect(headers.get('x-total-count')).toBe(total)
    expect(headers.get('link') !== null).toBe(hasNext)
  })

  test.each([
    ['', '501+', false],
    ['limit=550', '551+', true],
    ['limit=599', '600+', true],
    ['limit=600', '600', false],
    ['limit=601', '501+', false],
    ['limit=500', '501+', true],
    ['limit=550&offset=10', '561+', true],
    ['limit=590&offset=10', '600', false],
    ['limit=590&offset=100', '600', false],
    ['limit=601&count_total=1', '600', false],
    ['count_total=1', '600', false],
    ['limit=550&order=changeddate', '551+', true],
  ])('tell no more than is known: %s has %s', async (query, total, hasNext) => {
    const { headers } = await fetchWith({ COUNT_TOTALS_UP_TO: '0' }, `${many}&${query}`)
    expect(headers.get('x-total-count')).toBe(total)
    expect(headers.get('link') !== null).toBe(hasNext)
  })

  test('count a search without an index in ranges, once for the page and the total', async () => {
    found.push(...(await copyBug(found[0] ?? 0, 500)))
    const costly = `${many}&limit=5&f1=longdesc&o1=notsubstring&v1=zq`
    const page = await get(ANYONE, costly)
    const counted = await get(ANYONE, `${costly}&count_total=1`)
    expect(counted.body.bugs).toEqual(page.body.bugs)
    expect(counted.headers.get('x-total-count')).toBe('1100')
    const behind = await get(ANYONE, `${costly}&count_total=1&after=${found[9]}`)
    expect(behind.body.bugs[0].id).toBe(found[10])
    expect(behind.headers.get('x-total-count')).toBe('1100')
    const few = { SEARCH_SCAN_BUGS: '1000' }
    const more = [2, 3, 4, 5].map((n) => `&f${n}=longdesc&o${n}=notsubstring&v${n}=zq${n}`)
    expect((await fetchWith(few, `${costly}${more.join('')}`)).status).toBe(200)
    const refused = await fetchWith(few, `${costly}${more.join('')}&count_total=1`)
    expect(await refused.json()).toMatchObject({ code: 1001 })
  })
})

test('GET /bug rejects a page behind a bug in an order by something else with 53', async () => {
  const path = `/rest/bug?product=${product}&limit=3&after=1`
  for (const order of ['changeddate', 'priority,bug_id', 'changeddate%20DESC']) {
    expectFault(await get(ANYONE, `${path}&order=${order}`), 400, 53, "'after'")
  }
  for (const order of ['bug_id%20DESC', 'bug_id,priority', 'no_column']) {
    expect((await get(ANYONE, `${path}&order=${order}`)).status).toBe(200)
  }
})
