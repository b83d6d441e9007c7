import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { Browser } from '../../../support/browser.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { get } from '../../../support/client.ts'
import { openMailingSite } from '../../../support/clients/mailing-site.ts'
import { fetchWith } from '../../../support/clients/service.ts'
import { execute } from '../../../support/database/execute.ts'

const OLD = 'the old password'
const FRESH = 'a fresh password'

describe('a link that sets a password', () => {
  test('leads to a form that works once', async () => {
    const site = openMailingSite()
    const ann = await insertPerson({ password: OLD })
    await site.post('/rest/account/password_reset', { login: ann.login })
    const page = `/account/password?token=${site.tokenFor(ann.login)}`
    const token = site.tokenFor(ann.login)
    const browser = new Browser()
    const short = await browser.submit(page, '/account/password', { token, new_password: 'short' })
    expect(short.status).toBe(400)
    expect(short.html).toContain('role="alert"')
    expect(short.html).toContain(`name="token" value="${token}"`)
    const done = await browser.submit(page, '/account/password', { token, new_password: FRESH })
    expect(done.headers.get('location')).toBe('/login?set=1')
    await new Browser().signIn({ login: ann.login, password: FRESH })
    const again = await browser.submit(page, '/account/password', { token, new_password: OLD })
    expect(again.status).toBe(400)
    expect(again.html).toContain('href="/account/forgotten"')
  })

  test('is asked for by the sign-in, which says where no mail can be sent', async () => {
    const browser = new Browser()
    expect((await browser.open('/login')).html).toContain('href="/account/forgotten"')
    const answer = await browser.submit('/account/forgotten', '/account/forgotten', { login: 'x' })
    expect(answer.status).toBe(400)
    expect(answer.html).toContain('cannot send mails')
  })
})

describe('a password that has to change', () => {
  test('is changed on the way of signing in', async () => {
    const ann = await insertPerson({ password: OLD })
    await execute(sql`UPDATE users SET password_change_required = 1 WHERE id = ${ann.id}`)
    const browser = new Browser()
    const sent = { login: ann.login, password: OLD, return: '/' }
    const led = await browser.submit('/login', '/login', sent)
    const page = led.headers.get('location') ?? ''
    expect(page).toBe(`/account/password?login=${encodeURIComponent(ann.login)}`)
    const fields = { login: ann.login, password: OLD, new_password: FRESH }
    expect((await browser.submit(page, '/account/password', fields)).status).toBe(303)
    await new Browser().signIn({ login: ann.login, password: FRESH })
  })
})

describe('registration', () => {
  test('is closed until the setting opens it', async () => {
    const { html } = await new Browser().open('/account/new')
    expect(html).toContain('Only an administrator makes accounts here')
    expect((await new Browser().open('/login')).html).not.toContain('/account/new')
  })
})

describe('the profile', () => {
  test('changes the name, and the password for those who know the present one', async () => {
    const ann = await insertPerson({ password: OLD })
    const browser = await new Browser().signIn(ann)
    const elsewhere = await new Browser().signIn(ann)
    const submit = (fields: Record<string, string>) =>
      browser.submit('/account?tab=profile', '/account/profile', fields)
    await submit({ do: 'name', full_name: 'Ann <b>' })
    expect((await get(ann, '/rest/whoami')).body.real_name).toBe('Ann <b>')
    const wrong = await submit({ do: 'password', password: FRESH, current_password: 'wrong' })
    expect(wrong.status).toBe(401)
    expect(wrong.html).toContain('role="alert"')
    const right = await submit({ do: 'password', password: FRESH, current_password: OLD })
    expect(right.status).toBe(303)
    expect((await browser.open('/account')).status).toBe(200)
    expect((await elsewhere.open('/account')).status).toBe(303)
    expect((await get(ann, '/rest/whoami')).status).toBe(200)
  })
})

describe('where everybody has to sign in', () => {
  test.each(['/login', '/account/forgotten', '/account/password', '/account/email'])(
    'the page %s is shown all the same',
    async (path) => {
      expect((await fetchWith({ REQUIRE_LOGIN: 'on' }, path)).status).toBe(200)
    },
  )

  test.each(['/', '/bugs', '/products'])('the page %s leads to the sign-in', async (path) => {
    const answer = await fetchWith({ REQUIRE_LOGIN: 'on' }, path, { redirect: 'manual' })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toContain('/login?return=')
  })
})
