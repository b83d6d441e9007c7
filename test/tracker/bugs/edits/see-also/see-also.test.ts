import { exports } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  buildBugBody,
  copyBug,
  postBug,
  restrictBug,
  updateBugRow,
} from '../../../../support/builders/bugs.ts'
import { insertGroup } from '../../../../support/builders/groups.ts'
import { insertPerson } from '../../../../support/builders/people.ts'
import { insertProduct } from '../../../../support/builders/products.ts'
import { uniqueName } from '../../../../support/builders/unique.ts'
import { post, put } from '../../../../support/client.ts'
import { changeBug, readWholeBug } from '../../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../../support/clients/refusals.ts'
import { loadBugRow, loadRowsOfBug } from '../../../../support/database/bugs.ts'
import { execute } from '../../../../support/database/execute.ts'
import { summarizeHistory } from '../../../../support/database/history.ts'

const HERE = 'https://tracker.test/bug/'
const LOCAL = '/bug/'

let bug: number
let one: number
let two: number

const editor = await insertPerson({ roles: ['editbugs'] })
const reporter = await insertPerson()
const stranger = await insertPerson()
const team = await insertGroup([await insertPerson()])
const place = await insertProduct()

beforeEach(async () => {
  bug = await postBug(reporter, place)
  ;[one = 0, two = 0] = await copyBug(bug, 2)
})

async function links(id: number): Promise<unknown> {
  return (await readWholeBug(editor, id)).see_also
}

const add = (...items: unknown[]) => ({ see_also: { add: items } })

