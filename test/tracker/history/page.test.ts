import { afterAll, describe, expect, test } from 'vitest'
import { insertBug, restrictBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertChange, insertChanges } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestBug } from '../../support/builders/types.ts'
import { ANYONE, expectFault, get, type Sender } from '../../support/client.ts'

const THEN = 1_700_000_000
const UNKNOWN = { field: 'estimated_time', removed: '0', added: '1' }

const removals: (() => Promise<unknown>)[] = []

const author = await insertPerson()
const tracker = await insertPerson({ roles: ['timetracking'] })
const member = await insertPerson()
const secret = await insertGroup([member])
const long = await insertBug()
removals.push(await insertChanges(long.id, author, 9, THEN))

afterAll(() => Promise.all(removals.map((remove) => remove())))

/** A page of a history: what its changes added, and the address of the page before it. */
async function readPage({ id }: { id: number }, query: string, who: Sender = ANYONE) {
  const { status, text, body, headers, cost } = await get(who, `/rest/bug/${id}/history?${query}`)
  expect(status, text).toBe(200)
  const entries = body.bugs[0].history as { changes: { added: string }[] }[]
  const [, link] = /<[^>]*[?]([^>]*)>; rel="next"/.exec(headers.get('link') ?? '') ?? []
  return {
    added: entries.flatMap(({ changes }) => changes.map(({ added }) => added)),
    entries: entries.length,
    link,
    cost,
  }
}

/** What all pages added, from the newest page on, each oldest first. */
async function readPages(about: TestBug, query: string, who: Sender = ANYONE): Promise<string[][]> {
  const pages: string[][] = []
  for (let next: string | undefined = query; next !== undefined && pages.length < 20; ) {
    const { added, link } = await readPage(about, next, who)
    pages.push(added)
    next = link
  }
  return pages
}

const values = (...numbers: number[]) => numbers.map((number) => `value ${number}`)

