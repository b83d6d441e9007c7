import { describe, expect, test } from 'vitest'
import { Browser } from '../../support/browser.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { send } from '../../support/client.ts'

const TYPED = {
  summary: 'It broke <again>',
  description: 'What I did\n\nand saw',
  current_password: 'a long password',
  before: '{"summary": "as it was"}',
}

async function openForm() {
  const product = await insertProduct()
  const person = await insertPerson({ password: 'a-long-password' })
  const browser = await new Browser().signIn(person)
  const token = await browser.tokenOn(`/new?product=${product.name}&component=${product.component}`)
  return { person, browser, form: { form_token: token, product: product.name, ...TYPED } }
}

function expectTyped(html: string): void {
  expect(html).toMatch(/<textarea readonly[^>]*>It broke &lt;again&gt;<\/textarea>/)
  expect(html).toMatch(/<textarea readonly[^>]*>What I did\n\nand saw<\/textarea>/)
  for (const text of [TYPED.current_password, 'as it was']) {
    expect(html).not.toContain(text)
  }
  expect(html).toContain('<a href="/login?return=')
}

describe('a form whose session has ended meanwhile', () => {
  test('gives back what was typed to somebody who has signed out', async () => {
    const { browser, form } = await openForm()
    await browser.submit('/account?tab=sessions', '/logout', {})
    const { status, html } = await browser.post('/new', form)
    expect(status).toBe(403)
    expectTyped(html)
  })

  test('gives back what was typed where the session was ended', async () => {
    const { person, browser, form } = await openForm()
    const change = { current_password: 'a-long-password', password: 'another-long-password' }
    const changed = await send(person, 'PUT', `/rest/user/${person.login}`, change)
    expect(changed.status, changed.text).toBe(200)
    const { status, html } = await browser.post('/new', form)
    expect(status).toBe(400)
    expect(html).toContain('Your session has ended')
    expectTyped(html)
  })

  test('gives back what was typed beside a file, however long that is', async () => {
    const { browser, form } = await openForm()
    const file = new File([new Uint8Array(3 * 1024 * 1024)], 'screen.png')
    const gone = { cookie: '__Host-lacewing_session=1-ended-long-ago' }
    const { status, html } = await browser.post('/new', { ...form, file }, gone)
    expect(status).toBe(400)
    expectTyped(html)
  })

  test('gives nothing back that another site has sent', async () => {
    const { browser, form } = await openForm()
    const { status, html } = await browser.post('/new', form, { origin: 'https://evil.example' })
    expect(status).toBe(403)
    expect(html).not.toContain('It broke')
  })
})
