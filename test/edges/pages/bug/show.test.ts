import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { Browser } from '../../../support/browser.ts'
import { postAttachment } from '../../../support/builders/attachments.ts'
import { postBug, restrictBug } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { get, post, put } from '../../../support/client.ts'
import { fetchWith } from '../../../support/clients/service.ts'
import { execute } from '../../../support/database/execute.ts'

const PASSWORD = 'a-long-password'

const reporter = await insertPerson({ password: PASSWORD, realName: 'Ada <b>Byron</b>' })
const insider = await insertPerson({
  password: PASSWORD,
  roles: ['editbugs', 'insider', 'timetracking'],
})
const member = await insertPerson({ password: PASSWORD })
const secret = await insertGroup([member])
const place = await insertProduct({ assignee: insider })

async function signedIn(person: TestPerson): Promise<Browser> {
  return new Browser().signIn(person)
}

async function comment(who: TestPerson, id: number, text: string, more: object = {}) {
  const body = { comment: text, is_markdown: true, ...more }
  const answer = await post(who, `/rest/bug/${id}/comment`, body)
  expect(answer.status, answer.text).toBe(201)
  return answer.body.id as number
}

function tripsOf({ headers }: { headers: Headers }): number {
  return Number(/(\d+) trips/.exec(headers.get('server-timing') ?? '')?.[1])
}

