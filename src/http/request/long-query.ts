import type { MiddlewareHandler } from 'hono'
import type { Settings } from '../../settings.ts'
import type { AppEnv } from '../app-env.ts'

const MAX_QUERY_BYTES = 10 * 1024

/**
 * Redirects a request with a query string over 10 KB to the home page, before its path and credentials
 * are read. Reference: README.md, "Limits".
 */
export function redirectLongQuery(settingsOf: (env: Env) => Settings): MiddlewareHandler<AppEnv> {
  // not async, because most requests pass through: it would delay each by several microtasks
  return function redirect(c, next) {
    const { url } = c.req
    const queryMark = url.indexOf('?')
    // a parsed URL is pure ASCII, so that its length is in bytes
    if (queryMark >= 0 && url.length - queryMark - 1 > MAX_QUERY_BYTES) {
      // without a host of its own, because the `Host` of a request may lead anywhere
      return Promise.resolve(c.redirect(`${settingsOf(c.env).BASE_URL}/`, 302))
    }
    return next()
  }
}
