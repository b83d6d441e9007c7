import type { Browser, Page } from 'playwright-core'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MailServer, startMailServer } from './mail-server.ts'
import { waitForMails } from './mailing-tracker.ts'
import { hasBrowser, launchBrowser, openWindow, signIn } from './page-reader.ts'
import { type RunningServer, startServer } from './running-server.ts'

/** From an empty tracker to a team at work, by pages and mails alone. */

const LOGIN = 'root@tracker.example'
const PASSWORD = 'correct-horse-1'

/** What a form is filled with: texts, choices, and boxes that are ticked. */
type Fields = Readonly<Record<string, string | boolean>>

describe.skipIf(!hasBrowser)('an administrator', () => {
  let server: RunningServer
  let browser: Browser
  let mails: MailServer

  beforeAll(async () => {
    mails = await startMailServer()
    server = await startServer({
      ADMIN_LOGIN: LOGIN,
      ADMIN_PASSWORD: PASSWORD,
      MAIL_FROM: 'Tracker <tracker@tracker.example>',
      BASE_URL: 'https://tracker.example',
      SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    })
    browser = await launchBrowser()
  })

  afterAll(async () => {
    await browser?.close()
    await server?.stop()
    await mails?.stop()
  })

  /** Fills in the form of a button, and sends it. */
  async function send(page: Page, button: string, fields: Fields): Promise<void> {
    const form = page.locator(`form:has(button[value="${button}"])`).last()
    for (const [name, value] of Object.entries(fields)) {
      const control = form.locator(`[name="${name}"]`).first()
      if (typeof value === 'boolean') {
        await control.setChecked(value)
      } else if ((await form.locator(`select[name="${name}"]`).count()) > 0) {
        await control.selectOption(value)
      } else {
        await control.fill(value)
      }
    }
    await form.locator(`button[value="${button}"]`).click()
    await page.getByText('Saved.').waitFor()
  }

  /** The address of the link in the newest mail, at this server. */
  async function readLink(count: number): Promise<string> {
    await waitForMails(mails, count)
    const { text = '' } = await PostalMime.parse(mails.received[count - 1]?.raw ?? '')
    const [link = ''] = /https:\/\/tracker\.example\/\S+/.exec(text) ?? []
    return link.replace('https://tracker.example', server.url)
  }

  test.each([true, false])(
    'sets up a team at work, with scripts: %s',
    async (javaScriptEnabled) => {
      const { context, page, said } = await openWindow(browser, { javaScriptEnabled })
      page.setDefaultTimeout(8000)
      const at = (path: string) => page.goto(`${server.url}${path}`)
      const name = javaScriptEnabled ? 'Kettle' : 'Teapot'
      const fieldName = `cf_${name.toLowerCase()}`
      const mailed = mails.received.length
      await signIn(page, server.url, LOGIN, PASSWORD)

      await at('/admin/groups?open=group.new')
      await send(page, 'group.create', { name: `${name} team`, description: 'Who makes it' })
      await at('/admin/users?open=user.new')
      const login = `${name.toLowerCase()}@tracker.example`
      await send(page, 'user.create', { email: login, full_name: `${name} Maker` })
      await page.getByLabel('editbugs').check()
      await page.getByLabel(`${name} team`).check()
      await page.locator('button[value="membership.save"]').click()
      await page.getByText('Saved.').waitFor()

      await at('/admin/products')
      await send(page, 'product.create', {
        name,
        description: 'Boils water',
        default_version: '1.0',
      })
      await at(`/admin/products/${name}?open=component.new`)
      const component = { default_assignee: login, team_name: 'Makers', description: 'Opens' }
      await send(page, 'component.create', { name: 'Lid', ...component })
      await at(`/admin/products/${name}?open=milestone.new`)
      await send(page, 'milestone.create', { name: 'Spring' })
      await at(`/admin/products/${name}?open=control.new`)
      const control = { membercontrol: 'MANDATORY', othercontrol: 'MANDATORY', entry: true }
      await send(page, 'control.create', { group: `${name} team`, ...control })

      await at('/admin/keywords?open=keyword.new')
      await send(page, 'keyword.create', { name: `hot-${name}`, description: 'Burns' })
      await at('/admin/fields')
      const field = { name: fieldName, type: '2 one choice', display_name: `${name} size` }
      const shown = { visibility_field: 'product', visibility_values: name }
      await send(page, 'field.create', { ...field, ...shown, is_on_bug_entry: true })
      await at(`/admin/fields/${fieldName}?open=value.new`)
      await send(page, 'value.create', { name: 'big' })
      await at('/admin/flag-types?open=type.new')
      const flag = { name: `${name}-check`, description: 'Look', inclusions: `${name}:Lid` }
      await send(page, 'type.create', flag)
      await at('/admin/workflow?open=status.new')
      await send(page, 'status.create', { name: `ON_${name.toUpperCase()}`, is_open: true })
      await page.getByLabel(`From CONFIRMED to ON_${name.toUpperCase()}`, { exact: true }).check()
      await page.getByLabel(`From CONFIRMED to ON_${name.toUpperCase()} with a comment`).check()
      await page.getByRole('button', { name: 'Save the moves from CONFIRMED' }).click()
      await page.getByText('Saved.').waitFor()
      await at('/admin/audit?object=Product')
      await page.getByRole('cell', { name, exact: true }).first().waitFor()

      const member = await openWindow(browser, { javaScriptEnabled })
      member.page.setDefaultTimeout(8000)
      await member.page.goto(await readLink(mailed + 1))
      await member.page.getByLabel('New password').fill('a password of mine')
      await member.page.getByRole('button', { name: 'Set the password' }).click()
      await member.page.getByText('Sign in with it').waitFor()
      await signIn(member.page, server.url, login, 'a password of mine')
      await member.page.goto(`${server.url}/new?product=${name}&component=Lid`)
      await member.page.locator('input[name=summary]').fill(`The lid of the ${name} sticks`)
      await member.page.locator('textarea[name=description]').fill('Since Monday.')
      await member.page.getByText('People, dependencies, groups and more').click()
      await member.page.locator(`[name="${fieldName}"]`).selectOption('big')
      await member.page.locator('[name=keywords]').fill(`hot-${name}`)
      await member.page.getByRole('button', { name: 'File the bug' }).click()
      await member.page.waitForURL(/\/bug\/\d+$/)
      const bug = member.page.url()
      await member.page.goto(`${bug}?edit=1`)
      await member.page.locator('select[name=status]').selectOption(`ON_${name.toUpperCase()}`)
      await member.page.getByRole('button', { name: 'Save changes' }).click()
      await member.page.getByRole('alert').first().waitFor()
      await member.page.locator('textarea[name=comment]').fill('Because it is urgent.')
      await member.page.getByRole('button', { name: 'Save changes' }).click()
      await member.page.getByText('Because it is urgent.').first().waitFor()
      expect(await member.page.locator('main').innerText()).toContain(`ON_${name.toUpperCase()}`)

      const stranger = await openWindow(browser, { javaScriptEnabled })
      const answer = await stranger.page.goto(bug)
      expect(answer?.status()).toBeGreaterThanOrEqual(401)
      expect(await stranger.page.content()).not.toContain('sticks')
      expect([...said, ...stranger.said]).toEqual([])
      await Promise.all([context, member.context, stranger.context].map((one) => one.close()))
    },
  )
})
