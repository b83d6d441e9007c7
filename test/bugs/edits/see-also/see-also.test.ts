import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { post, put } from '../../../support/client.ts'
import { changesOf, expectRefusal, readBug, rowsOf, storedBug } from '../../../support/filing.ts'
import { write } from '../../../support/happening.ts'
import { copies, filed, restrict } from '../../../support/reading.ts'
import {
  group,
  newBug,
  person,
  product,
  type TestGroup,
  type TestPerson,
  type TestProduct,
  unique,
} from '../../../support/world.ts'

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
  editor = await person({ roles: ['editbugs'] })
  reporter = await person()
  stranger = await person()
  team = await group([await person()])
  place = await product()
})

beforeEach(async () => {
  bug = await filed(reporter, place)
  ;[one = 0, two = 0] = await copies(bug, 2)
})

async function links(id: number): Promise<unknown> {
  return (await readBug(editor, id)).see_also
}

async function told(id: number): Promise<string[]> {
  const rows = await rowsOf('history', id)
  return rows.map(({ field, removed, added }) => `${field}: ${removed} > ${added}`)
}

const add = (...items: unknown[]) => ({ see_also: { add: items } })

describe('see_also', () => {
  test('takes any web address, over https, in the order given and each once', async () => {
    const given = ['http://b.test/Z', 'https://a.test/1,2', 'https://B.test/z']
    const kept = ['https://b.test/Z', 'https://a.test/1,2']
    expect(await changesOf(editor, bug, add(...given))).toEqual({
      see_also: { removed: '', added: kept.join(', ') },
    })
    expect(await links(bug)).toEqual(kept)
    expect(await changesOf(editor, bug, add('HTTPS://B.TEST/Z', '', null))).toEqual({})
    expect(await rowsOf('history', bug)).toMatchObject([
      { field: 'see_also', added_fold: kept.join(', ').toLowerCase() },
    ])
  })

  test('is removed in any spelling, and what is not there is passed over', async () => {
    await changesOf(editor, bug, add('https://a.test/X', 'https://b.test/', one))
    const remove = ['http://A.test/x', 'https://c.test/', 'no link at all', 'nobody', `${one}`]
    expect(await changesOf(editor, bug, { see_also: { remove } })).toEqual({
      see_also: { removed: `https://a.test/X, ${HERE}${one}`, added: '' },
    })
    expect(await links(bug)).toEqual(['https://b.test/'])
    expect(await changesOf(editor, bug, { see_also: { set: ['https://d.test'] } })).toEqual({
      see_also: { removed: 'https://b.test/', added: 'https://d.test' },
    })
  })

  test.each<[string, () => unknown]>([
    ['its number', () => one],
    ['its address', () => `http://tracker.test/bug/${one}#c1`],
    ['its older address', () => `https://tracker.test/show_bug.cgi?id=${one}`],
  ])('links two bugs of this service at both ends, by %s', async (_, given) => {
    await write(sql`UPDATE bugs SET changed_at = 1000 WHERE id = ${one}`)
    expect(await changesOf(editor, bug, add(given()))).toEqual({
      see_also: { removed: '', added: `${HERE}${one}` },
    })
    expect([await links(bug), await links(one)]).toEqual([[`${HERE}${one}`], [`${HERE}${bug}`]])
    expect((await storedBug(one)).changed_at).toBe((await storedBug(bug)).changed_at)
    expect(await rowsOf('notices', one)).toHaveLength(1)

    await changesOf(editor, one, { see_also: { remove: [bug] } })
    expect([await links(bug), await links(one)]).toEqual([[], []])
    expect(await told(bug)).toEqual([`see_also:  > ${HERE}${one}`, `see_also: ${HERE}${one} > `])
  })

  test('knows bugs by their alias', async () => {
    const alias = unique('alias')
    await write(sql`UPDATE bugs SET alias = ${alias}, alias_fold = ${alias} WHERE id = ${one}`)
    await changesOf(editor, bug, add(alias.toUpperCase()))
    expect(await links(bug)).toEqual([`${HERE}${one}`])
  })

  test('is linked back only where the caller may change the other bug', async () => {
    const other = await filed(stranger, place)
    await changesOf(reporter, bug, add(other))
    expect([await links(bug), await links(other)]).toEqual([[`${HERE}${other}`], []])
    await changesOf(editor, other, add(bug))
    await changesOf(reporter, bug, { see_also: { set: [] } })
    expect([await links(bug), await links(other)]).toEqual([[], [`${HERE}${bug}`]])
  })

  test('of two bugs that let go of each other in one request is told once', async () => {
    await changesOf(editor, bug, add(one))
    await put(editor, `/rest/bug/${bug}`, { ids: [one], see_also: { set: [two] } })
    expect(await told(one)).toEqual([
      `see_also:  > ${HERE}${bug}`,
      `see_also: ${HERE}${bug} > ${HERE}${two}`,
    ])
    expect(await links(two)).toEqual([`${HERE}${bug}`, `${HERE}${one}`])
  })

  test('of a new bug is told of on the other bug alone', async () => {
    const id = await filed(reporter, place, { see_also: [`${bug}`, 'http://a.test/', bug] })
    expect([await links(id), await links(bug)]).toEqual([
      [`${HERE}${bug}`, 'https://a.test/'],
      [`${HERE}${id}`],
    ])
    expect([await told(id), await told(bug)]).toEqual([[], [`see_also:  > ${HERE}${id}`]])
    const other = await filed(reporter, place)
    const several = await filed(reporter, place, {
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
    const body = newBug(place, { see_also: [given] })
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
    await changesOf(reporter, bug, add('https://a.test/'))
    expect(await changesOf(stranger, bug, add('https://a.test/'))).toEqual({})
  })

  test('bugs of a product that the caller may not edit', async () => {
    const closed = await product({ controls: [{ group: team, canEdit: true }] })
    const other = await filed(reporter, closed)
    const path = `/rest/bug/${bug}`
    await expectRefusal(() => put(editor, path, add(other)), 401, 109, closed.name)
    const body = newBug(place, { see_also: [other] })
    await expectRefusal(() => post(editor, '/rest/bug', body), 401, 109, closed.name)
  })
})

describe('see_also hides', () => {
  test('bugs: they are not linked, and what links them stays', async () => {
    await changesOf(editor, bug, add(one, two))
    await restrict(two, team)
    expect(await links(bug)).toEqual([`${HERE}${one}`])
    for (const given of [two, `${HERE}${two}`]) {
      const body = newBug(place, { see_also: [given] })
      await expectRefusal(() => post(editor, '/rest/bug', body), 401, 102, `${two}`)
      await expectRefusal(() => put(editor, `/rest/bug/${bug}`, add(given)), 401, 102, `${two}`)
      expect(await changesOf(editor, bug, { see_also: { remove: [given] } })).toEqual({})
    }
    expect(await changesOf(editor, bug, { see_also: { set: [] } })).toEqual({
      see_also: { removed: `${HERE}${one}`, added: '' },
    })
    await write(sql`DELETE FROM bug_groups WHERE bug_id = ${two}`)
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
