import { describe, expect, test } from 'vitest'
import { PAGES } from '../../../src/edges/pages/routes.ts'
import { Browser } from '../../support/browser.ts'
import { insertPerson } from '../../support/builders/people.ts'

/** Whoever lures a person to a page of theirs can make the browser send a form, with its cookies. */

const PASSWORD = 'a-long-password'
/** What the address of a mail alone says for whom it is. */
const OPEN = ['/unsubscribe']

const browser = await new Browser().signIn(
  await insertPerson({ password: PASSWORD, roles: ['admin'] }),
)

const paths = [...new Set(PAGES.filter(({ method }) => method === 'POST').map(({ path }) => path))]
const forms = paths.filter((path) => !OPEN.includes(path))

function addressOf(path: string): string {
  return path.replace(/:id(\{[^}]*\})?/, '1').replace(':name', 'priority')
}

describe('a form that this service did not make', () => {
  test('is one of all that pages send', () => {
    expect(forms.length).toBeGreaterThan(20)
    expect(OPEN.filter((path) => !paths.includes(path))).toEqual([])
  })

  test.each(forms)('is refused at %s without its token', async (path) => {
    expect((await browser.post(addressOf(path), { do: 'save' })).status).toBe(403)
    const other = await new Browser().tokenOn('/login')
    const answer = await browser.post(addressOf(path), { form_token: other, do: 'save' })
    expect(answer.status).toBe(403)
  })

  test.each(forms)('is refused at %s from another origin', async (path) => {
    const sent = { form_token: await browser.tokenOn('/account?tab=profile') }
    for (const origin of ['https://evil.example', 'null', 'http://tracker.test']) {
      expect((await browser.post(addressOf(path), sent, { origin })).status).toBe(403)
    }
  })
})
