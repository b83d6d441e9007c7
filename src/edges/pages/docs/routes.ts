import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import type { ApiDescription } from '../../../platform/http/openapi/openapi.ts'
import type { AppEnv } from '../../../platform/http/request/app-env.ts'
import { baseUrl } from '../../../platform/http/request/base-url.ts'
import { computeTag, listsTag } from '../../../platform/http/response/etag.ts'
import { once } from '../../../platform/lib/isolate.ts'
import { readSettings } from '../../../platform/settings/settings.ts'
import type { DocumentationSite } from './site.ts'

/** Seconds for which browsers and shared caches keep a page without asking again. */
const CACHE_SECONDS = 300

const DOCUMENTATION_HEADERS: MiddlewareHandler = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
  referrerPolicy: 'same-origin',
  strictTransportSecurity: 'max-age=31536000',
})

export function documentationPages(description: ApiDescription): Hono<AppEnv> {
  const pages = new Hono<AppEnv>()
  const loadOnce = once(() => loadSite(description))

  pages.use('/docs', DOCUMENTATION_HEADERS)
  pages.use('/docs/*', DOCUMENTATION_HEADERS)
  pages.get('/docs', (c) => answerPage(c, ''))
  pages.get('/docs/', (c) => c.redirect('/docs'))
  pages.get('/docs/style.css', async (c) => {
    const { STYLE } = await import('./layout.ts')
    return answerText(c, STYLE, 'text/css; charset=utf-8')
  })
  pages.get('/docs/:page', (c) => answerPage(c, c.req.param('page')))
  return pages

  async function answerPage(c: Context<AppEnv>, name: string): Promise<Response> {
    const page = await (await loadOnce()).renderPage(name, baseUrl(readSettings(c.env), c.req.url))
    return page === null ? c.notFound() : answerText(c, page, 'text/html; charset=utf-8')
  }
}

/** Loads the texts with the first page, because most isolates answer none. */
async function loadSite(description: ApiDescription): Promise<DocumentationSite> {
  const [{ DocumentationSite }, document] = await Promise.all([
    import('./site.ts'),
    description.load(),
  ])
  return new DocumentationSite(document)
}

function answerText(c: Context<AppEnv>, text: string, type: string): Response {
  const tag = computeTag(text, undefined, c.env.SECRETS_KEY)
  c.header('etag', `W/"${tag}"`)
  c.header('cache-control', `public, max-age=${CACHE_SECONDS}`)
  const ifNoneMatch = c.req.header('if-none-match')
  if (ifNoneMatch !== undefined && listsTag(ifNoneMatch, tag)) {
    return c.body(null, 304)
  }
  return c.body(text, 200, { 'content-type': type })
}
