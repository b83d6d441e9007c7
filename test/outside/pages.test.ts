import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parse } from 'parse5'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  ADDRESSES,
  DOCUMENTATION,
  FOR_SCRIPTS,
  NOWHERE,
  OLD_ADDRESSES,
  READ_PATHS,
} from './page-addresses.ts'
import { hasBrowser, launchBrowser, openWindow, signIn } from './page-reader.ts'
import { type RunningServer, startServer } from './running-server.ts'

/** Pages in a real browser: what everybody can read, operate and understand, and the way of a newcomer. */

const KEY = 'lwAdministratorKeyForThisTestRun00000000'
const LOGIN = 'root@tracker.example'
const PASSWORD = 'correct-horse-1'
const HOSTILE = `<script>document.title='pwned'</script>" onload="document.title='pwned'`
/** The same where texts are short. */
const NAME = `<img src=x onerror="document.title='pwned'">`

/** Sums up how far the parts of a page move after they are shown, as browsers measure it. */
const COUNT_SHIFTS = `window.shifted = 0
new PerformanceObserver((list) => {
  for (const { hadRecentInput, value } of list.getEntries()) window.shifted += hadRecentInput ? 0 : value
}).observe({ type: 'layout-shift', buffered: true })`
/** Shows a page as a slow connection does, a frame for each piece. */
const writeInPieces = (pieces: readonly string[]) => `(async () => {
  window.shifted = 0
  document.open()
  for (const piece of ${JSON.stringify(pieces)}) {
    document.write(piece)
    await new Promise(requestAnimationFrame)
    await new Promise(setTimeout)
  }
  document.close()
})()`
/** Minified, because each page compiles it: as a whole it is more than twice as long. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const FIND_VIOLATIONS = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, nodes: [node] }) => [id, node.html, node.failureSummary].join('\\n')))`
/** Less than anybody notices. */
const MAX_SHIFT = 0.02

test('every page of the routes is among those that a browser looks at', () => {
  const looked = [...Object.keys(ADDRESSES), ...Object.keys(OLD_ADDRESSES), ...FOR_SCRIPTS]
  expect(READ_PATHS.filter((path) => !looked.includes(path))).toEqual([])
})