describe('PUT /bug with see_also of a bug with 999 addresses', () => {
  const addresses = Array.from({ length: 999 }, (_, n) => `https://many.test/${n}`)

  beforeEach(async () => {
    await changeBug(editor, bug, add(...addresses))
  })

  test('adds another one and links to bugs, and refuses more addresses', async () => {
    await changeBug(editor, bug, add('https://a.test/', one))
    await expectRefusal(
      () => put(editor, `/rest/bug/${bug}`, add('https://b.test/')),
      53,
      "'see_also' may hold at most 1,000",
    )
    await changeBug(editor, bug, add('https://a.test/', two))
    await changeBug(editor, bug, {
      see_also: { add: ['https://b.test/'], remove: ['https://a.test/'] },
    })
    expect(await links(bug)).toHaveLength(1002)
  })

  test('adds no more when several add addresses at the same time', async () => {
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((host) => put(editor, `/rest/bug/${bug}`, add(`https://${host}.test/`))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect(await links(bug)).toHaveLength(1000)
  })

  test('files no bug with more', async () => {
    const more = Array.from({ length: 2 }, (_, n) => `https://more.test/${n}`)
    const body = buildBugBody(place, { see_also: [...addresses, ...more] })
    await expectRefusal(() => post(editor, '/rest/bug', body), 53, '1,000 addresses')
  })
})

describe('PUT /bug with see_also', () => {
  test('stores any web address with https, each once and in the order of the request', async () => {
    const items = ['http://b.test/Z', 'https://a.test/1,2', 'https://B.test/z']
    const stored = ['https://b.test/Z', 'https://a.test/1,2']
    expect(await changeBug(editor, bug, add(...items))).toEqual({
      see_also: { removed: '', added: stored.join(', ') },
    })
    expect(await links(bug)).toEqual(stored)
    expect(await changeBug(editor, bug, add('HTTPS://B.TEST/Z', '', null))).toEqual({})
    expect(await loadRowsOfBug('history', bug)).toMatchObject([
      { field: 'see_also', added_fold: stored.join(', ').toLowerCase() },
    ])
  })

  test('removes addresses in any case and ignores those that the bug does not have', async () => {
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
  ])('links two bugs of this tracker at both ends by %s', async (_, item) => {
    await updateBugRow(one, { changed_at: 1000 })
    expect(await changeBug(editor, bug, add(item()))).toEqual({
      see_also: { removed: '', added: `${HERE}${one}` },
    })
    expect([await links(bug), await links(one)]).toEqual([[`${HERE}${one}`], [`${HERE}${bug}`]])
    expect((await loadBugRow(one)).changed_at).toBe((await loadBugRow(bug)).changed_at)
    expect(await loadRowsOfBug('notices', one)).toHaveLength(1)

    await changeBug(editor, one, { see_also: { remove: [bug] } })
    expect([await links(bug), await links(one)]).toEqual([[], []])
    expect(await summarizeHistory(bug)).toEqual([
      `see_also:  > ${LOCAL}${one}`,
      `see_also: ${LOCAL}${one} > `,
    ])
  })

  test('has the host of the request that reads, not that of the writer', async () => {
    const hidden = await postBug(reporter, place)
    const text = JSON.stringify(add(`http://elsewhere.test/bug/${one}`, hidden))
    const headers = { 'x-tracker-api-key': editor.key }
    await exports.default.fetch(`http://elsewhere.test/rest/bug/${bug}`, {
      method: 'PUT',
      headers,
      body: text,
    })
    expect(await links(bug)).toEqual([`${HERE}${one}`, `${HERE}${hidden}`])
    expect(await links(one)).toEqual([`${HERE}${bug}`])
    await restrictBug(hidden, team)
    const paths = [`/rest/bug/${bug}/history`, `/rest/bug/${bug}?include_fields=see_also,history`]
    for (const path of paths) {
      for (const host of ['https://tracker.test', 'http://elsewhere.test', 'http://third.test']) {
        const answer = await exports.default.fetch(`${host}${path}`, { headers })
        const shown = await answer.text()
        expect(shown).toContain(`"added":"${host}/bug/${one}"`)
        expect(shown).not.toContain(`/bug/${hidden}`)
      }
    }
  })

  test('reads rows in proportion to the links that are replaced', async () => {
    const numbers = Array.from({ length: 300 }, (_, n) => n)
    const replace = (host: string, count: number) =>
      put(editor, `/rest/bug/${bug}`, {
        see_also: { set: numbers.slice(0, count).map((n) => `https://${host}.test/${n}`) },
      })
    await replace('a', 100)
    const few = await replace('b', 100)
    await replace('c', 300)
    const many = await replace('d', 300)
    expect(many.status).toBe(200)
    expect(many.cost.read).toBeLessThan(4 * few.cost.read)
  })

  test('accepts bugs by their alias', async () => {
    const alias = uniqueName('alias')
    await updateBugRow(one, { alias, alias_fold: alias })
    await changeBug(editor, bug, add(alias.toUpperCase()))
    expect(await links(bug)).toEqual([`${HERE}${one}`])
  })

  test('links back only from bugs that the caller may change', async () => {
    const other = await postBug(stranger, place)
    await changeBug(reporter, bug, add(other))
    expect([await links(bug), await links(other)]).toEqual([[`${HERE}${other}`], []])
    await changeBug(editor, other, add(bug))
    await changeBug(reporter, bug, { see_also: { set: [] } })
    expect([await links(bug), await links(other)]).toEqual([[], [`${HERE}${bug}`]])
  })

  test('records once that two bugs remove each other in one request', async () => {
    await changeBug(editor, bug, add(one))
    await put(editor, `/rest/bug/${bug}`, { ids: [one], see_also: { set: [two] } })
    expect(await summarizeHistory(one)).toEqual([
      `see_also:  > ${LOCAL}${bug}`,
      `see_also: ${LOCAL}${bug} > ${LOCAL}${two}`,
    ])
    expect(await links(two)).toEqual([`${HERE}${bug}`, `${HERE}${one}`])
  })

  test('records the link of a new bug on the other bug alone', async () => {
    const id = await postBug(reporter, place, { see_also: [`${bug}`, 'http://a.test/', bug] })
    expect([await links(id), await links(bug)]).toEqual([
      [`${HERE}${bug}`, 'https://a.test/'],
      [`${HERE}${id}`],
    ])
    expect([await summarizeHistory(id), await summarizeHistory(bug)]).toEqual([
      [],
      [`see_also:  > ${LOCAL}${id}`],
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

describe('PUT /bug and POST /bug with a wrong see_also', () => {
  test.each<[string, number, unknown]>([
    ['an unknown alias', 100, 'no_such_alias'],
    ['zero', 100, 0],
    ['an unknown number', 101, 2_000_000_000],
    ['free text', 112, 'see there'],
    ['another scheme', 112, 'ftp://a.test/'],
    ['another page of this tracker', 112, 'https://tracker.test/rest/version'],
    ['a path that is too long', 112, `https://a.test/${'x'.repeat(255)}`],
  ])('rejects %s with %i', async (_, code, item) => {
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, add(one, item)), code)
    const body = buildBugBody(place, { see_also: [item] })
    await expectRefusal(() => post(reporter, '/rest/bug', body), code)
  })

  test('rejects the bug itself with 112', async () => {
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, add(bug)), 112, `${bug}`)
  })

  test('rejects a list in place of an edit with 53', async () => {
    const path = `/rest/bug/${bug}`
    await expectRefusal(() => put(editor, path, { see_also: ['https://a.test'] }), 53)
  })

  test('rejects people who may not change the bug with 115', async () => {
    const path = `/rest/bug/${bug}`
    await expectRefusal(() => put(stranger, path, add('https://a.test/')), 115, 'see_also')
    await changeBug(reporter, bug, add('https://a.test/'))
    expect(await changeBug(stranger, bug, add('https://a.test/'))).toEqual({})
  })

  test('rejects bugs of a product that the caller may not edit with 109', async () => {
    const closed = await insertProduct({ controls: [{ group: team, canEdit: true }] })
    const other = await postBug(reporter, closed)
    const path = `/rest/bug/${bug}`
    await expectRefusal(() => put(editor, path, add(other)), 109, closed.name)
    const body = buildBugBody(place, { see_also: [other] })
    await expectRefusal(() => post(editor, '/rest/bug', body), 109, closed.name)
  })
})

describe('the visibility of see_also', () => {
  test('hides bugs: a caller cannot link hidden bugs, and existing links to them stay', async () => {
    await changeBug(editor, bug, add(one, two))
    await restrictBug(two, team)
    expect(await links(bug)).toEqual([`${HERE}${one}`])
    for (const item of [two, `${HERE}${two}`]) {
      const body = buildBugBody(place, { see_also: [item] })
      await expectRefusal(() => post(editor, '/rest/bug', body), 102, `${two}`)
      await expectRefusal(() => put(editor, `/rest/bug/${bug}`, add(item)), 102, `${two}`)
      expect(await changeBug(editor, bug, { see_also: { remove: [item] } })).toEqual({})
    }
    expect(await changeBug(editor, bug, { see_also: { set: [] } })).toEqual({
      see_also: { removed: `${HERE}${one}`, added: '' },
    })
    const alias = uniqueName('Secret')
    await updateBugRow(two, { alias, alias_fold: alias.toLowerCase() })
    const body = buildBugBody(place, { see_also: [alias] })
    await expectRefusal(() => post(editor, '/rest/bug', body), 102, alias)
    for (const who of [editor, stranger]) {
      await expectRefusal(() => put(who, `/rest/bug/${bug}`, add(alias)), 102, alias)
    }
    await execute(sql`DELETE FROM bug_groups WHERE bug_id = ${two}`)
    expect([await links(bug), await links(two)]).toEqual([[`${HERE}${two}`], [`${HERE}${bug}`]])
  })
})

test('fifty clients add links at once: all of them are stored without a second attempt', async () => {
  const urls = Array.from({ length: 50 }, (_, i) => `https://a.test/${i}`)
  const answers = await Promise.all(
    urls.map((url) => put(editor, `/rest/bug/${bug}`, add(url, 'https://b.test/'))),
  )
  expect(new Set(answers.map(({ status, cost }) => `${status} ${cost.trips}`))).toEqual(
    new Set(['200 2']),
  )
  expect([...((await links(bug)) as string[])].sort()).toEqual([...urls, 'https://b.test/'].sort())
})
