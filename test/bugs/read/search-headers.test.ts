import { beforeAll, describe, expect, test } from 'vitest'
import { insertBugs } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { ANYONE, get } from '../../support/client.ts'

let ids: number[]
let product: string

beforeAll(async () => {
  const made = await insertBugs(await insertPerson({ roles: ['editbugs'] }), 7)
  ids = made.ids
  product = made.place.name
})

async function headersOf(query: string) {
  const { headers } = await get(ANYONE, `/rest/bug?product=${product}&include_fields=id&${query}`)
  return { total: headers.get('x-total-count'), link: headers.get('link') }
}

describe('the headers of GET /bug', () => {
  test.each([
    ['', '7'],
    ['limit=7', '7'],
    ['limit=10', '7'],
    ['limit=3', '4+'],
    ['limit=3&offset=3', '7+'],
    ['limit=3&offset=6', '7'],
    ['limit=3&offset=7', null],
    ['limit=3&count_total=1', '7'],
    ['limit=3&offset=3&count_total=true', '7'],
    ['limit=3&order=priority&count_total=1', '7'],
    ['limit=3&after=1&count_total=1', '7'],
    ['limit=3&after=1', null],
  ])('tell the number of bugs: %s has %s', async (query, total) => {
    expect((await headersOf(query)).total).toBe(total)
  })

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
