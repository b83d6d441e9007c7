import { describe, expect, test } from 'vitest'
import { Browser } from '../../../support/browser.ts'
import { postBug, restrictBug } from '../../../support/builders/bugs.ts'
import { insertFlagType } from '../../../support/builders/flags.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { post } from '../../../support/client.ts'

const PASSWORD = 'a-long-password'

const open = uniqueName('open ')
const secret = uniqueName('secret ')

const anybody = new Browser()

const worker = await insertPerson({
  roles: ['editbugs'],
  realName: 'Ada <b>B</b>',
  password: PASSWORD,
})
const stranger = await insertPerson({ password: PASSWORD })
const place = await insertProduct({ assignee: worker })
const flag = (await insertFlagType({}, [{ productId: place.id }])).name
const group = await insertGroup()
const ask = { flags: [{ name: flag, status: '?', requestee: worker.login }] }
const id = await postBug(worker, place, { summary: open, ...ask })
await restrictBug(await postBug(worker, place, { summary: secret, ...ask }), group)
await post(worker, `/rest/bug_user_last_visit/${id}`, {})
await post(worker, '/rest/saved_search', { name: 'My <search>', query: 'priority=P1' })

const asStranger = () => ({ 'x-tracker-api-key': stranger.key })
const asWorker = () => ({ 'x-tracker-api-key': worker.key })

describe('the home page', () => {
  test('shows what waits for somebody, what they looked at and saved, in three round trips', async () => {
    const browser = await new Browser().signIn(worker)
    const { html, headers } = await browser.open('/')
    expect(html).toContain('What waits for you')
    expect(html.split(open).length - 1).toBeGreaterThanOrEqual(3)
    expect(html).toContain('My &lt;search&gt;')
    expect(html).toContain(`savedsearch=My%20%3Csearch%3E&amp;sharer_id=${worker.id}`)
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(Number(/(\d+) trips/.exec(headers.get('server-timing') ?? '')?.[1])).toBeLessThanOrEqual(
      3,
    )
  })

  test('shows nothing of others to a stranger, and products to the anonymous', async () => {
    const { html } = await anybody.open('/', asStranger())
    expect(html).not.toContain(open)
    expect(html).not.toContain('search&gt;')
    expect((await anybody.open('/')).html).toContain('href="/products/')
  })
})

describe('the page of a person', () => {
  test('shows what they do as far as the reader sees it', async () => {
    const { status, html } = await anybody.open(`/people/${worker.id}`, asStranger())
    expect(status).toBe(200)
    expect(html).toContain('Ada &lt;b&gt;B')
    expect(html).toContain(open)
    expect(html).not.toContain(secret)
    expect(html).toContain(`/bugs?cc=${encodeURIComponent(worker.login)}`)
    expect((await anybody.open(`/people/${worker.id}`, asWorker())).html).toContain(secret)
  })

  test('is for people who are signed in, and not there for a number that nobody has', async () => {
    const anonymous = await anybody.open(`/people/${worker.id}`)
    expect(anonymous.status).toBe(303)
    expect(anonymous.headers.get('location')).toBe(`/login?return=%2Fpeople%2F${worker.id}`)
    expect(anonymous.html).not.toContain('Ada')
    const nobody = await anybody.open('/people/99999999', asStranger())
    expect(nobody.status).toBe(404)
    expect(nobody.html).toContain('There is no such thing')
  })
})

describe('requests', () => {
  test('are those of the reader without a filter', async () => {
    const { html } = await anybody.open('/requests', asWorker())
    expect(html).toContain('Asked of you')
    expect(html).toContain(open)
    expect((await anybody.open('/requests', asStranger())).html).not.toContain(open)
  })

  test('are found by people, flag and place, without those of hidden bugs', async () => {
    const { html } = await anybody.open(`/requests?type=${flag}`)
    expect(html).toContain(open)
    expect(html).not.toContain(secret)
  })

  test('keep a filter that is refused, and are at the old address', async () => {
    const { status, html } = await anybody.open('/requests?setter=nobody')
    expect(status).toBe(401)
    expect(html).toContain('who does not exist')
    expect(html).toContain('name="setter" value="nobody"')
    const old = await anybody.open('/request.cgi?type=x')
    expect([old.status, old.headers.get('location')]).toEqual([301, '/requests?type=x'])
  })
})
