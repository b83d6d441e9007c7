import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { Browser, type PageAnswer } from '../../../support/browser.ts'
import { postAttachment } from '../../../support/builders/attachments.ts'
import { copyBug, hideBugs, postBug, restrictBug } from '../../../support/builders/bugs.ts'
import { insertFieldOfEachType } from '../../../support/builders/fields.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertChanges } from '../../../support/builders/notices.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, get, put } from '../../../support/client.ts'
import { execute } from '../../../support/database/execute.ts'

const PASSWORD = 'a-long-password'
const THEN = 1_700_000_000

const removals: (() => Promise<unknown>)[] = []

const editor = await insertPerson({
  password: PASSWORD,
  roles: ['editbugs', 'insider', 'timetracking'],
})
const reporter = await insertPerson({ password: PASSWORD, realName: 'Ada <b>Byron</b>' })
const place = await insertProduct({ assignee: editor })

afterAll(() => Promise.all(removals.map((remove) => remove())))

async function postChanged(count: number): Promise<number> {
  const id = await postBug(reporter, place)
  removals.push(await insertChanges(id, reporter, count, THEN))
  return id
}

/** The numbers of the changes that a page shows, in its order. */
function valuesOn(html: string): number[] {
  return [...html.matchAll(/<ins>value (\d+)<[/]ins>/g)].map(([, value]) => Number(value))
}

function linkOn(html: string, text: string): string | undefined {
  const [, address] = new RegExp(`<a href="([^"]*)"[^>]*>\\s*${text}`).exec(html) ?? []
  return address?.replaceAll('&amp;', '&')
}

function costOf({ headers }: PageAnswer) {
  const [, trips, read] =
    /(\d+) trips, .*? (\d+) read/.exec(headers.get('server-timing') ?? '') ?? []
  return { trips: Number(trips), read: Number(read) }
}

const range = (first: number, last: number) =>
  Array.from({ length: Math.abs(last - first) + 1 }, (_, n) =>
    last > first ? first + n : first - n,
  )