describe.skipIf(!hasBrowser)('pages in Chromium', () => {
  let server: RunningServer
  let browser: Browser

  beforeAll(async () => {
    server = await startServer({
      ADMIN_LOGIN: LOGIN,
      ADMIN_PASSWORD: PASSWORD,
      ADMIN_API_KEY: KEY,
    })
    const place = { product: 'TestProduct', component: 'TestComponent', version: 'unspecified' }
    await send('/bug', { ...place, summary: 'It broke', description: 'When I *press* it' })
    await send('/bug', { ...place, summary: HOSTILE, depends_on: [1], whiteboard: HOSTILE })
    await send('/bug/1/comment', { comment: `${HOSTILE}\n\n\`\`\`\ncode\n\`\`\`` })
    const file = { file_name: HOSTILE, summary: HOSTILE }
    const patch = '--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-old\n+new\n'
    await send('/bug/1/attachment', { ...file, data: btoa(patch), is_patch: true })
    await send('/bug/1/attachment', { ...file, data: btoa('text'), content_type: 'text/plain' })
    await nameEverything(place.product)
    browser = await launchBrowser()
  })

  /** A hostile name for every kind of thing that has one, all of which some page shows. */
  async function nameEverything(product: string): Promise<void> {
    const described = { name: NAME, description: HOSTILE }
    await send('/user/1', { full_name: NAME }, 'PUT')
    await send('/classification', described)
    await send('/product', { ...described, classification: NAME })
    await send('/component', { ...described, product, default_assignee: LOGIN, team_name: NAME })
    await send(`/product/${product}/version`, { name: NAME })
    await send(`/product/${product}/milestone`, { name: NAME.slice(0, 20) })
    await send('/keyword', { name: NAME.replaceAll(' ', '/'), description: HOSTILE })
    await send('/group', described)
    const flag = { name: NAME.replaceAll(' ', '/'), description: HOSTILE }
    for (const type of ['bug', 'attachment']) {
      await send('/flag_type', { ...flag, target_type: type, inclusions: [product] })
    }
    await send('/field/bug/priority/values', described)
    await send('/field/bug', {
      name: 'cf_hostile',
      display_name: NAME,
      type: 2,
      is_on_bug_entry: true,
    })
    await send('/field/bug/cf_hostile/values', described)
    await send(
      '/bug/1',
      { alias: 'hostile', priority: NAME, cf_hostile: NAME, url: HOSTILE },
      'PUT',
    )
    await send('/saved_search', { name: NAME, query: 'product=TestProduct' })
    await send('/webhooks', { name: NAME, url: 'https://hooks.example/a', event: ['change'] })
    await send('/api_key', { description: HOSTILE })
    const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10)
    await send('/reminder', { bug_id: 1, note: HOSTILE, reminder_ts: day })
  }

  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function send(path: string, body: object, method = 'POST'): Promise<void> {
    const answer = await fetch(`${server.url}/rest${path}`, {
      method,
      headers: { 'x-tracker-api-key': KEY },
      body: JSON.stringify(body),
    })
    expect(answer.status, `${path}: ${await answer.text()}`).toBeLessThan(300)
  }

  const VIEWS = [
    { colorScheme: 'light', viewport: { width: 1600, height: 900 } },
    { colorScheme: 'dark', viewport: { width: 320, height: 700 } },
  ] as const

  describe.each(VIEWS)('in $colorScheme at $viewport.width pixels', (view) => {
    let context: BrowserContext
    let page: Page
    let said: string[]

    beforeAll(async () => {
      const opened = await openWindow(browser, view)
      context = opened.context
      page = opened.page
      said = opened.said
      await signIn(page, server.url, LOGIN, PASSWORD)
      await context.addInitScript(COUNT_SHIFTS)
      await context.addInitScript(AXE)
    })
    afterAll(() => context?.close())

    test.each([...Object.values(ADDRESSES).flat(), ...DOCUMENTATION])(
      '%s is accessible, valid, steady and no wider than the screen',
      async (path) => {
        const answer = await page.goto(`${server.url}${path}`)
        expect(answer?.status()).toBe(NOWHERE.includes(path) ? 404 : 200)
        expect(await page.evaluate<string[]>(FIND_VIOLATIONS)).toEqual([])
        const html = (await answer?.text()) ?? ''
        const wrong: string[] = []
        parse(html, {
          onParseError: ({ code, startLine, startCol }) =>
            wrong.push(`${code} ${startLine}:${startCol}`),
        })
        expect(wrong).toEqual([])
        const width = await page.evaluate<number>('document.documentElement.scrollWidth')
        expect(width).toBeLessThanOrEqual(view.viewport.width)
        expect(await page.title()).not.toBe('pwned')
        expect(await page.evaluate<number>('shifted')).toBeLessThan(MAX_SHIFT)
      },
    )

    test.each(['/products', '/admin/groups'])(
      'nothing of %s moves while it arrives in pieces',
      async (path) => {
        const answer = await page.goto(`${server.url}${path}`)
        const html = (await answer?.text()) ?? ''
        await page.evaluate(writeInPieces(html.split(/(?=<\/(?:a|tr)>)/)))
        for (const part of await page.locator('.banner, table, footer').all()) {
          expect(await part.isVisible()).toBe(true)
        }
        expect(await page.evaluate<number>('shifted')).toBeLessThan(MAX_SHIFT)
      },
    )

    test.each(Object.values(OLD_ADDRESSES))('%s leads to %s', async (from, to) => {
      const answer = await page.goto(`${server.url}${from}`)
      expect([answer?.status(), page.url()]).toEqual([200, `${server.url}${to}`])
    })

    test('nothing is refused by the policy of a page, and no script fails', () => {
      expect(said).toEqual([])
    })
  })

  describe.each([true, false])('with scripts: %s', (javaScriptEnabled) => {
    test('a newcomer files, comments, attaches, asks for review, collides, watches, makes a key and leaves', async () => {
      const { context, page, said } = await openWindow(browser, { javaScriptEnabled })
      await signIn(page, server.url, LOGIN, PASSWORD)
      await page.getByRole('link', { name: 'New bug' }).click()
      await page.getByRole('link', { name: 'TestComponent' }).click()
      const name = javaScriptEnabled ? 'Kettle whistles' : 'Teapot hums'
      await page.locator('input[name=summary]').fill(name)
      await page.locator('textarea[name=description]').fill('Loudly, when it is **hot**.')
      await page.getByRole('button', { name: 'File the bug' }).click()
      await page.waitForURL(/\/bug\/\d+$/)
      expect(await page.locator('article strong', { hasText: 'hot' }).count()).toBe(1)
      const bug = page.url()

      await page.locator('textarea[name=comment]').fill('Me too.')
      await page.locator('form.change button[type=submit]').last().click()
      await page.getByText('Me too.').first().waitFor()

      await page.goto(`${bug}/attach`)
      await page.locator('input[type=file]').setInputFiles({
        name: 'sound.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('peep'),
      })
      await page.getByRole('button', { name: 'Attach' }).click()
      await page.getByRole('link', { name: 'sound.txt' }).first().waitFor()

      await page.goto(`${bug}/attach`)
      await page.locator('input[type=file]').setInputFiles({
        name: 'quiet.patch',
        mimeType: 'text/x-patch',
        buffer: Buffer.from('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-loud\n+quiet\n'),
      })
      await page.getByLabel('It is a patch').check()
      await page.getByRole('button', { name: 'Attach' }).click()
      const patch = page.getByRole('link', { name: 'quiet.patch' }).first()
      const id = /\d+/.exec((await patch.getAttribute('href')) ?? '')?.[0]
      const details = `${server.url}/attachment/${id}/details`
      const review = async (status: string) => {
        await page.goto(details)
        await page.getByText('Change, flag or comment').click()
        await page.getByLabel('Flag review').first().selectOption(status)
        await page.getByLabel('Who is asked for review').first().fill(LOGIN)
        await page.getByRole('button', { name: 'Save' }).first().click()
        await page.waitForURL(/\/bug\/\d+#attachments$/)
      }
      await review('?')
      await page.goto(`${server.url}/requests`)
      await page.getByRole('link', { name }).first().waitFor()
      await review('+')
      await page.getByText('review+').first().waitFor()

      const other = await openWindow(browser, { javaScriptEnabled })
      await signIn(other.page, server.url, LOGIN, PASSWORD)
      for (const [window, whiteboard] of [
        [other.page, 'theirs'],
        [page, 'mine'],
      ] as const) {
        await window.goto(`${bug}?edit=1`)
        await window.locator('input[name=whiteboard]').fill(whiteboard)
      }
      await other.page.getByRole('button', { name: 'Save changes' }).click()
      await other.page.getByText('theirs').first().waitFor()
      await page.getByRole('button', { name: 'Save changes' }).click()
      await page.getByRole('alert').first().waitFor()
      expect(await page.locator('input[name=whiteboard]').inputValue()).toBe('mine')
      await other.context.close()

      await page.goto(`${server.url}/account?tab=watching`)
      await page.getByLabel('Number of the bug').fill(bug.replace(/.*\//, ''))
      await page.locator('form:has(input[name=bug]) button').first().click()
      await page.getByText('Saved.').waitFor()

      await page.getByRole('searchbox').fill(name)
      await page.getByRole('searchbox').press('Enter')
      await page.getByRole('link', { name }).first().waitFor()

      await page.goto(`${server.url}/account?tab=keys`)
      await page.getByLabel('What it is for').fill('A robot')
      await page.getByRole('button', { name: 'Make a key' }).click()
      expect(await page.getByLabel('The new API key').inputValue()).toMatch(/^lw\w{38}$/)

      await page.locator('details.menu summary').click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('link', { name: 'Sign in' }).waitFor()
      expect(said).toEqual([])
      await context.close()
    })
  })

  test('a link to an older comment of a long discussion leads to it', async () => {
    const place = { product: 'TestProduct', component: 'TestComponent', version: 'unspecified' }
    await send('/bug', { ...place, summary: 'Long', description: 'the first' })
    const found = await fetch(`${server.url}/rest/bug?summary=Long`)
    const { bugs } = (await found.json()) as { bugs: { id: number }[] }
    const id = bugs[0]?.id
    for (let n = 1; n <= 104; n += 1) {
      const comment = `${n} ${n % 9 === 0 ? 'long '.repeat(2000) : 'words'}`
      await send(`/bug/${id}/comment`, { comment })
    }
    const { context, page, said } = await openWindow(browser)
    await page.goto(`${server.url}/bug/${id}#c3`)
    await page.waitForURL(`${server.url}/bug/${id}?before=4#c3`)
    expect(await page.locator('article#c3').isVisible()).toBe(true)
    await page.goto(`${server.url}/bug/${id}`)
    // as a link in a comment does on the page of its bug
    await page.evaluate('location.hash = "c2"')
    await page.waitForURL(`${server.url}/bug/${id}?before=3#c2`)
    expect(await page.locator('article#c2').isVisible()).toBe(true)
    await page.goto(`${server.url}/bug/${id}`)
    await page.getByRole('link', { name: 'Show older comments' }).click()
    await page.getByRole('link', { name: 'Go to the newest comments' }).waitFor()
    expect(said).toEqual([])
    await context.close()
  })

  describe('with its script', () => {
    const place = { product: 'TestProduct', component: 'TestComponent', version: 'unspecified' }
    let context: BrowserContext
    let page: Page

    beforeEach(async () => {
      const opened = await openWindow(browser, { viewport: { width: 1280, height: 800 } })
      context = opened.context
      page = opened.page
      await signIn(page, server.url, LOGIN, PASSWORD)
    })
    afterEach(() => context?.close())

    test('a form is sent once until its answer is there, also by two clicks', async () => {
      await page.goto(`${server.url}/bug/1`)
      let sent = 0
      const answered = Promise.withResolvers<void>()
      await page.route('**/bug/1', async (route) => {
        if (route.request().method() === 'POST') {
          sent += 1
          await answered.promise
        }
        await route.continue()
      })
      await page.locator('textarea[name=comment]').fill('Sent by two clicks.')
      const box = await page.getByRole('button', { name: 'Save', exact: true }).boundingBox()
      assert(box !== null)
      for (let clicks = 1; clicks <= 2; clicks += 1) {
        await page.mouse.click(box.x + 5, box.y + 5)
        await page.waitForTimeout(100)
      }
      answered.resolve()
      await page.waitForURL(/saved=comment/)
      expect(sent).toBe(1)
      expect(await page.locator('article', { hasText: 'Sent by two clicks.' }).count()).toBe(1)
    })

    test('a typed text is not left by mistake, and an answer begins below what it quotes', async () => {
      const asked: string[] = []
      page.on('dialog', (dialog) => {
        asked.push(dialog.type())
        return dialog.dismiss()
      })
      await page.goto(`${server.url}/bug/1`)
      await page.locator('article.comment').first().getByText('Reply').click()
      await page.waitForURL(/quote=0/)
      await page.keyboard.type('Typed at once.')
      expect(await page.locator('textarea[name=comment]').inputValue()).toMatch(
        /\n> When .*\n\nTyped at once\.$/,
      )
      await page.getByRole('link', { name: 'Edit all fields' }).click()
      await vi.waitUntil(() => asked.length > 0)
      expect(asked).toEqual(['beforeunload'])
      expect(page.url()).toMatch(/quote=0/)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.waitForURL(/saved=comment/)
      expect(asked).toHaveLength(1)
    })

    test('one box ticks all bugs of a list that is changed', async () => {
      await send('/bug', { ...place, summary: 'Another that broke' })
      await page.goto(`${server.url}/bugs?quicksearch=ALL+broke&tweak=1`)
      const all = page.getByLabel('All bugs of this page')
      const boxes = page.locator('tbody input[name=id]')
      const ticked = page.locator('tbody input[name=id]:checked')
      expect(await boxes.count()).toBeGreaterThan(1)
      await all.uncheck()
      expect(await ticked.count()).toBe(0)
      await all.check()
      expect(await ticked.count()).toBe(await boxes.count())
      await boxes.first().uncheck()
      const isHalf = 'document.querySelector(".bugs thead input").indeterminate'
      expect(await page.evaluate<boolean>(isHalf)).toBe(true)
    })

    test('long words leave the other columns in sight, and each paragraph runs its own way', async () => {
      const description = 'مرحبا hello\n\nhello مرحبا'
      await send('/bug', { ...place, summary: `Endless${'wide'.repeat(60)}`, description })
      await page.goto(`${server.url}/bugs?quicksearch=ALL+endless`)
      const width = await page.evaluate<number>(
        'document.querySelector(".bugs").getBoundingClientRect().right',
      )
      expect(width).toBeLessThanOrEqual(1280)
      await page.getByRole('link', { name: /^Endless/ }).click()
      const ends = await page.evaluate<string[]>(`
        [...document.querySelectorAll('article.comment .prose p')].map((one) => {
          const range = document.createRange()
          range.selectNodeContents(one)
          const [text, own] = [range.getBoundingClientRect(), one.getBoundingClientRect()]
          return text.left - own.left < own.right - text.right ? 'left' : 'right'
        })`)
      expect(ends).toEqual(['right', 'left'])
    })
  })

  test('a page that is framed by another site shows nothing', async () => {
    const { context, page } = await openWindow(browser)
    await page.setContent(`<iframe src="${server.url}/login"></iframe>`)
    await page.waitForTimeout(300)
    const inner = page.frames().at(-1)
    expect(await inner?.getByLabel('Password').count()).toBe(0)
    await context.close()
  })
})
