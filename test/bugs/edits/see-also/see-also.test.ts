import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildBugBody, copyBug, postBug, restrictBug } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestGroup, TestPerson, TestProduct } from '../../../support/builders/types.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { post, put } from '../../../support/client.ts'
import { changeBug, readWholeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { loadBugRow, loadRowsOfBug } from '../../../support/database/bugs.ts'
import { execute } from '../../../support/database/execute.ts'
import { summarizeHistory } from '../../../support/database/history.ts'

const HERE = 'https://tracker.test/bug/'

let place: TestProduct
let editor: TestPerson
let reporter: TestPerson
let stranger: TestPerson
let team: TestGroup
let bug: number
let one: number
let two: number

beforeAll(async () => {
  editor = await insertPerson({ roles: ['editbugs'] })
  reporter = await insertPerson()
  stranger = await insertPerson()
  team = await insertGroup([await insertPerson()])
  place = await insertProduct()
})

beforeEach(async () => {
  bug = await postBug(reporter, place)
  ;[one = 0, two = 0] = await copyBug(bug, 2)
})

async function links(id: number): Promise<unknown> {
  return (await readWholeBug(editor, id)).see_also
}

const add = (...items: unknown[]) => ({ see_also: { add: items } })

describe('see_also', () => {
  test('takes any web address, over https, in the order given and each once', async () => {
    const given = ['http://b.test/Z', 'https://a.test/1,2', 'https://B.test/z']
    const kept = ['https://b.test/Z', 'https://a.test/1,2']
    expect(await changeBug(editor, bug, add(...given))).toEqual({
      see_also: { removed: '', added: kept.join(', ') },
    })
    expect(await links(bug)).toEqual(kept)
    expect(await changeBug(editor, bug, add('HTTPS://B.TEST/Z', '', null))).toEqual({})
    expect(await loadRowsOfBug('history', bug)).toMatchObject([
      { field: 'see_also', added_fold: kept.join(', ').toLowerCase() },
    ])
  })

  test('is removed in any spelling, and what is not there is passed over', async () => {
    await changeBug(editor, bug, add('https://a.test/X', 'https://b.test/', one))
    const remove = ['http://A.test/x', 'https://c.test/', 'no link at all', 'nobody', `${one}`]
    expect(await changeBug(editor, bug, { see_also: { remove } })).toEqual({
      see_also: { removed: `https://a.test/X, ${HERE}${one}`, added: '' },
    })
    expect(await links(bug)).toEqual(['https://b.test/'])
    expect(await changeBug(editor, bug, { see_also: { set: ['https://d.test'] } })).toEqual({
      see_also: { removed: 'https://b.test/', added: 'https://d.test' },
    })
  })

  test.each<[string, () => unknown]>([
    ['its number', () => one],
    ['its address', () => `http://tracker.test/bug/${one}#c1`],
    ['its older address', () => `https://tracker.test/show_bug.cgi?id=${one}`],
  ])('links two bugs of this service at both ends, by %s', async (_, given) => {
    await execute(sql`UPDATE bugs SET changed_at = 1000 WHERE id = ${one}`)
    expect(await changeBug(editor, bug, add(given()))).toEqual({
      see_also: { removed: '', added: `${HERE}${one}` },
    })
    expect([await links(bug), await links(one)]).toEqual([[`${HERE}${one}`], [`${HERE}${bug}`]])
    expect((await loadBugRow(one)).changed_at).toBe((await loadBugRow(bug)).changed_at)
    expect(await loadRowsOfBug('notices', one)).toHaveLength(1)

    await changeBug(editor, one, { see_also: { remove: [bug] } })
    expect([await links(bug), await links(one)]).toEqual([[], []])
    expect(await summarizeHistory(bug)).toEqual([
      `see_also:  > ${HERE}${one}`,
      `see_also: ${HERE}${one} > `,
    ])
  })

  test('knows bugs by their alias', async () => {
    const alias = uniqueName('alias')
    await execute(sql`UPDATE bugs SET alias = ${alias}, alias_fold = ${alias} WHERE id = ${one}`)
    await changeBug(editor, bug, add(alias.toUpperCase()))
    expect(await links(bug)).toEqual([`${HERE}${one}`])
  })

  test('is linked back only where the caller may change the other bug', async () => {
    const other = await postBug(stranger, place)
    await changeBug(reporter, bug, add(other))
    expect([await links(bug), await links(other)]).toEqual([[`${HERE}${other}`], []])
    await changeBug(editor, other, add(bug))
    await changeBug(reporter, bug, { see_also: { set: [] } })
    expect([await links(bug), await links(other)]).toEqual([[], [`${HERE}${bug}`]])
  })

  test('of two bugs that let go of each other in one request is told once', async () => {
    await changeBug(editor, bug, add(one))
    await put(editor, `/rest/bug/${bug}`, { ids: [one], see_also: { set: [two] } })
    expect(await summarizeHistory(one)).toEqual([
      `see_also:  > ${HERE}${bug}`,
      `see_also: ${HERE}${bug} > ${HERE}${two}`,
    ])
    expect(await links(two)).toEqual([`${HERE}${bug}`, `${HERE}${one}`])
  })

  test('of a new bug is told of on the other bug alone', async () => {
    const id = await postBug(reporter, place, { see_also: [`${bug}`, 'http://a.test/', bug] })
    expect([await links(id), await links(bug)]).toEqual([
      [`${HERE}${bug}`, 'https://a.test/'],
      [`${HERE}${id}`],
    ])
    expect([await summarizeHistory(id), await summarizeHistory(bug)]).toEqual([
      [],
      [`see_also:  > ${HERE}${id}`],
    ])
    const other = await postBug(reporter, place)
    const several = await postBug(reporter, place, {
      see_also: `http://a.test/1,2,http://b.test ${other}`,
    })
    expect(await links(several)).toEqual([
      'https://a.test/1,2',
      'https://b.test',
      `${HERE}${other}`,
    ])
  })
})

describe('see_also refuses', () => {
  test.each<[string, unknown, number, number]>([
    ['an unknown alias', 'no_such_alias', 400, 100],
    ['zero', 0, 400, 100],
    ['a number that nobody has', 2_000_000_000, 404, 101],
    ['free text', 'see there', 400, 112],
    ['another scheme', 'ftp://a.test/', 400, 112],
    ['another page of this service', 'https://tracker.test/rest/version', 400, 112],
    ['a long path', `https://a.test/${'x'.repeat(255)}`, 400, 112],
  ])('%s', async (_, given, status, code) => {
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, add(one, given)), status, code)
    const body = buildBugBody(place, { see_also: [given] })
    await expectRefusal(() => post(reporter, '/rest/bug', body), status, code)
  })

  test('the bug itself', async () => {
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, add(bug)), 400, 112, `${bug}`)
  })

  test('what is no edit', async () => {
    const path = `/rest/bug/${bug}`
    await expectRefusal(() => put(editor, path, { see_also: ['https://a.test'] }), 400, 53)
  })

  test('who may not change the bug', async () => {
    const path = `/rest/bug/${bug}`
    await expectRefusal(() => put(stranger, path, add('https://a.test/')), 401, 115, 'see_also')
    await changeBug(reporter, bug, add('https://a.test/'))
    expect(await changeBug(stranger, bug, add('https://a.test/'))).toEqual({})
  })

  test('bugs of a product that the caller may not edit', async () => {
    const closed = await insertProduct({ controls: [{ group: team, canEdit: true }] })
    const other = await postBug(reporter, closed)
    const path = `/rest/bug/${bug}`
    await expectRefusal(() => put(editor, path, add(other)), 401, 109, closed.name)
    const body = buildBugBody(place, { see_also: [other] })
    await expectRefusal(() => post(editor, '/rest/bug', body), 401, 109, closed.name)
  })
})

