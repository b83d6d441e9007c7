import { assets } from 'lacewing:assets'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { METHOD_NAME_ALL } from 'hono/router'
import { fault } from '../../platform/faults/fault.ts'
import type { ApiDescription } from '../../platform/http/openapi/openapi.ts'
import { queryTooLong } from '../../platform/http/operations/faults.ts'
import type { AppEnv } from '../../platform/http/request/app-env.ts'
import { LONG_QUERY_MARK, MAX_QUERY_KILOBYTES } from '../../platform/http/request/long-query.ts'
import { joinMethods } from '../../platform/http/response/allowed-methods.ts'
import { addConstantHeaders } from '../../platform/http/response/json-answer.ts'
import { onFault } from '../../platform/http/response/on-fault.ts'
import { answerWithPage, asksForHtml } from './answer-error.ts'
import { attachmentPages } from './attachment.ts'
import { documentationPages } from './docs/routes.ts'
import { operatorPages } from './operator.ts'
import { PAGES } from './routes.ts'
import { servePages } from './serve.tsx'

/** The routes outside of the API: home page, documentation, redirects, downloads, health. */
export function createPages(description: ApiDescription): Hono<AppEnv> {
  const pages = new Hono<AppEnv>()
  pages.route('/', attachmentPages)
  pages.route('/', operatorPages)
  pages.route('/', documentationPages(description))
  pages.get('/', refuseLongQuery)
  pages.route('/', servePages(PAGES))
  pages.get('/assets/:name', serveAsset)
  pages.on('GET', ['/home', '/index.cgi'], (c) => c.redirect('/', 301))
  pages.get('/config.cgi', (c) => c.redirect(`/rest/configuration${new URL(c.req.url).search}`))
  pages.get('/favicon.ico', (c) => c.redirect(assets.icon))
  pages.get('/page.cgi', (c) =>
    c.req.query('id') === 'quicksearch.html'
      ? c.redirect('/docs/search#quicksearch')
      : c.notFound(),
  )
  refuseOtherMethods(pages)
  return pages
}

/** Answers 405 with `Allow` at every path of the routes so far, to the methods that none of them takes. */
function refuseOtherMethods(pages: Hono<AppEnv>): void {
  const routes = pages.routes.filter(({ method }) => method !== METHOD_NAME_ALL)
  for (const [path, taken] of Map.groupBy(routes, (route) => route.path)) {
    const allow = joinMethods(taken.map(({ method }) => method))
    pages.all(path, (c) => {
      c.header('allow', allow)
      return answerWithPage(c, new HTTPException(405), () => c.body(null, 405))
    })
  }
}

/**
 * An error for clients that were redirected here because of a long query: they would take the page for an
 * empty answer. Clients that accept HTML get the page.
 */
async function refuseLongQuery(...[c, next]: Parameters<MiddlewareHandler<AppEnv>>) {
  if (c.req.query(LONG_QUERY_MARK) === undefined || asksForHtml(c)) {
    return next()
  }
  const answer = onFault(fault(queryTooLong, { kilobytes: MAX_QUERY_KILOBYTES }), c)
  addConstantHeaders(answer.headers)
  return answer
}

const ASSET_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Where the platform does not answer these paths by itself. Names change with the contents. */
async function serveAsset(c: Context<AppEnv>): Promise<Response> {
  const name = c.req.param('name') ?? ''
  const found = await c.env.ASSETS.fetch(new URL(`/assets/${name}`, c.req.url))
  const type = ASSET_TYPES[name.replace(/^.*\./, '')]
  return found.status !== 200 || type === undefined
    ? c.notFound()
    : new Response(found.body, {
        headers: {
          'content-type': type,
          'cache-control': 'public, max-age=31536000, immutable',
          'x-content-type-options': 'nosniff',
        },
      })
}
