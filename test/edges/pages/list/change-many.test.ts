import { beforeEach, describe, expect, test } from 'vitest'
import { Browser } from '../../../support/browser.ts'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestProduct } from '../../../support/builders/types.ts'
import { get, post } from '../../../support/client.ts'

const PASSWORD = 'a-long-password'

let place: TestProduct
let ids: number[]
let list: string

const editor = await insertPerson({ roles: ['editbugs', 'canconfirm'], password: PASSWORD })
const reporter = await insertPerson({ password: PASSWORD })
const browser = await new Browser().signIn(editor)

beforeEach(async () => {
  place = await insertProduct({ assignee: editor })
  ids = [await postBug(editor, place), await postBug(editor, place)]
  list = `/bugs?product=${place.name}`
})

const bugsNow = async () =>
  (await get(editor, `/rest/bug?product=${place.name}&order=bug_id`)).body.bugs

describe('changing several bugs at once', () => {
  test('offers what the reader may change, and to nobody else', async () => {
    const { html } = await browser.open(`${list}&tweak=1`)
    expect(html).toContain(`name="id" value="${ids[0]}"`)
    expect(html).toContain('name="priority"')
    expect(html).toContain('<option value="IN_PROGRESS"')
    const anonymous = await new Browser().open(`${list}&tweak=1`)
    expect(anonymous.html).not.toContain('name="id"')
    expect((await browser.open(list)).html).toContain('Change several at once')
  })

  test('changes all that are ticked with one update, and says how many', async () => {
    const answer = await browser.submit(`${list}&tweak=1`, `${list}&tweak=1`, {
      id: ids.map(String),
      ...{ bug_status: '', priority: 'P1', 'keywords.add': '', whiteboard: 'looked at' },
      ...{ 'cc.add': reporter.login, comment: 'All <b>alike</b>' },
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${list}&changed=2`])
    expect((await browser.open(`${list}&changed=2`)).html).toContain('2 bugs were changed.')
    for (const bug of await bugsNow()) {
      expect(bug).toMatchObject({ priority: 'P1', whiteboard: 'looked at', cc: [reporter.login] })
    }
    const { body } = await get(editor, `/rest/bug/${ids[1]}/comment`)
    expect(body.bugs[ids[1] ?? 0].comments.at(-1).text).toBe('All <b>alike</b>')
  })

  test('is told of once, and not by the pages that the list leads to', async () => {
    const { html } = await browser.open(`${list}&changed=2`)
    expect(html.match(/href="[^"]*changed=[^"]*"/g)).toBeNull()
  })

  test('says why it was refused ahead of the list, however long that is', async () => {
    const fields = { priority: 'P1' }
    const { html } = await browser.submit(`${list}&tweak=1`, `${list}&tweak=1`, fields)
    const reason = html.indexOf('Tick the bugs that are to change.')
    expect(reason).toBeGreaterThan(0)
    expect(reason).toBeLessThan(html.indexOf('<table'))
  })

  test('changes nothing when one of the bugs refuses, and keeps what was typed', async () => {
    const before = await bugsNow()
    const answer = await browser.submit(`${list}&tweak=1`, `${list}&tweak=1`, {
      id: ids.map(String),
      ...{ priority: 'P1', whiteboard: 'kept <text>', assigned_to: 'nobody-here' },
    })
    expect(answer.status).toBe(401)
    expect(/role="alert">([^<]*)/.exec(answer.html)?.[1]).toContain('nobody-here')
    expect(answer.html).toContain('value="kept &lt;text&gt;"')
    expect(answer.html).toContain('<option value="P1" selected="">')
    expect(answer.html).toContain(`name="id" value="${ids[1]}" checked=""`)
    expect(await bugsNow()).toEqual(before)
  })

  test('asks for a bug when none is ticked', async () => {
    const answer = await browser.submit(`${list}&tweak=1`, `${list}&tweak=1`, { priority: 'P1' })
    expect(answer.status).toBe(400)
    expect(answer.html).toContain('Tick the bugs that are to change.')
  })

  test('is refused without the token of the form', async () => {
    const answer = await browser.post(list, {
      id: ids.map(String),
      priority: 'P1',
      form_token: 'x',
    })
    expect(answer.status).toBe(403)
  })
})

describe('a search', () => {
  test('is saved from its list, run by its name, replaced and forgotten', async () => {
    const fields = {
      name: 'Mine & <more>',
      query: `product=${place.name}&order=bug_id`,
      shared_with: '',
    }
    const saved = await browser.submit(list, '/saved', fields)
    expect(saved.status).toBe(303)
    const run = saved.headers.get('location') ?? ''
    const { html } = await browser.open(run)
    expect(html).toContain('<h1>Mine &amp; &lt;more&gt;</h1>')
    expect(html).toContain(`href="/bug/${ids[0]}"`)
    await browser.submit(list, '/saved', { ...fields, query: 'priority=no-such-priority' })
    expect((await browser.open(run)).html).toContain('No bugs')
    const forgotten = await browser.submit(run, '/saved', { name: fields.name, forget: '1' })
    expect(forgotten.status).toBe(303)
    expect((await get(editor, '/rest/saved_search')).body.saved_searches).toEqual([])
  })

  test('that is refused is not saved, and what was typed is kept', async () => {
    const answer = await browser.submit(list, '/saved', {
      ...{ name: 'kept name', query: 'product=x', shared_with: 'no-such-group' },
    })
    expect(answer.status).toBe(400)
    expect(answer.html).toContain('no-such-group')
    expect(answer.html).toContain('value="kept name"')
    expect((await get(editor, '/rest/saved_search')).body.saved_searches).toEqual([])
  })

  test('of somebody else can be run where it is shared, but not forgotten', async () => {
    const { body } = await post(reporter, '/rest/saved_search', {
      name: 'Theirs',
      query: 'priority=P1',
    })
    expect(body.id).toBeGreaterThan(0)
    const answer = await browser.submit(list, '/saved', { name: 'Theirs', forget: '1' })
    expect(answer.status).toBe(404)
    expect((await get(reporter, '/rest/saved_search')).body.saved_searches).toHaveLength(1)
  })
})
