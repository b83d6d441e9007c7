import type { MiddlewareHandler } from 'hono'
import type { Settings } from '../../settings.ts'
import type { AppEnv } from '../app-env.ts'
import { baseUrl } from './base-url.ts'

const LONGEST_QUERY = 10 * 1024

/**
 * Sends a request with a query string over 10 KB to the home page, before anything else is looked at.
 * Contract "Conventions" and "Limits".
 */
export function longQuery(settingsOf: (env: Env) => Settings): MiddlewareHandler<AppEnv> {
  // not async, like others that mostly pass: each such layer would cost every answer several turns
  return function redirectLongQuery(c, next) {
    const { url } = c.req
    const at = url.indexOf('?')
    // a parsed URL is pure ASCII, so that its length counts bytes
    if (at >= 0 && url.length - at - 1 > LONGEST_QUERY) {
      return Promise.resolve(c.redirect(`${baseUrl(settingsOf(c.env), url)}/`, 302))
    }
    return next()
  }
}
