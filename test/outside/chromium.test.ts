import { spawnSync } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { HOSTILE_TEXTS } from '../support/tables/hostile-markdown.ts'
import { PATIENCE_MS } from '../support/time-limit.ts'
import { type RunningServer, startServer } from './running-server.ts'

/**
 * A real browser opens hostile content, which calls `pwned()` or requests an address at `evil.test` as soon
 * as it can run or load anything.
 */

const KEY = 'lwAdministratorKeyForThisTestRun00000000'
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'

const installed = spawnSync(CHROMIUM, ['--version']).status === 0
if (!installed) {
  process.stderr.write('Chromium (Debian: chromium) is missing: its test is skipped.\n')
}

const PAGE = '<!doctype html><title>x</title><body onload="pwned()"><script>pwned()</script></body>'
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="pwned()"><script>pwned()</script>
  <image href="http://evil.test/x"/></svg>`
const XHTML = `<html xmlns="http://www.w3.org/1999/xhtml"><script>pwned()</script></html>`
const STYLED = `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="http://evil.test/x"?>
  <x:script xmlns:x="http://www.w3.org/1999/xhtml">pwned()</x:script>`

/** Files and their content types. */
const FILES: [type: string, content: string][] = [
  ['text/html', PAGE],
  ['text/html; charset=utf-7', '+ADw-script+AD4-pwned()+ADw-/script+AD4-'],
  ['TEXT/HTML', PAGE],
  ['image/svg+xml', SVG],
  ['application/xhtml+xml', XHTML],
  ['text/xml', XHTML],
  ['application/xml', STYLED],
  ['application/rss+xml', XHTML],
  ['multipart/related', PAGE],
  ['multipart/x-mixed-replace', PAGE],
  ['message/rfc822', `Content-Type: text/html\n\n${PAGE}`],
  ['application/octet-stream', PAGE],
  ['text/plain', PAGE],
  ['text/csv', PAGE],
  ['image/png', PAGE],
  ['image/x-icon', SVG],
  ['video/mp4', PAGE],
  ['audio/x-unheard-of', PAGE],
  ['application/pdf', '%PDF-1.4 1 0 obj<</OpenAction<</S/JavaScript/JS(pwned())>>>>endobj'],
  ['text/javascript', 'pwned()'],
  ['text/css', 'body{background:url(http://evil.test/x)}'],
  ['text/x-github-pull-request', 'javascript:pwned()'],
]

/** Hostile file names, and what the saved file must not be called. */
const NAMES: [sent: string, unlike: RegExp][] = [
  ['../../.bashrc', /[/\\]/],
  ['a"; filename="b.html', /^b\.html$/],
  ['\u202elmth.exe', /\u202e/],
  ['x\r\nContent-Type: text/html\r\n\r\n<script>pwned()</script>.bin', /[\r\n<>]/],
]

describe.skipIf(!installed && process.env.CI !== 'true')('hostile content in Chromium', () => {
  let server: RunningServer
  let bug: number
  let browser: Browser
  let context: BrowserContext
  let page: Page
  /** Everything that ran or was requested. */
  let ran: string[]

  beforeAll(async () => {
    server = await startServer({ ADMIN_LOGIN: 'root@tracker.example', ADMIN_API_KEY: KEY })
    const place = { product: 'TestProduct', component: 'TestComponent', version: 'unspecified' }
    const filed = await send<{ id: number }>('/bug', {
      ...place,
      summary: 'Hostile',
      type: 'defect',
    })
    bug = filed.id
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  })

  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })

  beforeEach(async () => {
    ran = []
    context = await browser.newContext()
    await context.exposeFunction('pwned', () => ran.push('pwned'))
    await context.route(/evil\.test/, (route) => {
      ran.push(route.request().url())
      return route.abort()
    })
    context.on('dialog', (dialog) => {
      ran.push(dialog.type())
      return dialog.dismiss()
    })
    page = await context.newPage()
  })

  afterEach(() => context?.close())

  async function send<Answer>(path: string, body: object): Promise<Answer> {
    const answer = await fetch(`${server.url}/rest${path}`, {
      method: 'POST',
      headers: { 'x-tracker-api-key': KEY },
      body: JSON.stringify(body),
    })
    expect(answer.status, await answer.clone().text()).toBeLessThan(300)
    return answer.json() as Promise<Answer>
  }

  async function attach(type: string, content: string, name = 'x.bin'): Promise<number> {
    const { ids } = await send<{ ids: number[] }>(`/bug/${bug}/attachment`, {
      data: btoa(content),
      file_name: name,
      summary: name,
      content_type: type,
    })
    return ids[0] ?? 0
  }

  /** Opens an address and gives its scripts time to run; a download opens no page. */
  async function openPage(url: string): Promise<void> {
    await page.goto(url).catch((error: Error) => {
      expect(error.message).toMatch(/Download is starting|ERR_ABORTED/)
    })
    await waitForScripts()
  }

  async function waitForScripts(): Promise<void> {
    await new Promise((wake) => setTimeout(wake, 50))
  }

  test('runs without protection, so that these tests detect it', async () => {
    await page.setContent(PAGE)
    await page.setContent('<img src="http://evil.test/x">')
    await expect
      .poll(() => ran, { timeout: PATIENCE_MS })
      .toEqual(expect.arrayContaining(['pwned', 'http://evil.test/x']))
  })

  test.each(FILES)('does not run as an attachment of the type %s', async (type, content) => {
    const id = await attach(type, content)
    const address = `${server.url}/attachment/${id}`
    const others = ['text/html', 'image/svg+xml']
    for (const url of [address, ...others.map((other) => `${address}?content_type=${other}`)]) {
      await openPage(url)
    }
    expect(ran).toEqual([])
  })

  test('does not run as an attachment inside a foreign page', async () => {
    const ids = await Promise.all(
      (
        [
          ['text/html', PAGE],
          ['image/svg+xml', SVG],
          ['text/javascript', 'pwned()'],
        ] as const
      ).map(([type, content]) => attach(type, content)),
    )
    const parts = ids.flatMap((id) => {
      const address = `${server.url}/attachment/${id}`
      return [address, `${address}?content_type=text/html`].map(
        (url) => `<iframe src="${url}"></iframe><object data="${url}"></object><embed src="${url}">
          <img src="${url}"><script src="${url}"></script><link rel="stylesheet" href="${url}">`,
      )
    })
    const other = await serve(`<!doctype html><body>${parts.join('')}`)
    await openPage(other.url)
    expect(ran).toEqual([])
    other.server.close()
  })

  test.each(NAMES)(
    'is saved under a harmless name when the file is called %j',
    async (name, unlike) => {
      const id = await attach('application/octet-stream', 'x', name)
      const saving = page.waitForEvent('download')
      await openPage(`${server.url}/attachment/${id}`)
      expect((await saving).suggestedFilename()).not.toMatch(unlike)
      expect(ran).toEqual([])
    },
  )

  test('neither runs, loads nor links to scripts in rendered text', async () => {
    for (const text of HOSTILE_TEXTS) {
      const { html } = await send<{ html: string }>('/bug/comment/render', { text })
      await page.setContent(`<!doctype html><body>${html}</body>`)
      const protocols = await page.evaluate<string[]>(LOOK_AT_LINKS)
      expect(
        protocols.filter((protocol) => !HARMLESS.includes(protocol)),
        text,
      ).toEqual([])
      expect(ran, text).toEqual([])
    }
    await waitForScripts()
    expect(ran).toEqual([])
  })

  test.each(['light', 'dark'] as const)(
    'the documentation is read without scripts and loads nothing from elsewhere: %s',
    async (colorScheme) => {
      const reader = await browser.newContext({ javaScriptEnabled: false, colorScheme })
      const reading = await reader.newPage()
      const said: string[] = []
      const loaded: string[] = []
      reading.on('console', (message) => said.push(message.text()))
      reading.on('request', (request) => loaded.push(request.url()))

      await reading.goto(`${server.url}/docs`)
      await reading.getByRole('link', { name: '/rest/bug/{id_or_alias}/history' }).click()
      await reading.waitForURL(/\/docs\/history#/)
      const panel = reading.locator('details').first()
      await panel.locator('summary').click()
      await panel.getByRole('heading', { name: 'Errors' }).waitFor()
      await panel.getByRole('link', { name: '102' }).first().click()
      await reading.waitForURL(/\/docs\/errors#error-102$/)
      expect(await reading.getByRole('row', { name: /bugNotVisible/ }).isVisible()).toBe(true)

      await reader.close()
      expect(said).toEqual([])
      expect(new Set(loaded.map((url) => new URL(url).origin))).toEqual(new Set([server.url]))
    },
  )
})

/** Focuses and hovers over every link, and returns the protocol that the browser sees. */
const LOOK_AT_LINKS = `[...document.querySelectorAll('a')].map((link) => {
  link.focus()
  link.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
  return link.protocol
})`

/** The last two are those of links without an address. */
const HARMLESS = ['http:', 'https:', 'ftp:', 'mailto:', 'irc:', 'ircs:', 'news:', 'about:', ':']

/** Serves a page from a foreign origin. */
async function serve(html: string): Promise<{ server: Server; url: string }> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end(html)
  })
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { server, url: `http://localhost:${port}/` }
}