describe('see_also hides', () => {
  test('bugs: they are not linked, and what links them stays', async () => {
    await changeBug(editor, bug, add(one, two))
    await restrictBug(two, team)
    expect(await links(bug)).toEqual([`${HERE}${one}`])
    for (const given of [two, `${HERE}${two}`]) {
      const body = buildBugBody(place, { see_also: [given] })
      await expectRefusal(() => post(editor, '/rest/bug', body), 401, 102, `${two}`)
      await expectRefusal(() => put(editor, `/rest/bug/${bug}`, add(given)), 401, 102, `${two}`)
      expect(await changeBug(editor, bug, { see_also: { remove: [given] } })).toEqual({})
    }
    expect(await changeBug(editor, bug, { see_also: { set: [] } })).toEqual({
      see_also: { removed: `${HERE}${one}`, added: '' },
    })
    await execute(sql`DELETE FROM bug_groups WHERE bug_id = ${two}`)
    expect([await links(bug), await links(two)]).toEqual([[`${HERE}${two}`], [`${HERE}${bug}`]])
  })
})

test('fifty people add links at once: all are there, without a second attempt', async () => {
  const given = Array.from({ length: 50 }, (_, i) => `https://a.test/${i}`)
  const answers = await Promise.all(
    given.map((url) => put(editor, `/rest/bug/${bug}`, add(url, 'https://b.test/'))),
  )
  expect(new Set(answers.map(({ status, cost }) => `${status} ${cost.trips}`))).toEqual(
    new Set(['200 2']),
  )
  expect([...((await links(bug)) as string[])].sort()).toEqual([...given, 'https://b.test/'].sort())
})