describe('the page of a bug', () => {
  test('shows its fields, comments, attachments and history in two round trips', async () => {
    const other = await postBug(reporter, place, { summary: 'The other one' })
    const id = await postBug(reporter, place, { description: 'It **breaks**.', keywords: [] })
    await postAttachment(reporter, id, { summary: 'What I saw' })
    await put(insider, `/rest/bug/${id}`, { depends_on: { add: [String(other)] }, priority: 'P1' })
    await comment(reporter, id, `As in bug ${other}.`)
    const browser = await signedIn(reporter)
    await browser.open(`/bug/${id}`)
    const page = await browser.open(`/bug/${id}`)
    expect(page.status).toBe(200)
    expect(page.html).toContain('<strong>breaks</strong>')
    expect(page.html).toContain('What I saw')
    expect(page.html).toContain(`title="UNCONFIRMED The other one"`)
    expect(page.html).toMatch(/Priority <del>--<\/del> <ins>P1<\/ins>|Priority.*changed/)
    expect(page.html).toContain('id="c2"')
    expect(page.html).toContain(`<a href="/people/${reporter.id}"`)
    expect(tripsOf(page)).toBe(2)
    const editing = await (await signedIn(insider)).open(`/bug/${id}?edit=1`)
    expect(tripsOf(editing)).toBeLessThanOrEqual(3)
    expect(editing.html).toContain('name="assigned_to"')
  })

  test('costs two round trips with all fields to edit', async () => {
    const id = await postBug(reporter, place)
    const browser = await signedIn(insider)
    await browser.open(`/bug/${id}?edit=1`)
    expect(tripsOf(await browser.open(`/bug/${id}?edit=1`))).toBe(2)
  })

  test('stays below 100 KB with fifty comments, for somebody who edits it', async () => {
    const id = await postBug(insider, place)
    await execute(sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
      INSERT INTO comments (bug_id, number, author_id, created_at, body, is_markdown)
      SELECT ${id}, i, ${reporter.id}, i, ${'A **word** of `code`, and more of it. '.repeat(8)}, 1 FROM n`)
    const { html } = await (await signedIn(insider)).open(`/bug/${id}?edit=1`)
    expect(html.match(/<article class="comment"/g)).toHaveLength(51)
    expect(html.length).toBeLessThan(100_000)
  })

  test('escapes whatever people wrote, in every field', async () => {
    const evil = `"><script>alert('x')</script>`
    const id = await postBug(reporter, place, {
      summary: evil,
      description: evil,
      whiteboard: evil,
      see_also: ['https://evil.test/"><script>'],
    })
    await postAttachment(reporter, id, { summary: evil, file_name: 'a"><img src=x>.txt' })
    await execute(sql`UPDATE bugs SET url = 'javascript:alert(1)' WHERE id = ${id}`)
    for (const browser of [new Browser(), await signedIn(insider)]) {
      const pages = [
        await browser.open(`/bug/${id}`),
        await browser.open(`/bug/${id}?edit=1&quote=0`),
      ]
      for (const { html } of pages) {
        expect(html.match(/<script/g)).toHaveLength(1)
        expect(html).not.toMatch(/<[^>]+ (?:on\w+|style)=/)
        expect(html).not.toMatch(/(?:href|src|action)="javascript:/i)
        expect(html).not.toContain('<b>Byron')
      }
    }
  })

  test('tells strangers nothing of private comments, files, hours and hidden bugs', async () => {
    const words = ['whisper', 'memo', 'cellar'].map((word) => uniqueName(word))
    const [whisper = '', memo = '', cellar = ''] = words
    const hidden = await postBug(member, await insertProduct(), { summary: cellar })
    await restrictBug(hidden, secret)
    const id = await postBug(reporter, place)
    await comment(insider, id, whisper, { is_private: true })
    await postAttachment(insider, id, { summary: memo, is_private: true })
    await put(insider, `/rest/bug/${id}`, {
      blocks: { add: [String(hidden)] },
      estimated_time: 77.5,
    })
    const stranger = await signedIn(reporter)
    for (const browser of [new Browser(), stranger]) {
      for (const path of [
        `/bug/${id}`,
        `/bug/${id}?edit=1`,
        `/bug/${id}/graph`,
        `/bug/${id}?history=1`,
        `/bug/${id}/history`,
      ]) {
        const { html } = await browser.open(path)
        for (const word of [...words, `/bug/${hidden}"`, '77.5']) {
          expect(html, path).not.toContain(word)
        }
      }
    }
    const own = await (await signedIn(insider)).open(`/bug/${id}`)
    expect(own.html).toContain(whisper)
    expect(own.html).toContain(memo)
    expect(own.html).toContain('of 77.5 worked')
    expect(own.html).not.toContain(cellar)
    expect((await (await signedIn(member)).open(`/bug/${id}`)).html).toContain(cellar)
  })

  test('of a hidden bug says no more than the API, and offers to sign in', async () => {
    const id = await postBug(member, place, { summary: uniqueName('hidden') })
    await restrictBug(id, secret)
    const anonymous = await new Browser().open(`/bug/${id}`)
    const api = await get({}, `/rest/bug/${id}`)
    expect(anonymous.status).toBe(401)
    expect(anonymous.html).toContain('Access denied')
    expect(anonymous.html).toContain(`/login?return=%2Fbug%2F${id}`)
    expect(anonymous.html).not.toContain('hidden')
    expect(api.body.code).toBe(102)
    const stranger = await (await signedIn(reporter)).open(`/bug/${id}`)
    expect(stranger.status).toBe(401)
    expect(stranger.html).not.toContain('hidden')
    expect((await new Browser().open('/bug/2147483000')).status).toBe(404)
    expect((await (await signedIn(member)).open(`/bug/${id}`)).status).toBe(200)
  })

  test('marks what is new since the last visit, and records that the page was read', async () => {
    const id = await postBug(reporter, place)
    const browser = await signedIn(reporter)
    expect((await browser.open(`/bug/${id}`)).html).not.toContain('New since')
    const visited = async () =>
      (await get(reporter, `/rest/bug_user_last_visit/${id}`)).body as { last_visit_ts: string }[]
    await expect.poll(visited).toHaveLength(1)
    await execute(sql`UPDATE visits SET visited_at = visited_at - 60 WHERE bug_id = ${id}`)
    await comment(insider, id, 'Look at this.')
    const { html } = await browser.open(`/bug/${id}`)
    expect(html).toContain('New since your last visit')
    expect(html.indexOf('New since')).toBeLessThan(html.indexOf('id="c1"'))
    expect(html.indexOf('New since')).toBeGreaterThan(html.indexOf('id="c0"'))
  })

  test('folds comments with certain tags, and lists duplicates where tools look for them', async () => {
    const id = await postBug(reporter, place)
    const spam = await comment(reporter, id, 'Buy this')
    await put(insider, `/rest/bug/comment/${spam}/tags`, { add: ['spam'] })
    const copy = await postBug(reporter, place)
    await put(insider, `/rest/bug/${copy}`, { dupe_of: id })
    const { html } = await new Browser().open(`/bug/${id}`)
    expect(html).toMatch(/<summary class="muted">Folded: spam<\/summary>.*Buy this/s)
    expect(html).toMatch(new RegExp(`<div id="duplicates">.*<a href="/bug/${copy}"`, 's'))
  })

  test('quotes a comment that is answered', async () => {
    const id = await postBug(reporter, place, { description: 'one\ntwo & <three>' })
    const { html } = await (await signedIn(reporter)).open(`/bug/${id}?quote=0#comment`)
    expect(html).toContain('from comment 0)\n&gt; one\n&gt; two &amp; &lt;three&gt;\n\n</textarea>')
  })

  test('shows anonymous readers no form, and where to sign in', async () => {
    const id = await postBug(reporter, place)
    const { html } = await new Browser().open(`/bug/${id}`)
    expect(html).toContain('Sign in</a> to comment')
    expect(html).not.toContain('name="comment"')
  })
})

describe('the page of a bug where HIDE_EMAIL_DOMAINS is on', () => {
  test('shows anonymous readers no domain of an address, in facts, comments or history', async () => {
    const id = await postBug(reporter, place, { cc: [member.login] })
    await put(insider, `/rest/bug/${id}`, { assigned_to: reporter.login })
    for (const path of [`/bug/${id}?history=1`, `/bug/${id}/history`]) {
      const page = await fetchWith({ HIDE_EMAIL_DOMAINS: 'on' }, path)
      expect(page.status).toBe(200)
      const html = await page.text()
      expect(html).toContain(reporter.login.replace(/@.*/, ''))
      for (const { login } of [reporter, member, insider]) {
        // the names of these people repeat their logins
        expect(html.replaceAll(`Person ${login}`, ''), path).not.toContain(login)
      }
    }
  })
})

describe('the page of a bug with hundreds of comments', () => {
  async function postMany(length: number): Promise<number> {
    const id = await postBug(reporter, place, { description: 'the first' })
    await execute(
      sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 220)
      INSERT INTO comments (bug_id, number, author_id, created_at, body, is_markdown)
      SELECT ${id}, i, ${reporter.id}, unixepoch() + i, 'number ' || i || ' ' || ${'go on '.repeat(length)}, 1 FROM n`,
      sql`UPDATE bugs SET comment_count = 221, public_comment_count = 221 WHERE id = ${id}`,
    )
    return id
  }

  const numbersOn = (html: string) =>
    [...html.matchAll(/<article class="comment" id="c(\d+)"/g)].map(([, number]) => Number(number))

  test('shows the first and the last ones, and leads to the older ones page by page', async () => {
    const id = await postMany(0)
    const browser = new Browser()
    const { html } = await browser.open(`/bug/${id}`)
    const shown = numbersOn(html)
    expect([shown.length, shown[0], shown[1], shown.at(-1)]).toEqual([101, 0, 121, 220])
    expect(html).toContain('120 older comments are not shown')
    expect(html).toContain(`/bug/${id}?before=121#discussion`)
    const older = await browser.open(`/bug/${id}?before=121`)
    expect([numbersOn(older.html)[0], numbersOn(older.html).at(-1)]).toEqual([21, 120])
    expect(older.html).toContain(`/bug/${id}?before=21#discussion`)
    const oldest = await browser.open(`/bug/${id}?before=21`)
    expect([numbersOn(oldest.html)[0], numbersOn(oldest.html).length]).toEqual([0, 21])
    expect(oldest.html).not.toContain('Show older comments')
    expect(oldest.html).toContain('Go to the newest comments')
    expect(oldest.html).toContain(`/bug/${id}?before=121#discussion">Show later comments`)
    // the newest page has all that come after these
    expect(older.html).not.toContain('Show later comments')
  })

  test.each([
    ['the description is private', sql`number = 0`, 220],
    ['all of the newest ones are private', sql`number > 100`, 101],
    ['every other one is private', sql`number % 2 = 1`, 111],
  ])('leads readers once to each comment that they see, where %s', async (_, isPrivate, count) => {
    const id = await postMany(0)
    await execute(
      sql`UPDATE comments SET is_private = 1 WHERE bug_id = ${id} AND ${isPrivate}`,
      sql`UPDATE bugs SET public_comment_count = ${count} WHERE id = ${id}`,
    )
    const browser = new Browser()
    const read: number[] = []
    let address: string | undefined = `/bug/${id}`
    for (let pages = 0; address !== undefined && pages < 5; pages += 1) {
      const { html } = await browser.open(address)
      address = /href="([^"]*[?]before=\d+)#discussion">Show older/.exec(html)?.[1]
      const isRepeated = (n: number) => n === 0 && pages === 0 && address !== undefined
      read.unshift(...numbersOn(html).filter((n) => !isRepeated(n)))
    }
    const { body } = await get(reporter, `/rest/bug/${id}/comment?include_fields=count`)
    const seen = body.bugs[id].comments.map((one: { count: number }) => one.count)
    expect(seen).toHaveLength(count)
    expect(read).toEqual(seen)
  })

  test('shows a refused mark of an older comment where it stands, with what was typed', async () => {
    const id = await postMany(0)
    const browser = await signedIn(insider)
    const { html } = await browser.open(`/bug/${id}?before=60&mark=40`)
    const [action = ''] = /[/]bug[/]\d+[/]comments[/]\d+/.exec(html) ?? []
    const form = { count: '40', before: '60', had_tags: '', tags: 'later x', was_private: '' }
    const refused = await browser.submit(`/bug/${id}?before=60&mark=40`, action, form)
    expect([refused.status, numbersOn(refused.html).at(-1)]).toEqual([400, 59])
    expect(refused.html).toContain('value="later x"')
    const saved = await browser.submit(`/bug/${id}?before=60&mark=40`, action, {
      ...form,
      tags: 'later',
    })
    expect(saved.headers.get('location')).toBe(`/bug/${id}?before=60#c40`)
  })

  test('offers to mark an older comment where it stands', async () => {
    const id = await postMany(0)
    const browser = await signedIn(insider)
    const { html } = await browser.open(`/bug/${id}?before=60`)
    const link = `/bug/${id}?before=60&amp;mark=40#c40`
    expect(html).toContain(link)
    const marked = await browser.open(link.replace('&amp;', '&'))
    expect(marked.html).toContain('<input type="hidden" name="count" value="40"')
  })

  test('quotes a comment that is not among them', async () => {
    const id = await postMany(0)
    const { html } = await (await signedIn(reporter)).open(`/bug/${id}?quote=40#comment`)
    // where the address leads, a browser has the focus
    expect(html).toMatch(/<textarea id="comment"[^>]*>[^<]*from comment 40\)\n&gt; number 40/)
  })

  test('shows the beginnings of long ones, and one whole to who asks', async () => {
    const id = await postMany(800)
    const browser = new Browser()
    const { html } = await browser.open(`/bug/${id}`)
    expect(html.length).toBeLessThan(400_000)
    expect(html.match(/The comment goes on/g)).toHaveLength(100)
    const one = await browser.open(`/bug/${id}?whole=200`)
    expect(one.html.match(/The comment goes on/g)).toHaveLength(99)
    expect(one.html.length).toBeGreaterThan(html.length + 2500)
  })

  test('shows the longest comment whole to who asks, and says of none that it goes on', async () => {
    const id = await postMany(800)
    const longest = '\u{1f41b}'.repeat(65_535)
    await execute(
      sql`UPDATE comments SET body = ${longest} WHERE bug_id = ${id} AND number = 200`,
      sql`UPDATE comments SET body = ${`${'and '.repeat(900)}…`} WHERE bug_id = ${id} AND number = 0`,
    )
    const { html } = await new Browser().open(`/bug/${id}?whole=200`)
    const [article = ''] = /<article class="comment" id="c200".*?<[/]article>/s.exec(html) ?? []
    expect(article.includes(longest)).toBe(true)
    expect(article).not.toContain('The comment goes on')
    const { html: whole } = await new Browser().open(`/bug/${id}?whole=0`)
    const [first = ''] = /<article class="comment" id="c0".*?<[/]article>/s.exec(whole) ?? []
    expect(first).not.toContain('The comment goes on')
  })

  test('shows long ones whole where there are few', async () => {
    const id = await postBug(reporter, place, { description: 'go on '.repeat(800) })
    const { html } = await new Browser().open(`/bug/${id}`)
    expect(html).not.toContain('The comment goes on')
  })

  test('shows no comment of a hidden bug by its number', async () => {
    const id = await postMany(0)
    await restrictBug(id, secret)
    for (const query of ['before=20', 'whole=4', 'quote=4']) {
      const { status, html } = await new Browser().open(`/bug/${id}?${query}`)
      expect([status, html.includes('number 4')]).toEqual([401, false])
    }
  })
})
