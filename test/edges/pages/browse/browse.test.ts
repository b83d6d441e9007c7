import { describe, expect, onTestFinished, test } from 'vitest'
import { Browser } from '../../../support/browser.ts'
import { postBug, restrictBug } from '../../../support/builders/bugs.ts'
import { insertFlagTypesOfComponents } from '../../../support/builders/flags.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertHiddenProduct, insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, get, post } from '../../../support/client.ts'

const anybody = new Browser()

const circle = await insertGroup()
const admin = await insertPerson({ roles: ['admin'] })
const member = await insertPerson({ groups: [circle] })
const place = await insertProduct({ assignee: admin })
const hiddenPlace = await insertHiddenProduct()
const keyword = uniqueName('keyword')
await post(admin, '/rest/keyword', { name: keyword, description: '<b>bold</b>' })
await postBug(admin, place, { keywords: [keyword] })
await restrictBug(await postBug(admin, place, { keywords: [keyword] }), circle)

describe('products', () => {
  test('are listed with those alone that the reader may search', async () => {
    const { status, html } = await anybody.open('/products')
    expect(status).toBe(200)
    expect(html).toContain(`/products/${place.name}`)
    expect(html).not.toContain(hiddenPlace.name)
    const asAdmin = await anybody.open('/products', { 'x-tracker-api-key': admin.key })
    expect(asAdmin.html).toContain(hiddenPlace.name)
  })

  test('have a page of components and figures about bugs that the reader sees, in one round trip', async () => {
    const { html, headers } = await anybody.open(`/products/${place.name}`)
    expect(html).toContain('1 open bugs')
    expect(html).toContain(place.component)
    expect(html).toContain(`/new?product=${place.name}&amp;component=${place.component}`)
    expect(html).toContain('<svg')
    expect(html).not.toContain('style="')
    expect(headers.get('server-timing')).toContain('1 trips')
    const { html: forMember } = await anybody.open(`/products/${place.name}`, {
      'x-tracker-api-key': member.key,
    })
    expect(forMember).toContain('2 open bugs')
  })

  test('have a page although their components are many and have many flag types', async () => {
    // hidden from the tests that read all products
    const large = await insertProduct({
      controls: [{ group: circle, entry: true, memberControl: 3, otherControl: 3 }],
    })
    const count = { components: 1100, types: 50 }
    onTestFinished(await insertFlagTypesOfComponents(large, count))
    const { status, html } = await anybody.open(`/products/${large.name}`, {
      'x-tracker-api-key': member.key,
    })

    expect(status).toBe(200)
    expect(html).toContain('101 more are not shown.')
  })

  test('that are hidden are answered as those that are missing', async () => {
    const [hidden, missing] = await Promise.all(
      [hiddenPlace.name, 'no-such-product'].map((name) => anybody.open(`/products/${name}`)),
    )
    expect([hidden?.status, missing?.status]).toEqual([404, 404])
    expect(hidden?.html.replaceAll(hiddenPlace.name, '')).toBe(
      missing?.html.replaceAll('no-such-product', ''),
    )
  })

  test('may have a number or a hostile text as their name', async () => {
    for (const name of ['90125', '<i>a/b & "c"?']) {
      const { body } = await post(admin, '/rest/product', {
        ...{ name, description: 'x', classification: 'Unclassified', default_version: '1' },
      })
      expect(body.id).toBeGreaterThan(0)
      const { status, html } = await anybody.open(`/products/${encodeURIComponent(name)}`)
      expect(status).toBe(200)
      expect(html).not.toContain('<i>a')
    }
  })

  test.each([
    ['/describecomponents.cgi?product=A%20B', '/products/A%20B'],
    ['/browse.cgi', '/products'],
    ['/describekeywords.cgi', '/keywords'],
  ])('are found at the old address %s', async (path, target) => {
    const { status, headers } = await anybody.open(path)
    expect([status, headers.get('location')]).toEqual([301, target])
  })
})

describe('keywords', () => {
  test('are told with their meaning and the number of bugs that the reader sees', async () => {
    const { html } = await anybody.open('/keywords')
    expect(html).toContain(`/bugs?keywords=${keyword}`)
    expect(html).toContain('&lt;b&gt;bold')
    const entry = html.slice(html.indexOf(keyword))
    expect(entry).toMatch(/^[^<]*"[^<]*<[^>]*> <span class="muted">1 bug</)
  })
})

describe('addresses for programs', () => {
  test.each([
    ['/config.cgi?product=x', '/rest/configuration?product=x'],
    ['/home', '/'],
    ['/index.cgi', '/'],
    ['/favicon.ico', /^\/assets\/icon-\w+\.svg$/],
  ])('%s leads on', async (path, target) => {
    const { status, headers } = await get(ANYONE, path)
    expect([301, 302]).toContain(status)
    expect(headers.get('location')).toMatch(target)
  })
})