describe('a page of the history of a bug', () => {
  test('has the newest changes, oldest first, and leads to those before', async () => {
    expect(await readPages(long, 'newest=4')).toEqual([
      values(6, 7, 8, 9),
      values(2, 3, 4, 5),
      values(1),
    ])
    expect(await readPages(long, 'newest=3')).toHaveLength(3)
    expect(await readPages(long, 'newest=9')).toEqual([values(1, 2, 3, 4, 5, 6, 7, 8, 9)])
    expect((await readPage(long, 'newest=1000')).added).toHaveLength(9)
    expect(await readPage(long, 'newest=0')).toMatchObject({ added: [], link: undefined })
  })

  test('has the changes before a moment, without those of its second', async () => {
    const at = (seconds: number) =>
      encodeURIComponent(new Date((THEN + seconds) * 1000).toISOString())
    expect((await readPage(long, `before=${at(180)}`)).added).toEqual(values(1, 2))
    expect((await readPage(long, `before=${at(181)}`)).added).toEqual(values(1, 2, 3))
    expect((await readPage(long, `before=${at(181)}&newest=1`)).added).toEqual(values(3))
    expect((await readPage(long, 'before=1999-12-31')).added).toEqual([])
    expect((await readPage(long, 'before=')).added).toHaveLength(9)
  })

  test('has the changes from a position on, and leads to those behind them', async () => {
    const { link: older = '' } = await readPage(long, 'newest=3')
    const { added, link: oldest = '' } = await readPage(long, older)
    expect(added).toEqual(values(4, 5, 6))
    expect(await readPages(long, oldest.replace('before', 'from'))).toEqual([
      values(4, 5, 6),
      values(7, 8, 9),
    ])
    expect((await readPage(long, `from=${encodeURIComponent('2023-11-14 22:20')}`)).added).toEqual(
      values(7, 8, 9),
    )
    expect(await readPages(long, 'from=1999-12-31&newest=4')).toEqual([
      values(1, 2, 3, 4),
      values(5, 6, 7, 8),
      values(9),
    ])
    expect((await readPage(long, 'from=2030-01-01&newest=4')).added).toEqual([])
  })

  test('has only changes since a moment where one is given', async () => {
    const since = encodeURIComponent(new Date((THEN + 6 * 60) * 1000).toISOString())
    expect(await readPages(long, `newest=2&new_since=${since}`)).toEqual([values(8, 9), values(7)])
  })

  test('goes on within a second, and within what somebody changed at once', async () => {
    const about = await insertBug()
    removals.push(await insertChanges(about.id, author, 2, THEN - 600))
    for (const added of ['a', 'b', 'c', 'd', 'e']) {
      await insertChange(about, author, { field: 'url', removed: '', added, changedAt: THEN })
    }
    expect(await readPages(about, 'newest=2')).toEqual([
      ['d', 'e'],
      ['b', 'c'],
      ['value 2', 'a'],
      ['value 1'],
    ])
  })

  test('refuses several bugs and other pages', async () => {
    const other = await insertBug()
    const path = `/rest/bug/${long.id}/history`
    for (const page of ['newest=2', 'before=2030-01-01', 'from=2030-01-01']) {
      const name = page.replace(/=.*/, '')
      for (const more of [`ids=${other.id}`, 'limit=3', 'offset=1']) {
        expectFault(await get(ANYONE, `${path}?${page}&${more}`), 400, 53, name)
      }
    }
    expectFault(await get(ANYONE, `${path}?before=2030-01-01&from=2020-01-01`), 400, 53, 'before')
    for (const before of ['lately', '~5', '2020-01-01~', '2020-01-01~x', '2020-01-01~1~2']) {
      expectFault(await get(ANYONE, `${path}?before=${before}`), 400, 53, 'before')
    }
  })

  test('neither shows nor counts changes that the caller may not see', async () => {
    const about = await insertBug()
    const { id: hidden } = await insertBug({ groups: [secret] })
    removals.push(await insertChanges(about.id, author, 3, THEN))
    for (let n = 0; n < 3; n += 1) {
      await insertChange(about, author, { ...UNKNOWN, added: `${n + 1}`, changedAt: THEN + 61 + n })
      const link = { field: 'blocks', removed: '', added: `${hidden}` }
      await insertChange(about, author, { ...link, changedAt: THEN + 121 + n })
    }
    expect(await readPages(about, 'newest=2')).toEqual([values(2, 3), values(1)])
    expect(await readPages(about, 'newest=3')).toEqual([values(1, 2, 3)])
    expect(await readPages(about, 'newest=2&from=2000-01-01')).toEqual([values(1, 2), values(3)])
    const all = (await readPages(about, 'newest=2', tracker)).flat()
    expect(all).toHaveLength(6)
    expect((await readPages(about, 'newest=4', member)).flat()).toHaveLength(6)
  })

  test('tells nothing of a hidden bug, whatever the position', async () => {
    const about = await insertBug()
    removals.push(await insertChanges(about.id, author, 2, THEN))
    await restrictBug(about.id, secret)
    for (const query of [
      'newest=1',
      'from=2000-01-01',
      'before=2030-01-01',
      'before=2030-01-01~5&newest=1',
    ]) {
      expectFault(await get(author, `/rest/bug/${about.id}/history?${query}`), 401, 102)
    }
    expect(await readPages(about, 'newest=1', member)).toEqual([values(2), values(1)])
  })

  test('reads no row for the changes that it does not show', async () => {
    const [few, many] = [await insertBug(), await insertBug()]
    removals.push(await insertChanges(few.id, author, 45, THEN))
    removals.push(await insertChanges(many.id, author, 400, THEN))
    const costs = [few, many].map(async (about) => {
      const { cost, link } = await readPage(about, 'newest=10')
      const older = await readPage(about, `${link}`)
      const newer = await readPage(about, `${older.link}`.replace('before', 'from'))
      expect(newer.added).toEqual(older.added)
      return [cost, older.cost, newer.cost]
    })
    const [ofFew, ofMany] = await Promise.all(costs)
    expect(ofMany).toEqual(ofFew)
    expect(ofMany?.map(({ trips }) => trips)).toEqual([1, 1, 1])
  })
})