describe('the page of a bug with hundreds of changes', () => {
  test('shows the newest ones in their order, and leads to those before', async () => {
    const id = await postChanged(450)
    const { html } = await new Browser().open(`/bug/${id}?history=1`)
    expect(valuesOn(html)).toEqual(range(251, 450))
    expect(html).toContain('Earlier changes are not shown')
    const earlier = await new Browser().open(linkOn(html, 'Show earlier changes') ?? '')
    expect(earlier.status).toBe(200)
    expect(valuesOn(earlier.html)).toEqual(range(250, 51))
  })

  test('shows all of two hundred, and where their history is', async () => {
    const id = await postChanged(200)
    const { html } = await new Browser().open(`/bug/${id}`)
    expect(valuesOn(html)).toEqual(range(1, 200))
    expect(html).not.toContain('Earlier changes')
    expect(linkOn(html, 'History')).toBe(`/bug/${id}/history`)
  })

  test('reads no more for six hundred than for 250, in as many trips', async () => {
    // somebody who is not involved, whose visits are not recorded
    const other = await insertPerson({ password: PASSWORD, roles: ['editbugs'] })
    const browser = await new Browser().signIn(other)
    const ids = [await postChanged(250), await postChanged(600)]
    for (const path of ['', '?edit=1', '/history']) {
      const open = (id: number | undefined) => browser.open(`/bug/${id}${path}`)
      await open(ids[0])
      const costs = [costOf(await open(ids[0])), costOf(await open(ids[1]))]
      expect(costs[1], path).toEqual(costs[0])
      expect(costs[1]?.trips, path).toBe(2)
    }
  })

  test('shows beside older comments what changed while they were written', async () => {
    const id = await postChanged(600)
    await execute(
      sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 220)
      INSERT INTO comments (bug_id, number, author_id, created_at, body, is_markdown)
      SELECT ${id}, i, ${reporter.id}, ${THEN} + 30 + 120 * i, 'number ' || i, 1 FROM n`,
      sql`UPDATE comments SET created_at = ${THEN} WHERE bug_id = ${id} AND number = 0`,
      sql`UPDATE bugs SET comment_count = 221, public_comment_count = 221 WHERE id = ${id}`,
    )
    const browser = new Browser()
    const { html } = await browser.open(`/bug/${id}`)
    expect(valuesOn(html)).toEqual(range(401, 600))
    const older = await browser.open(linkOn(html, 'Show older comments') ?? '')
    // those of the comments 21 to 120, and up to comment 121
    expect(valuesOn(older.html)).toEqual(range(43, 242))
    expect(costOf(older).trips).toBe(2)
    const oldest = await browser.open(linkOn(older.html, 'Show older comments') ?? '')
    expect(valuesOn(oldest.html)).toEqual(range(1, 42))
    const typed = await browser.open(`/bug/${id}?before=121`)
    expect(valuesOn(typed.html)).toEqual([])
    const before = await browser.open(linkOn(typed.html, 'Show earlier changes') ?? '')
    expect(valuesOn(before.html)[0]).toBe(240)
  })

  test('says after a collision what others changed since the form was opened', async () => {
    const id = await postChanged(300)
    const browser = await new Browser().signIn(editor)
    const { html } = await browser.open(`/bug/${id}`)
    const hidden = (name: string) =>
      (new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '').replaceAll('&quot;', '"')
    await put(editor, `/rest/bug/${id}`, { whiteboard: 'of somebody faster' })
    const refused = await browser.submit(`/bug/${id}`, `/bug/${id}`, {
      ...{ before: hidden('before'), tag: hidden('tag'), seen: hidden('seen') },
      ...{ status: 'UNCONFIRMED', comment: 'Mine' },
    })
    expect(refused.status).toBe(412)
    const [alert = ''] = /role="alert">.*?<[/]ul>/s.exec(refused.html) ?? []
    expect(alert.match(/<li>/g)).toHaveLength(1)
    expect(alert).toContain('of somebody faster')
  })
})

describe('the history of a bug', () => {
  test('shows all changes page by page, newest first', async () => {
    const id = await postChanged(450)
    const browser = new Browser()
    const read: number[][] = []
    let address: string | undefined = `/bug/${id}/history`
    let last: string | undefined
    for (let pages = 0; address !== undefined && pages < 5; pages += 1) {
      const { status, html } = await browser.open(address)
      expect(status).toBe(200)
      expect(linkOn(html, 'the newest') !== undefined).toBe(pages > 0)
      read.push(valuesOn(html))
      last = address
      address = linkOn(html, 'Show earlier changes')
    }
    expect(read).toEqual([range(450, 251), range(250, 51), range(50, 1)])
    address = last
    for (let pages = 0; address !== undefined && pages < 5; pages += 1) {
      const { html } = await browser.open(address)
      expect(html.includes('Show earlier changes')).toBe(pages > 0)
      expect(valuesOn(html)).toEqual(read.at(-1 - pages))
      address = linkOn(html, 'Show later changes')
      expect(address !== undefined).toBe(pages < 2)
    }
  })

  test('names people, custom fields and attachments, and escapes what they wrote', async () => {
    const custom = await insertFieldOfEachType()
    const id = await postBug(reporter, place, { summary: '<i>Broken</i>' })
    const attachment = await postAttachment(reporter, id)
    await put(editor, `/rest/bug/${id}`, {
      [custom.freeText.name]: '<script>x</script>',
      priority: 'P1',
    })
    await put(reporter, `/rest/bug/attachment/${attachment}`, { is_obsolete: true })
    const [definition] = (await get(ANYONE, `/rest/field/bug/${custom.freeText.name}`)).body.fields
    const { html } = await new Browser().open(`/bug/${id}/history`)
    expect(html).toContain('&lt;i&gt;Broken&lt;/i&gt;')
    expect(html).toContain(`<a href="/people/${reporter.id}"`)
    expect(html).toContain('Ada &lt;b&gt;Byron')
    expect(html).toContain(`<a href="/attachment/${attachment}">attachment ${attachment}</a>`)
    expect(html).toContain(`${definition.display_name}  <ins>&lt;script&gt;x&lt;/script&gt;</ins>`)
    expect(html).toContain('Priority <del>--</del> <ins>P1</ins>')
    expect(html).not.toMatch(/<i>Broken|<b>Byron|<script>x/)
  })

  test('says where nothing was changed, and where nothing was before', async () => {
    const id = await postBug(reporter, place)
    const browser = new Browser()
    expect((await browser.open(`/bug/${id}/history`)).html).toContain('Nothing was changed yet')
    const before = await browser.open(`/bug/${id}/history?before=2020-01-01`)
    expect(before.html).toContain('There are no earlier changes')
    const from = await browser.open(`/bug/${id}/history?from=2030-01-01`)
    expect(from.html).toContain('There are no later changes')
    expect((await browser.open(`/bug/${id}/history?before=lately`)).status).toBe(400)
  })

  test('hides hours, private files and hidden bugs from others, and does not count them', async () => {
    const memo = uniqueName('memo')
    const id = await postChanged(200)
    const hidden = await postBug(editor, place)
    await hideBugs([hidden])
    const file = await postAttachment(editor, id, { is_private: true })
    await put(editor, `/rest/bug/attachment/${file}`, { summary: memo })
    await put(editor, `/rest/bug/${id}`, { estimated_time: 77.5 })
    await execute(sql`INSERT INTO history (bug_id, author_id, changed_at, field, removed, removed_fold, added, added_fold)
      VALUES (${id}, ${editor.id}, unixepoch(), 'blocks', '', '', ${String(hidden)}, ${String(hidden)})`)
    for (const browser of [new Browser(), await new Browser().signIn(reporter)]) {
      for (const path of [`/bug/${id}`, `/bug/${id}/history`]) {
        const { html } = await browser.open(path)
        expect(valuesOn(html), path).toHaveLength(200)
        for (const word of [memo, '77.5', `>${hidden}<`, 'Show earlier changes']) {
          expect(html, path).not.toContain(word)
        }
      }
    }
    const own = await (await new Browser().signIn(editor)).open(`/bug/${id}/history`)
    expect(own.html).toContain(memo)
    expect(own.html).toContain('<ins>77.5</ins>')
    expect(own.html).toContain('Show earlier changes')
  })

  test('of a hidden bug says what its page says', async () => {
    const summary = uniqueName('hidden')
    const id = await postBug(reporter, place, { summary })
    removals.push(await insertChanges(id, reporter, 3, THEN))
    await restrictBug(id, await insertGroup())
    const stranger = await insertPerson({ password: PASSWORD })
    for (const browser of [new Browser(), await new Browser().signIn(stranger)]) {
      const page = await browser.open(`/bug/${id}`)
      for (const query of ['', '?before=2030-01-01']) {
        const { status, html } = await browser.open(`/bug/${id}/history${query}`)
        expect([status, html.includes(summary), valuesOn(html)]).toEqual([401, false, []])
        expect(/<h1>.*<[/]h1>/s.exec(html)?.[0]).toBe(/<h1>.*<[/]h1>/s.exec(page.html)?.[0])
      }
    }
    expect((await new Browser().open('/bug/2147483000/history')).status).toBe(404)
    const own = await (await new Browser().signIn(reporter)).open(`/bug/${id}/history`)
    expect([own.status, valuesOn(own.html)]).toEqual([200, [3, 2, 1]])
  })
})

describe('the page of a bug with hundreds of links', () => {
  test('shows the first two hundred of a kind, and leads to a list of all', async () => {
    const id = await postBug(reporter, place)
    const others = await copyBug(await postBug(reporter, place), 210)
    const [first = 0, last = 0] = [others[0], others.at(-1)]
    const among = sql`bugs WHERE id BETWEEN ${first} AND ${last}`
    const kinds = {
      'Depends on': sql`INSERT INTO dependencies (bug_id, depends_on_id) SELECT ${id}, id FROM ${among}`,
      Blocks: sql`INSERT INTO dependencies (bug_id, depends_on_id) SELECT id, ${id} FROM ${among}`,
      'Regressed by': sql`INSERT INTO regressions (bug_id, regressed_by_id) SELECT ${id}, id FROM ${among}`,
      Regressions: sql`INSERT INTO regressions (bug_id, regressed_by_id) SELECT id, ${id} FROM ${among}`,
      Duplicates: sql`UPDATE bugs SET dupe_of_id = ${id} WHERE id BETWEEN ${first} AND ${last}`,
    }
    for (const [label, insert] of Object.entries(kinds)) {
      await execute(
        sql`DELETE FROM dependencies WHERE ${id} IN (bug_id, depends_on_id)`,
        sql`DELETE FROM regressions WHERE ${id} IN (bug_id, regressed_by_id)`,
        insert,
      )
      const { html } = await new Browser().open(`/bug/${id}`)
      const [, list = ''] = new RegExp(`<dt>${label}</dt>(.*?)</dd>`, 's').exec(html) ?? []
      expect(list.match(/<li>/g), label).toHaveLength(200)
      expect(list).toContain('<summary>210 bugs</summary>')
      const all = new URL(linkOn(list, 'Show all 210') ?? '', 'https://tracker.test')
      const found = await get(ANYONE, `/rest/bug${all.search}&include_fields=id&limit=0`)
      expect(found.body.bugs, label).toHaveLength(210)
      expect((await new Browser().open(`${all.pathname}${all.search}`)).status).toBe(200)
    }
    await execute(sql`UPDATE bugs SET dupe_of_id = NULL WHERE dupe_of_id = ${id}`)
    await hideBugs(others)
  })

  test('shows the first two hundred addresses, and all to who asks', async () => {
    const id = await postBug(reporter, place)
    await execute(sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 205)
      INSERT INTO see_also (bug_id, url, url_fold) SELECT ${id}, 'https://far.test/' || i, 'https://far.test/' || i FROM n`)
    const countOn = (html: string) => html.match(/href="https:[/][/]far[.]test/g)?.length
    const { html } = await new Browser().open(`/bug/${id}`)
    expect(countOn(html)).toBe(200)
    const all = await new Browser().open(linkOn(html, 'Show all 205') ?? '')
    expect(countOn(all.html)).toBe(205)
    await execute(sql`DELETE FROM see_also WHERE bug_id = ${id}`)
  })

  test.each([
    { people: 205, listed: 205 },
    { people: 5_003, listed: 5_000 },
  ])(
    'shows the first two hundred of $people people on CC, and $listed to who asks for all',
    async ({ people, listed }) => {
      const id = await postBug(reporter, place)
      const name = uniqueName('cc')
      await execute(
        sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${people})
        INSERT INTO users (login, login_fold, created_at)
        SELECT ${name} || i || '@example.test', ${name} || i || '@example.test', 1 FROM n`,
        sql`INSERT INTO bug_cc (bug_id, user_id) SELECT ${id}, id FROM users WHERE instr(login, ${name}) = 1`,
      )
      const countOn = (html: string) => html.split(`@example.test">${name}`).length - 1
      const { html } = await new Browser().open(`/bug/${id}`)
      const number = people.toLocaleString('en')
      expect(html).toContain(`<summary>${number} people</summary>`)
      expect(countOn(html)).toBe(200)
      const all = await new Browser().open(linkOn(html, `Show all ${number}`) ?? '')
      expect(countOn(all.html)).toBe(listed)
      expect(all.html.includes('3 more are not shown')).toBe(listed < people)
      await execute(
        sql`DELETE FROM bug_cc WHERE bug_id = ${id}`,
        sql`DELETE FROM users WHERE instr(login, ${name}) = 1`,
      )
    },
  )
})
