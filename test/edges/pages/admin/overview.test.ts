import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { publicSettingNames } from '../../../../src/platform/settings/settings.ts'
import { Browser } from '../../../support/browser.ts'
import { insertBug } from '../../../support/builders/bugs.ts'
import { insertWork } from '../../../support/builders/later-work.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { NOW, uniqueName } from '../../../support/builders/unique.ts'
import { post } from '../../../support/client.ts'
import { loadRow } from '../../../support/database/execute.ts'

const PASSWORD = 'a-long-password'

const root = await insertPerson({ password: PASSWORD, roles: ['admin', 'editkeywords'] })
const browser = await new Browser().signIn(root)
const stranger = await new Browser().signIn(await insertPerson({ password: PASSWORD }))

describe('the administration', () => {
  test('offers what the roles of its reader let them do', async () => {
    expect((await browser.open('/admin')).html).toContain('href="/admin/audit"')
    const { status, html } = await stranger.open('/admin')
    expect(status).toBe(200)
    expect(html).not.toContain('href="/admin/')
  })

  test.each(['/admin', '/admin/undelivered', '/admin/audit', '/admin/settings'])(
    'leads an anonymous reader of %s to the sign-in',
    async (path) => {
      const { status, headers } = await new Browser().open(path)
      expect(status).toBe(303)
      expect(headers.get('location')).toContain('/login?return=')
    },
  )

  test.each(['/admin/undelivered', '/admin/audit', '/admin/settings'])(
    'refuses %s to others than administrators',
    async (path) => {
      const { status, html } = await stranger.open(path)
      expect(status).toBe(401)
      expect(html).not.toContain('<table')
    },
  )
})

describe('the settings', () => {
  test('are all shown with their meaning, but the secret ones', async () => {
    const { html } = await browser.open('/admin/settings')
    for (const name of publicSettingNames()) {
      expect(html).toContain(`<code>${name}</code>`)
    }
    expect(html).toContain('Minutes for which a wrong password counts.')
    expect(html).not.toContain('SMTP_URL')
    expect(html).not.toContain('SECRETS_KEY')
  })
})

describe('the audit log', () => {
  test('shows who changed what, and is filtered', async () => {
    const name = uniqueName('kw')
    const made = await post(root, '/rest/keyword', { name, description: '<b>bold</b>' })
    const own = `/admin/audit?object=Keyword&object_id=${made.body.id}&who=${root.login}`
    const { html } = await browser.open(own)
    expect(html).toContain(name)
    expect(html).toContain('&lt;b&gt;bold')
    const later = await browser.open(`${own}&after=2999-01-01`)
    expect(later.html).toContain('There is no such change.')
    expect(later.html).toContain('value="2999-01-01"')
  })

  test('leads to older changes while there are any', async () => {
    const product = await insertProduct()
    const names = Array.from({ length: 101 }, (_, index) => `v${index}`)
    await Promise.all(
      names.map((name) => post(root, `/rest/product/${product.id}/version`, { name })),
    )
    const { html } = await browser.open('/admin/audit?object=Version')
    const next = /href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(next).toBe('/admin/audit?object=Version&offset=100')
    expect((await browser.open(next)).html).toContain('Version')
  })

  test('refuses a filter that it does not understand', async () => {
    expect((await browser.open('/admin/audit?before=soon')).status).toBe(400)
  })
})

describe('what was not delivered', () => {
  test('is listed with its error, and sent again', async () => {
    const state = { attempts: 14, lastError: 'no <such> host', doneAt: NOW - 60 }
    const id = await insertWork('notice', await insertBug(), root, state)
    const { html } = await browser.open('/admin/undelivered')
    expect(html).toContain('no &lt;such&gt; host')
    const fields = { do: 'retry', id: `mail-${id}` }
    const sent = await browser.submit('/admin', '/admin/undelivered', fields)
    expect(sent.headers.get('location')).toBe('/admin/undelivered?done=1')
    expect(await loadRow('notices', sql`id = ${id}`)).toMatchObject({ attempts: 0 })
  })

  test('is refused to be sent again when it is unknown', async () => {
    const sent = await browser.submit('/admin/audit', '/admin/undelivered', {
      do: 'retry',
      id: 'x',
    })
    expect(sent.status).toBe(404)
    expect(sent.html).toContain('role="alert"')
  })
})
