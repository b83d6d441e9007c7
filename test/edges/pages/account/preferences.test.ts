import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { Browser } from '../../../support/browser.ts'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { NOW } from '../../../support/builders/unique.ts'
import { insertWebhook } from '../../../support/builders/webhooks.ts'
import { get } from '../../../support/client.ts'
import { execute } from '../../../support/database/execute.ts'

const product = await insertProduct()
const ada = await insertPerson({ password: 'a-long-password', realName: 'Ada Byron' })
const browser = await new Browser().signIn(ada)
// from here on the isolate knows whose session it is
await browser.open('/account')

function submit(tab: string, fields: Record<string, string | string[]>) {
  return browser.submit(`/account?tab=${tab}`, `/account/${tab}`, fields)
}

function alertOf(html: string): string {
  return /role="alert">([^<]*)</.exec(html)?.[1] ?? ''
}

const TABS = [
  'profile',
  'second-factor',
  'mail',
  'watching',
  'searches',
  'reminders',
  'keys',
  'webhooks',
  'sessions',
  'permissions',
]

describe('the preferences', () => {
  test.each(TABS)('have the tab %s, in one round trip', async (tab) => {
    const { status, html, headers } = await browser.open(`/account?tab=${tab}`)
    expect(status).toBe(200)
    expect(html).toContain('aria-current="page"')
    expect(headers.get('server-timing')).toMatch(/"1 trips/)
    expect(headers.get('cache-control')).toBe('private, no-cache')
  })

  test.each(TABS)('lead an anonymous reader of the tab %s to the sign-in', async (tab) => {
    const { status, headers } = await new Browser().open(`/account?tab=${tab}`)
    expect(status).toBe(303)
    expect(headers.get('location')).toBe(
      `/login?return=${encodeURIComponent(`/account?tab=${tab}`)}`,
    )
  })

  test('refuse a form that nothing shows', async () => {
    expect((await submit('keys', { do: 'constructor' })).status).toBe(400)
    const token = await browser.tokenOn('/account?tab=keys')
    const other = await browser.post('/account/nothing', { do: 'create', form_token: token })
    expect(other.status).toBe(400)
  })

  test.each([
    ['apikey', 'keys'],
    ['email', 'mail'],
    ['saved-searches', 'searches'],
    ['reminders', 'reminders'],
    ['constructor', 'profile'],
    ['account', 'profile'],
  ])('are found at the old address for %s', async (old, tab) => {
    const { headers } = await browser.open(`/userprefs.cgi?tab=${old}`)
    expect(headers.get('location')).toBe(`/account?tab=${tab}`)
  })

  test('are found by a name that a tab has in older trackers', async () => {
    const { headers } = await browser.open('/account?tab=apikey')
    expect(headers.get('location')).toBe('/account?tab=keys')
  })

  test('tell password managers whose password a form takes', async () => {
    const { html } = await browser.open('/account?tab=profile')
    const names = html.match(/<input hidden[^>]* autocomplete="username" value="[^"]*"/g)
    expect(names).toHaveLength(2)
    expect(names?.[0]).toContain(`"${ada.login}"`)
  })
})

describe('API keys', () => {
  test('are shown once, work as they were made, are replaced and revoked', async () => {
    const made = await submit('keys', { do: 'create', description: 'A <bot>', scopes: 'write' })
    const [, value = ''] = /value="(lw\w{38})"/.exec(made.html) ?? []
    expect((await get({ key: value }, '/rest/whoami')).body.name).toBe(ada.login)
    const list = (await browser.open('/account?tab=keys')).html
    expect(list).not.toContain(value)
    expect(list).toContain('A &lt;bot&gt;')
    const [, id = ''] = /A &lt;bot&gt;.*?name="id" value="(\d+)"/s.exec(list) ?? []
    const replaced = await submit('keys', { do: 'rotate', id })
    expect(replaced.html).toContain('The new API key')
    const { status } = await submit('keys', { do: 'revoke', id })
    expect(status).toBe(303)
    expect((await get({ key: value }, '/rest/whoami')).body.code).toBe(306)
  })

  test('keep what was typed where it is refused', async () => {
    const answer = await submit('keys', {
      do: 'create',
      description: 'Tool',
      expires: '2001-01-01',
      products: 'No such product',
    })
    expect(answer.status).toBe(400)
    expect(alertOf(answer.html)).toContain('expires')
    expect(answer.html).toContain('value="No such product"')
  })

  test('are not made, nor webhooks, by a form with a field that means nothing', async () => {
    const asked = { do: 'create', description: 'Misspelled', product: product.name }
    const key = await submit('keys', asked)
    expect(key.status).toBe(400)
    expect(alertOf(key.html)).toContain('product')
    expect((await browser.open('/account?tab=keys')).html).not.toContain('Misspelled')
    const url = 'https://hooks.example.org/misspelled'
    const hook = { do: 'create', name: 'Wrong', url, event: 'create', prodct: product.name }
    expect((await submit('webhooks', hook)).status).toBe(400)
    expect((await browser.open('/account?tab=webhooks')).html).not.toContain(url)
  })

  test('of others are neither shown nor revoked', async () => {
    const other = await insertPerson()
    const { body } = await get(other, '/rest/api_key')
    const answer = await submit('keys', { do: 'revoke', id: String(body.api_keys[0].id) })
    expect(answer.status).toBe(404)
    expect((await get(other, '/rest/whoami')).status).toBe(200)
  })
})

describe('mail', () => {
  test('is wanted where a box is ticked, and nowhere else', async () => {
    await submit('mail', { do: 'save', 'cc.comment': 'on', html_mail: 'on' })
    const { body } = await get(ada, `/rest/user/${ada.id}/preferences`)
    expect(body.email.cc.comment).toBe(true)
    expect(body.email.cc.resolution).toBe(false)
    expect([body.html_mail, body.asked_for_flag]).toEqual([true, false])
    const { html } = await browser.open('/account?tab=mail')
    expect(html).toMatch(/name="cc\.comment" checked/)
    expect(html).not.toMatch(/name="cc\.resolution" checked/)
  })
})

describe('watching', () => {
  test('takes people, places and ignored bugs, and lets go of them', async () => {
    const bug = await postBug(ada, product)
    const watched = await insertPerson()
    await submit('watching', { do: 'person', login: watched.login })
    await submit('watching', { do: 'place', product: product.name, component: '' })
    await submit('watching', { do: 'bug', bug: String(bug) })
    const { body } = await get(ada, `/rest/user/${ada.id}/preferences`)
    expect(body).toMatchObject({
      watching: [watched.login],
      watching_components: [{ product: product.name, component: null }],
      ignored_bugs: [bug],
    })
    await submit('watching', { do: 'person', login: watched.login, remove: '1' })
    const after = await get(ada, `/rest/user/${ada.id}/preferences`)
    expect(after.body.watching).toEqual([])
  })

  test('refuses what does not exist, in words', async () => {
    const answer = await submit('watching', { do: 'person', login: 'nobody@example.test' })
    expect(alertOf(answer.html)).toContain('nobody@example.test')
  })
})

describe('reminders', () => {
  test('are made for a bug that an address names, and removed', async () => {
    const bug = await postBug(ada, product)
    const form = await browser.open(`/account?tab=reminders&bug=${bug}`)
    expect(form.html).toContain(`name="bug_id" required="" value="${bug}"`)
    await submit('reminders', {
      do: 'create',
      bug_id: String(bug),
      reminder_ts: '2999-01-31',
      note: '<b>call</b>',
    })
    const { html } = await browser.open('/account?tab=reminders')
    expect(html).toContain('&lt;b&gt;call&lt;/b&gt;')
    const [, id = ''] = /id="r(\d+)"/.exec(html) ?? []
    await submit('reminders', { do: 'remove', id })
    expect((await get(ada, '/rest/reminder')).body.reminders).toEqual([])
  })
})

describe('webhooks', () => {
  test('are made with a secret that is shown once, tested, switched off and removed', async () => {
    const made = await submit('webhooks', {
      do: 'create',
      name: 'Chat',
      url: 'https://hooks.example.org/x',
      event: ['create', 'comment'],
      product: product.name,
      component: '',
    })
    expect(made.html).toContain('The secret of the webhook')
    const [, id = ''] = /id="w(\d+)"/.exec(made.html) ?? []
    expect((await submit('webhooks', { do: 'ping', id })).status).toBe(303)
    const opened = await browser.open(`/account?tab=webhooks&webhook=${id}`)
    expect(opened.html).toContain('<td>ping</td>')
    await submit('webhooks', { do: 'enable', id, enabled: '0' })
    expect((await browser.open('/account?tab=webhooks')).html).toContain('status done">off')
    await submit('webhooks', { do: 'remove', id })
    expect((await browser.open('/account?tab=webhooks')).html).not.toContain('hooks.example.org')
  })

  test('say what their messages wait for', async () => {
    const { id } = await insertWebhook(ada, { url: 'https://hooks.example.org/y' })
    await execute(sql`INSERT INTO webhook_deliveries (webhook_id, event, created_at, next_attempt_at)
      VALUES (${id}, 'change', ${NOW}, ${NOW})`)
    const showWith = async (isEnabled: number, heldAfterId: number | null) => {
      await execute(sql`UPDATE webhooks SET is_enabled = ${isEnabled}, held_after_id = ${heldAfterId}
        WHERE id = ${id}`)
      return (await browser.open(`/account?tab=webhooks&webhook=${id}`)).html
    }
    expect(await showWith(0, null)).toContain('queued, attempt 0, waits until it is switched on')
    expect(await showWith(1, 0)).toContain('queued, attempt 0, waits for older ones')
    expect(await showWith(1, null)).not.toContain(', waits')
    await execute(sql`DELETE FROM webhook_deliveries WHERE webhook_id = ${id}`)
  })

  test('keep what was typed where it is refused', async () => {
    const fields = { do: 'create', name: 'Local', url: 'https://127.0.0.1/', event: 'create' }
    const { status, html } = await submit('webhooks', fields)
    expect(status).toBe(400)
    expect(alertOf(html)).not.toBe('')
    expect(html).toContain('value="https://127.0.0.1/"')
  })
})

describe('sessions', () => {
  test('are listed with their browser and ended, but for the present one', async () => {
    const elsewhere = await new Browser().signIn(ada)
    const { html } = await browser.open('/account?tab=sessions')
    expect(html.match(/>this one</g)).toHaveLength(1)
    await submit('sessions', { do: 'others' })
    expect((await elsewhere.open('/account')).status).toBe(303)
    expect((await browser.open('/account')).status).toBe(200)
  })
})
