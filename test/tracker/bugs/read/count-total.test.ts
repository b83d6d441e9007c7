import { describe, expect, test } from 'vitest'
import { insertBug, insertBugs } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { fetchWith } from '../../../support/clients/service.ts'

const made = await insertBugs(await insertPerson({ roles: ['editbugs'] }), 7)
const product = made.place.name

async function totalWith(settings: Record<string, string>, query: string) {
  const path = `/rest/bug?product=${product}&include_fields=id&${query}`
  const { headers } = await fetchWith(settings, path)
  return headers.get('x-total-count')
}

describe('the count of GET /bug', () => {
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
  ])('is what the page tells in a large tracker: %s has %s', async (query, total) => {
    expect(await totalWith({ COUNT_TOTALS_UP_TO: '1' }, query)).toBe(total)
    expect(await totalWith({ COUNT_TOTALS_UP_TO: '0' }, query)).toBe(total)
  })

  test.each([
    ['', '7'],
    ['limit=3', '7'],
    ['limit=3&offset=3&order=priority', '7'],
    ['limit=3&after=1', '7'],
    ['limit=3&offset=7', '7'],
    ['limit=3&count_total=0', '4+'],
    // no index serves it, so that it is counted on request alone
    ['limit=3&f1=longdesc&o1=notsubstring&v1=zq', '4+'],
  ])('is the number of all bugs in a small tracker: %s has %s', async (query, total) => {
    expect(await totalWith({ COUNT_TOTALS_UP_TO: '1000000' }, query)).toBe(total)
  })

  test('is that of a large tracker as soon as it has one bug too many', async () => {
    const newest = await insertBug()
    expect(await totalWith({ COUNT_TOTALS_UP_TO: String(newest.id) }, 'limit=3')).toBe('7')
    expect(await totalWith({ COUNT_TOTALS_UP_TO: String(newest.id - 1) }, 'limit=3')).toBe('4+')
  })
})
