import { describe, expect, test } from 'vitest'
import { Browser } from '../../../support/browser.ts'
import { postAttachment } from '../../../support/builders/attachments.ts'
import { postBug, restrictBug } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, get, post, put } from '../../../support/client.ts'

const editor = await insertPerson({ roles: ['editbugs', 'insider'] })
const place = await insertProduct()

describe('other addresses of a bug', () => {
  test.each([
    ['/show_bug.cgi?id=12', '/bug/12'],
    ['/show_bug.cgi?id=some-alias', '/bug/some-alias'],
    ['/show_bug.cgi?id=1,2&id=3', '/bugs?id=1%2C2%2C3'],
    ['/show_bug.cgi', '/'],
    ['/show_bug.cgi?id=12&ctype=json', '/rest/bug/12'],
    ['/12', '/bug/12'],
    ['/showdependencytree.cgi?id=12', '/bug/12/graph'],
    ['/showdependencygraph.cgi?id=12', '/bug/12/graph'],
    ['/show_activity.cgi?id=12', '/bug/12/history'],
    ['/show_activity.cgi', '/'],
    ['/show_bug.cgi?id=//evil.test', '/bug/%2F%2Fevil.test'],
  ])('lead from %s to %s', async (from, to) => {
    const { status, headers } = await new Browser().open(from)
    expect([status, headers.get('location')]).toEqual([302, to])
  })

  test.each(['/bug/12', '/show_bug.cgi?id=12'])(
    'lead clients that ask %s for JSON to the API',
    async (path) => {
      const { status, headers } = await get(ANYONE, path, { accept: 'application/json' })
      expect([status, headers.get('location')]).toEqual([302, '/rest/bug/12'])
    },
  )

  test('show a bug by its alias, whose number is the canonical address', async () => {
    const alias = uniqueName('alias')
    const id = await postBug(editor, place, { alias })
    const { status, html } = await new Browser().open(`/bug/${alias}`)
    expect(status).toBe(200)
    expect(html).toContain(`<link rel="canonical" href="https://tracker.test/bug/${id}"/>`)
  })
})

describe('GET /show_bug.cgi?ctype=xml', () => {
  test('answers bugs as importers read them, and why others are missing', async () => {
    const id = await postBug(editor, place, { summary: 'A & <b>', description: 'x < y' })
    const hidden = await postBug(editor, place, { summary: 'Nobody knows' })
    await restrictBug(hidden, await insertGroup())
    await post(editor, `/rest/bug/${id}/comment`, { comment: 'whisper', is_private: true })
    await postAttachment(editor, id, { file_name: 'a"b.txt' })
    await put(editor, `/rest/bug/${id}`, { keywords: { set: [] }, whiteboard: '[x]' })
    const ids = `${id},${hidden},2147483000,no-such-alias`
    const { status, text, headers } = await get(ANYONE, `/show_bug.cgi?ctype=xml&id=${ids}`)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/xml; charset=utf-8')
    expect(text).toContain(`<bug_id>${id}</bug_id>`)
    expect(text).toContain('<short_desc>A &amp; &lt;b&gt;</short_desc>')
    expect(text).toContain('<thetext>x &lt; y</thetext>')
    expect(text).toContain('<status_whiteboard>[x]</status_whiteboard>')
    expect(text).toMatch(/<creation_ts>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000<\/creation_ts>/)
    expect(text).toContain('<filename>a"b.txt</filename>')
    expect(text).toContain(`<bug error="NotPermitted"><bug_id>${hidden}</bug_id></bug>`)
    expect(text).toContain('<bug error="NotFound"><bug_id>2147483000</bug_id></bug>')
    expect(text).toContain('<bug error="InvalidBugId"><bug_id>no-such-alias</bug_id></bug>')
    expect(text).not.toContain('whisper')
    expect(text).not.toContain('Nobody knows')
  })

  test('answers bugs in the given order, each with its own comments', async () => {
    const ids = await Promise.all(
      ['one', 'two', 'three'].map((description) => postBug(editor, place, { description })),
    )
    const [first, second, third] = ids.toSorted((a, b) => a - b)
    for (const id of ids) {
      await post(editor, `/rest/bug/${id}/comment`, { comment: `about ${id}` })
    }
    const order = [third, first, second]
    const { text } = await get(ANYONE, `/show_bug.cgi?ctype=xml&id=${order.join(',')}`)
    const found = [...text.matchAll(/<bug_id>(\d+)<|<thetext>(about \d+)</g)]
    expect(found.map(([, id, comment]) => comment ?? Number(id))).toEqual(
      order.flatMap((id) => [id, `about ${id}`]),
    )
  })
})

describe('the dependency graph of a bug', () => {
  test('shows what it waits for and what waits for it, without hidden bugs', async () => {
    const [a, b, c, d] = [
      await postBug(editor, place, { summary: 'First' }),
      await postBug(editor, place, { summary: 'Second' }),
      await postBug(editor, place, { summary: uniqueName('Buried') }),
      await postBug(editor, place, { summary: 'Behind the buried one' }),
    ]
    await put(editor, `/rest/bug/${a}`, { depends_on: { add: [b, c].map(String) } })
    await put(editor, `/rest/bug/${c}`, { depends_on: { add: [String(d)] } })
    await restrictBug(c, await insertGroup())
    const { html, headers } = await new Browser().open(`/bug/${a}/graph`)
    expect(html).toContain('<svg')
    expect(html).toContain(`href="/bug/${b}"`)
    for (const text of ['Buried', `/bug/${c}"`, 'Behind the buried one']) {
      expect(html).not.toContain(text)
    }
    expect(headers.get('server-timing')).toContain('2 trips')
    expect((await new Browser().open(`/bug/${b}/graph`)).html).toContain(`href="/bug/${a}"`)
  })

  test('ends although bugs lead in a circle over both kinds of links', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => postBug(editor, place)))
    for (const [n, id] of ids.slice(1).entries()) {
      await put(editor, `/rest/bug/${ids[n]}`, { depends_on: { add: [String(id)] } })
    }
    const { status, html } = await new Browser().open(`/bug/${ids[1]}/graph`)
    expect(status).toBe(200)
    expect(html.match(/<rect/g)).toHaveLength(3)
  })
})
