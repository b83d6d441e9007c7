import { beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../../../src/app.ts'
import { VERSION } from '../../../../src/edges/server/version.ts'
import { pages as referencePages } from '../../../reference/pages.ts'
import { ANYONE, get } from '../../../support/client.ts'
import { fetchDocument, toPathTemplate } from '../../../support/clients/api-document.ts'
import { faultKinds } from '../../../support/fault-kinds.ts'

/** Every page by its address, as a reader finds them who follows all links. */
const found = new Map<string, string>()

beforeAll(async () => {
  const waiting = ['/docs']
  for (const path of waiting) {
    if (!found.has(path)) {
      const { status, text } = await get(ANYONE, path)
      found.set(path, status === 200 ? text : '')
      waiting.push(...linksOf(text).map((href) => href.replace(/#.*$/, '') || path))
    }
  }
})

/** The links of a page within the documentation. */
function linksOf(html: string): string[] {
  return [...html.matchAll(/<a [^>]*?href="((?:\/docs)?[^":]*)"/g)]
    .map(([, href = '']) => href)
    .filter((href) => href.startsWith('#') || /^\/docs(?:[/#]|$)/.test(href))
}

function anchorsOf(html: string): string[] {
  return [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)
}

describe('the documentation', () => {
  test('has every page of the reference', () => {
    const names = Object.keys(referencePages).map((file) =>
      file.replace('README', 'conventions').replace('.md', ''),
    )
    expect([...found.keys()]).toEqual(expect.arrayContaining(names.map((name) => `/docs/${name}`)))
    expect([...found.values()].filter((html) => html === '')).toEqual([])
  })

  test('has no link to a place that does not exist, and no place twice on a page', () => {
    const broken: string[] = []
    for (const [path, html] of found) {
      const anchors = anchorsOf(html)
      expect(anchors.filter((id, index) => anchors.indexOf(id) !== index)).toEqual([])
      for (const href of linksOf(html)) {
        const [target = '', anchor] = href.split('#')
        const page = found.get(target || path) ?? ''
        if (page === '' || (anchor !== undefined && !anchorsOf(page).includes(anchor))) {
          broken.push(`${path}: ${href}`)
        }
      }
    }
    expect(broken).toEqual([])
  })

  test('shows every operation where the description of the API says', async () => {
    const { paths } = await fetchDocument()
    for (const { method, path, reference, summary } of operations) {
      const [page, anchor] = reference.replace('.md', '').split('#')
      const html = found.get(`/docs/${page}`) ?? ''
      const line = `<summary><code class="method">${method}</code> <code>${toPathTemplate(path)}</code>`
      expect(html.includes(line), `${method} ${path}`).toBe(true)
      expect(html.indexOf(line)).toBeGreaterThan(html.indexOf(` id="${anchor}"`))
      expect(html).toContain(summary.slice(0, 20))
    }
    const urls = Object.values(paths).flatMap((item) =>
      Object.values(item).map(({ externalDocs: { url } }) => new URL(url)),
    )
    const missing = urls.filter((url) => {
      const { pathname, hash } = url
      return !anchorsOf(found.get(pathname) ?? '').includes(hash.slice(1))
    })
    expect(missing).toEqual([])
  })

  test('has an anchor for every number of an error, on its own page and at the start', () => {
    const numbers = new Set(faultKinds.map(({ code }) => `error-${code}`))
    for (const path of ['/docs', '/docs/errors']) {
      const anchors = new Set(anchorsOf(found.get(path) ?? ''))
      expect([...numbers].filter((number) => !anchors.has(number))).toEqual([])
    }
  })

  test('begins with first steps, all operations, credentials and errors', () => {
    const start = found.get('/docs') ?? ''
    expect(anchorsOf(start)).toEqual(
      expect.arrayContaining(['first-steps', 'operations', 'authentication', 'errors']),
    )
    for (const name of ['Tracker_api_key', 'X-Tracker-Token', 'POST</code>']) {
      expect(start).toContain(name)
    }
    expect(start.match(/<td><code>(?:GET|POST|PUT|DELETE)<\/code><\/td>/g)?.length).toBe(
      operations.length,
    )
  })

  test('has recipes for the clients that exist', () => {
    const recipes = found.get('/docs/recipes') ?? ''
    for (const name of ['curl', 'openapi-fetch', 'bugzilla --bugzilla', 'xmlrpc.cgi', 'Bugsy']) {
      expect(recipes).toContain(name)
    }
  })

  test('says on every page which version it describes', () => {
    for (const [path, html] of found) {
      expect(html, path).toContain(`<span>${VERSION}</span></header>`)
    }
  })

  test('loads nothing but its own style sheet, and has no script', () => {
    for (const html of found.values()) {
      expect(html).not.toMatch(/<(?:script|img|iframe|form|object|embed)\b| on\w+=| style=/)
      expect(html.match(/<link [^>]*>/g)).toEqual([
        '<link rel="stylesheet" href="/docs/style.css">',
      ])
    }
  })

  test('names the address at which it was found, and nowhere the one of examples', () => {
    for (const html of found.values()) {
      expect(html).not.toContain('https://tracker.example')
    }
    expect(found.get('/docs')).toContain('https://tracker.test/rest/version')
  })
})

describe('a page of the documentation', () => {
  test('has landmarks, one title, headings in order and a way past the lists', () => {
    for (const [path, html] of found) {
      expect(html.match(/<h1>/g)?.length, path).toBe(1)
      expect(html).toMatch(/<html lang="en">[\s\S]*<a class="skip" href="#content">/)
      expect(html).toMatch(/<header>[\s\S]*<nav aria-label="Pages">[\s\S]*<main id="content">/)
      const levels = [...html.matchAll(/<h([1-6])\b/g)].map(([, level]) => Number(level))
      const jumps = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 2)
      expect(jumps, path).toEqual([])
    }
  })

  test('may be kept by caches, and is sent once', async () => {
    const { headers } = await get(ANYONE, '/docs/bugs')
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    const tag = headers.get('etag') ?? ''
    const again = await get(ANYONE, '/docs/bugs', { 'if-none-match': tag })
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag])
    expect((await get(ANYONE, '/docs/errors', { 'if-none-match': tag })).status).toBe(200)
  })

  test('may not run scripts or be framed', async () => {
    const { headers } = await get(ANYONE, '/docs')
    const policy = headers.get('content-security-policy') ?? ''
    for (const rule of ["default-src 'none'", "style-src 'self'", "frame-ancestors 'none'"]) {
      expect(policy).toContain(rule)
    }
    expect(policy).not.toContain('unsafe')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('is not found under a name that no page has', async () => {
    for (const path of ['/docs/nothing', '/docs/constructor', '/docs/bugs.md', '/docs/bugs/more']) {
      expect((await get(ANYONE, path)).status, path).toBe(404)
    }
  })

  test('has a style sheet that browsers keep', async () => {
    const { headers, text } = await get(ANYONE, '/docs/style.css')
    expect(headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect(text).toContain('color-scheme: light dark')
  })
})
