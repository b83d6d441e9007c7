import { describe, expect, test } from 'vitest'
import { Browser, type PageAnswer } from '../../../support/browser.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { get, post, put } from '../../../support/client.ts'
import { codeOf } from '../../../support/clients/totp.ts'

const PASSWORD = 'a-long-password'
const TAB = '/account?tab=second-factor'
const FORM = '/account/second-factor'

const alertOf = ({ html }: PageAnswer) => /role="alert">([^<]*)</.exec(html)?.[1] ?? ''
const handedOnBy = ({ html }: PageAnswer) =>
  /name="handed_on" value="([^"]+)"/.exec(html)?.[1] ?? ''
const secretOn = ({ html }: PageAnswer) => /value="([A-Z2-7]{32})"/.exec(html)?.[1] ?? ''

async function enrol(): Promise<TestPerson & { secret: string }> {
  const person = await insertPerson({ password: PASSWORD })
  const { secret } = (await post(person, '/rest/account/totp', { current_password: PASSWORD })).body
  await put(person, '/rest/account/totp', { totp: codeOf(secret, -1) })
  return { ...person, secret }
}

describe('the tab of the second factor', () => {
  test('sets one up with a QR code, and shows it again when the code was wrong', async () => {
    const ada = await insertPerson({ password: PASSWORD })
    const browser = await new Browser().signIn(ada)
    const begun = await browser.submit(TAB, FORM, { do: 'begin', current_password: PASSWORD })
    const secret = secretOn(begun)
    expect(begun.html).toContain('aria-label="The QR code of the secret"')
    expect(begun.html).toMatch(/([0-9a-z]{4}-){3}[0-9a-z]{4}\n/)
    const confirm = { do: 'confirm', handed_on: handedOnBy(begun) }
    const wrong = await browser.submit(TAB, FORM, { ...confirm, totp: '000000' })
    expect(wrong.status).toBe(401)
    expect(alertOf(wrong)).toContain('not valid')
    expect(secretOn(wrong)).toBe(secret)
    const done = await browser.submit(TAB, FORM, { ...confirm, totp: codeOf(secret) })
    expect(done.headers.get('location')).toBe(`${TAB}&done=1`)
    expect((await browser.open(TAB)).html).toContain('10 recovery codes')
  })

  test('says that it is on to a first code that arrives twice, as by two clicks', async () => {
    const browser = await new Browser().signIn(await insertPerson({ password: PASSWORD }))
    const begun = await browser.submit(TAB, FORM, { do: 'begin', current_password: PASSWORD })
    const totp = codeOf(secretOn(begun))
    const confirm = { do: 'confirm', handed_on: handedOnBy(begun), totp }
    await browser.submit(TAB, FORM, confirm)
    const again = await browser.submit(TAB, FORM, confirm)
    expect([again.status, again.headers.get('location')]).toEqual([303, TAB])
  })

  test('removes it with the present password', async () => {
    const ada = await enrol()
    const browser = new Browser()
    const asked = await browser.submit('/login', '/login', { login: ada.login, password: PASSWORD })
    const handed_on = handedOnBy(asked)
    await browser.submit('/login', '/login', { handed_on, totp: codeOf(ada.secret) })
    const wrong = await browser.submit(TAB, FORM, { do: 'remove', current_password: 'wrong' })
    expect(alertOf(wrong)).toContain('not valid')
    await browser.submit(TAB, FORM, { do: 'remove', current_password: PASSWORD })
    expect((await get(ada, '/rest/account/totp')).body.enabled).toBe(false)
  })
})

describe('signing in with a second factor', () => {
  test('asks for the code on a second step, which hands the password on unreadable', async () => {
    const ada = await enrol()
    const browser = new Browser()
    const fields = { login: ada.login, password: PASSWORD, return: '/bugs' }
    const asked = await browser.submit('/login', '/login', fields)
    expect([asked.status, alertOf(asked)]).toEqual([200, ''])
    expect(asked.headers.get('set-cookie')).toBeNull()
    expect(asked.html).not.toContain(PASSWORD)
    const step = { handed_on: handedOnBy(asked), return: '/bugs' }
    const wrong = await browser.submit('/login', '/login', { ...step, totp: '000000' })
    expect([wrong.status, alertOf(wrong)]).toEqual([401, expect.stringContaining('not valid')])
    const totp = codeOf(ada.secret)
    const right = await browser.submit('/login', '/login', { ...step, totp })
    expect([right.status, right.headers.get('location')]).toEqual([303, '/bugs'])
    const again = await new Browser().submit('/login', '/login', { ...step, totp })
    expect(again.status).toBe(401)
  })

  test('begins anew where the form is forged or of another tracker', async () => {
    const step = { handed_on: 'v1.00000000.AAAA.AAAA', totp: '123456' }
    const answer = await new Browser().submit('/login', '/login', step)
    expect(alertOf(answer)).toContain('too long')
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  test('does not ask for a code before the password is right', async () => {
    const ada = await enrol()
    const fields = { login: ada.login, password: 'wrong', totp: codeOf(ada.secret) }
    const answer = await new Browser().submit('/login', '/login', fields)
    expect([answer.status, handedOnBy(answer)]).toEqual([401, ''])
  })
})

describe('the administration of users', () => {
  test('removes the second factor of somebody whose device is lost', async () => {
    const ada = await enrol()
    const editor = await insertPerson({ roles: ['admin'], password: PASSWORD })
    const page = `/admin/users?open=user.${ada.id}`
    const browser = await new Browser().signIn({ login: editor.login, password: PASSWORD })
    const answer = await browser.submit(page, page, { do: 'user.unprotect' })
    expect(answer.status).toBe(303)
    await new Browser().signIn({ login: ada.login, password: PASSWORD })
  })
})
