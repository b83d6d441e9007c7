import { describe, expect, test } from 'vitest'
import { Browser } from '../../../support/browser.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { ANYONE, expectFault, get, send } from '../../../support/client.ts'

const person = await insertPerson({ password: 'a-long-password', realName: 'Ada Byron' })

describe('signing in', () => {
  test('leads back to where the person came from and names them on each page', async () => {
    const browser = new Browser()
    const answer = await browser.submit('/login?return=/bugs', '/login', {
      login: person.login,
      password: 'a-long-password',
      return: '/bugs',
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/bugs'])
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-lacewing_session=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    const home = await browser.open('/')
    expect(home.html).toContain('Ada Byron')
    expect(home.headers.get('cache-control')).toBe('private, no-cache')
  })

  test.each(['//evil.test', 'https://evil.test', '/\\evil.test', ''])(
    'leads to the home page for the foreign address %j',
    async (target) => {
      const answer = await new Browser().submit('/login', '/login', {
        login: person.login,
        password: 'a-long-password',
        return: target,
      })
      expect(answer.headers.get('location')).toBe('/')
    },
  )

  test('is refused alike for an unknown login and for a wrong password', async () => {
    const said = await Promise.all(
      [person.login, 'nobody@example.test'].map(async (login) => {
        const fields = { login, password: 'wrong', return: '/' }
        const answer = await new Browser().submit('/login', '/login', fields)
        expect(answer.status).toBe(401)
        expect(answer.headers.get('set-cookie')).toBeNull()
        return /role="alert">([^<]*)</.exec(answer.html)?.[1]
      }),
    )
    expect(said[0]).toContain('not valid')
    expect(said[1]).toBe(said[0])
  })

  test('is locked by wrong passwords as at the API, in both directions', async () => {
    const victim = await insertPerson({ password: 'a-long-password' })
    const tryPage = (password: string) =>
      new Browser().submit('/login', '/login', { login: victim.login, password, return: '/' })
    for (let wrong = 0; wrong < 4; wrong += 1) {
      expect((await tryPage('wrong')).status).toBe(401)
    }
    const path = `/rest/login?login=${victim.login}&password=`
    expectFault(await get(ANYONE, `${path}wrong`), 401, 301)
    expectFault(await get(ANYONE, `${path}a-long-password`), 401, 301)
    const { status, html, headers } = await tryPage('a-long-password')
    expect(status).toBe(401)
    expect(html).toContain('Too many wrong passwords')
    expect(headers.get('set-cookie')).toBeNull()
  })

  test('gives a cookie that is no credential of the API', async () => {
    const fields = { login: person.login, password: 'a-long-password', return: '/' }
    const answer = await new Browser().submit('/login', '/login', fields)
    const cookie = answer.headers.get('set-cookie')?.replace(/;.*/, '') ?? ''
    const whoami = await get(ANYONE, '/rest/whoami', { cookie })
    expectFault(whoami, 401, 410)
    const value = cookie.replace(/^[^=]*=/, '')
    expectFault(await get(ANYONE, `/rest/whoami?token=${value}`), 400, 307)
    expectFault(await send(ANYONE, 'POST', '/rest/bug', {}, { cookie }), 401, 410)
  })
})

describe('a form', () => {
  test('is refused from another site', async () => {
    const browser = await new Browser().signIn(person)
    const foreign = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
    const answer = await browser.submit('/', '/logout', {}, foreign)
    expect(answer.status).toBe(403)
    expect((await browser.open('/')).html).toContain('Ada Byron')
  })

  test('is refused without a token and with that of another session', async () => {
    const browser = await new Browser().signIn(person)
    const token = await (await new Browser().signIn(person)).tokenOn('/')
    expect((await browser.post('/logout', {})).status).toBe(403)
    const json = { 'content-type': 'application/json' }
    expect((await browser.post('/logout', {}, json)).status).toBe(403)
    for (const sent of ['', token]) {
      expect((await browser.post('/logout', { form_token: sent })).status).toBe(403)
    }
    expect((await browser.post('/logout', { form_token: await browser.tokenOn('/') })).status).toBe(
      303,
    )
  })
})

describe('signing out', () => {
  test('ends the session, so that its cookie names nobody', async () => {
    const browser = await new Browser().signIn(person)
    expect((await browser.submit('/', '/logout', {})).status).toBe(303)
    expect((await browser.open('/')).html).not.toContain('Ada Byron')
  })
})
