import type { MiddlewareHandler } from 'hono'
import { NO_COST } from '../../db/session.ts'
import type { AppEnv } from '../app-env.ts'
import { hasPasswordHeader } from '../request/credentials.ts'
import { jsonAnswer } from './json-answer.ts'

/**
 * Stores the answer of a constant operation and serves it without reading credentials, except that
 * requests with a password or a query are served in the usual way. Clients request the version before
 * every other call.
 */
export function memoizedResponse(status: number): {
  store(text: string): void
  serve: MiddlewareHandler<AppEnv>
} {
  let memo: string | undefined
  return {
    store(text) {
      memo = text
    },
    serve(c, next) {
      const isBare = !(c.req.url.includes('?') || hasPasswordHeader(c.req.raw.headers))
      if (memo === undefined || !isBare) {
        return next()
      }
      c.set('taggedText', memo)
      c.set('cost', NO_COST)
      return Promise.resolve(jsonAnswer(memo, status))
    },
  }
}
