import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { insertBug, insertBugs, restrictBug, updateBugRow } from '../support/builders/bugs.ts'
import { insertCustomField, setCustomValue } from '../support/builders/fields.ts'
import { insertGroup } from '../support/builders/groups.ts'
import { insertChange, insertComment } from '../support/builders/notices.ts'
import { insertPerson } from '../support/builders/people.ts'
import { ANYONE, expectFault, get, type Sender } from '../support/client.ts'
import { execute } from '../support/database/execute.ts'

/**
 * What an import, a restored copy or a mistake may leave in the database: values that no rule would have
 * let in. A page of bugs is answered all the same, and so is every other bug on it.
 */

const BEYOND = 8_700_000_000_000
const query = 'include_fields=_all'

const owner = await insertPerson()
const member = await insertPerson({ roles: ['timetracking', 'insider'] })
const secret = await insertGroup([member])
const made = await insertBugs(owner, 12)
const product = encodeURIComponent(made.place.name)
const ids = made.ids

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
})

type Bug = Record<string, unknown>

async function page(who: Sender = ANYONE): Promise<Bug[]> {
  const answer = await get(who, `/rest/bug?product=${product}&${query}&order=bug_id`)
  expect(answer.status, answer.text.slice(0, 200)).toBe(200)
  expect(answer.body.faults).toEqual([])
  return answer.body.bugs
}

const bugAt = (place: number) => ({
  id: ids[place] ?? 0,
  summary: '',
  reporter: owner,
  assignee: owner,
})

describe('a page of bugs is answered whole', () => {
  test.each<[string, string[], (id: number) => Promise<unknown>]>([
    [
      'a moment beyond all calendars',
      ['creation_time'],
      (id) => updateBugRow(id, { created_at: BEYOND }),
    ],
    [
      'a last change beyond all calendars',
      ['last_change_time', 'last_change_time_non_bot'],
      (id) => updateBugRow(id, { changed_at: BEYOND }),
    ],
    [
      'a status that is a resolution',
      [],
      (id) => execute(sql`UPDATE bugs SET status_id = resolution_id WHERE id = ${id}`),
    ],
    ['texts of a megabyte', [], (id) => updateBugRow(id, { whiteboard: 'w'.repeat(1_000_000) })],
    ['a text with NUL and half a character', [], (id) => updateBugRow(id, { url: 'a\0b\ud83d' })],
    ['hours beyond all numbers', [], (id) => updateBugRow(id, { estimated_time: 1e308 })],
    [
      'a comment beyond all calendars',
      ['comments'],
      (id) => insertComment({ ...bugAt(0), id }, owner, { body: 'x', createdAt: BEYOND }),
    ],
    [
      'a change beyond all calendars',
      ['history'],
      (id) =>
        insertChange({ ...bugAt(0), id }, owner, {
          field: 'priority',
          removed: 'a',
          added: 'b',
          changedAt: BEYOND,
        }),
    ],
    [
      'history that is no list of bugs',
      [],
      (id) =>
        insertChange({ ...bugAt(0), id }, owner, {
          field: 'blocks',
          removed: '", [',
          added: '\\, 1e999, "x"',
        }),
    ],
    ['relations that lead nowhere sensible', [], (id) => updateBugRow(id, { dupe_of_id: id })],
  ])('with %s on it', async (_, broken, breakIt) => {
    const before = (await page(member)).filter(({ id }) => id !== ids[3])
    await breakIt(ids[3] ?? 0)
    const bugs = await page(member)
    const one = bugs[3] ?? {}

    expect(bugs.map(({ id }) => id)).toEqual(ids)
    expect(bugs.filter(({ id }) => id !== ids[3])).toEqual(before)
    expect(broken.filter((name) => name in one)).toEqual([])
    expect(one).toMatchObject({
      id: ids[3],
      summary: expect.any(String),
      product: expect.any(String),
    })
    expect((await get(member, `/rest/bug/${ids[3]}?${query}`)).status).toBe(200)
  })

  test('with a custom field beyond all calendars on it, which alone is left out', async () => {
    const [when, text] = [await insertCustomField(5), await insertCustomField(1)]
    await setCustomValue(ids[4] ?? 0, when, { number: BEYOND })
    await setCustomValue(ids[4] ?? 0, text, { text: 'kept' })
    const [broken, whole] = (await page()).slice(4, 6)

    expect(broken).not.toHaveProperty(when.name)
    expect(broken).toMatchObject({ [text.name]: 'kept', summary: expect.any(String) })
    expect(whole).toMatchObject({ [when.name]: null, [text.name]: '' })
  })

  test('without hidden bugs, which other callers still see', async () => {
    for (const id of ids.slice(0, 3)) {
      await restrictBug(id, secret)
    }

    expect((await page()).map(({ id }) => id)).toEqual(ids.slice(3))
    expect((await page(member)).map(({ id }) => id)).toEqual(ids)
    const counted = await get(ANYONE, `/rest/bug?product=${product}&count_only=1`)
    expect(counted.body).toEqual({ bug_count: ids.length - 3 })
  })
})

describe('bugs that a request names', () => {
  test('are all answered with permissive, and each that cannot be is listed with its fault', async () => {
    const { id: hidden } = await insertBug({ groups: [secret] })
    const path = `/rest/bug/${ids[5]}?ids=${ids.slice(3).join(',')},${hidden},2147483000,x&permissive=1`
    const { body } = await get(ANYONE, `${path}&${query}`)

    expect(body.bugs.map(({ id }: Bug) => id)).toEqual([
      ids[5],
      ...ids.slice(3).filter((id) => id !== ids[5]),
    ])
    expect(body.faults.map(({ id, faultCode }: Bug) => [id, faultCode])).toEqual([
      [String(hidden), 102],
      ['2147483000', 101],
      ['x', 100],
    ])
  })

  test('are not answered at all without permissive when one of them cannot be', async () => {
    const { id: hidden } = await insertBug({ groups: [secret] })

    expectFault(await get(ANYONE, `/rest/bug/${ids[5]}?ids=${hidden}`), 401, 102)
    expectFault(await get(ANYONE, `/rest/bug/${ids[5]}?ids=2147483000`), 404, 101)
    expectFault(await get(ANYONE, `/rest/bug/${ids[5]}?ids=x`), 400, 100)
  })
})
