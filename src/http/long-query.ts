import type { MiddlewareHandler } from 'hono'

const LONGEST_QUERY = 10 * 1024

/** Sends a request with a query string over 10 KB to the home page. Contract "Conventions" and "Limits". */
export function longQuery(): MiddlewareHandler {
  return async function redirectLongQuery(c, next) {
    const at = c.req.url.indexOf('?')
    if (at >= 0 && c.req.url.length - at - 1 > LONGEST_QUERY) {
      return c.redirect(`${new URL(c.req.url).origin}/`, 302)
    }
    return next()
  }
}
