import type { MiddlewareHandler } from 'hono'
import { readSettings } from '../../settings/settings.ts'
import type { AppEnv } from './app-env.ts'

export const MAX_QUERY_KILOBYTES = 10

/** Marks the address of the home page for clients that come from a query that is too long. */
export const LONG_QUERY_MARK = 'query_over_10_KB'

/**
 * Redirects a request with a query string over 10 KB to the marked home page, before its path and credentials are
 * read.
 */
// not async, because most requests pass through: it would delay each by several microtasks
export const redirectLongQuery: MiddlewareHandler<AppEnv> = (c, next) => {
  const { url } = c.req
  const queryMark = url.indexOf('?')
  // a parsed URL is pure ASCII, so that its length is in bytes
  if (queryMark >= 0 && url.length - queryMark - 1 > MAX_QUERY_KILOBYTES * 1024) {
    // without a host of its own, because the `Host` of a request may lead anywhere
    return Promise.resolve(c.redirect(`${readSettings(c.env).BASE_URL}/?${LONG_QUERY_MARK}=1`, 302))
  }
  return next()
}
