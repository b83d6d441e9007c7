import { describe, expect, test } from 'vitest'
import { Browser } from '../../support/browser.ts'
import { postAttachment } from '../../support/builders/attachments.ts'
import { postBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { ANYONE, expectFault, get } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'

const author = await insertPerson()
const id = await postAttachment(author, await postBug(author, await insertProduct()))

describe('the download of an attachment', () => {
  test.each([
    ['/attachment/<id>', () => `/attachment/${id}`],
    ['/attachment/<id>/', () => `/attachment/${id}/`],
    ['/attachment.cgi?id=<id>', () => `/attachment.cgi?id=${id}`],
  ])('answers the bytes at %s', async (_, path) => {
    const answer = await get(ANYONE, path())
    expect(answer).toMatchObject({ status: 200, text: 'hi' })
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
  })

  test('answers 404 without an ID in the path and 50 without one in the query', async () => {
    expect((await get(ANYONE, '/attachment')).status).toBe(404)
    expectFault(await get(ANYONE, '/attachment.cgi'), 400, 50, 'id')
    expectFault(await get(ANYONE, '/attachment.cgi?action=edit'), 400, 50, 'id')
    expectFault(await get(ANYONE, '/attachment.cgi?action=enter'), 400, 50, 'bugid')
  })

  test('refuses people by a page, programs by an error object', async () => {
    expectFault(await get(ANYONE, '/attachment/98765432'), 400, 32000, '98765432')
    const { status, html, headers } = await new Browser().open('/attachment/98765432')
    expect(status).toBe(400)
    expect(html).toContain('There is no attachment with the ID 98765432.')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('cache-control')).toBe('private, no-store')
  })

  test('asks people to sign in where nobody reads without an account', async () => {
    const demanding = { REQUIRE_LOGIN: 'on' }
    const accept = 'text/html,*/*'
    const path = `/attachment/${id}`
    const person = await fetchWith(demanding, path, { headers: { accept }, redirect: 'manual' })
    expect([person.status, person.headers.get('location')]).toEqual([
      303,
      `/login?return=${encodeURIComponent(path)}`,
    ])
    expect(await (await fetchWith(demanding, path)).json()).toMatchObject({ code: 410 })
  })

  test('sets its cache headers on no other page', async () => {
    const { headers } = await get(ANYONE, '/robots.txt')
    expect(headers.get('cache-control')).toBeNull()
  })
})
