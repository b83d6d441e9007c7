import { spawnSync } from 'node:child_process'
import { type Browser, chromium, type Page } from 'playwright-core'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Whether there is a browser to look at pages with; CI must have one. */
export const hasBrowser =
  spawnSync(CHROMIUM, ['--version']).status === 0 || process.env.CI === 'true'
if (!hasBrowser) {
  process.stderr.write('Chromium (Debian: chromium) is missing: the tests of pages are skipped.\n')
}

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
}

/** Opens somebody's window. `said` collects what their browser complains about. */
export async function openWindow(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
) {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const said: string[] = []
  page.on('console', (message) => {
    // a page that says why it cannot be shown has its status
    if (message.type() === 'error' && !/status of (401|404|412)/.test(message.text())) {
      said.push(`${page.url()}: ${message.text()}`)
    }
  })
  page.on('pageerror', (error) => said.push(`${page.url()}: ${error.message}`))
  return { context, page, said }
}

export async function signIn(page: Page, url: string, login: string, password: string) {
  await page.goto(`${url}/login`)
  await page.getByLabel('Login or e-mail address').fill(login)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${url}/`)
}
