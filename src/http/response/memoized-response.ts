import type { MiddlewareHandler } from 'hono'
import { NO_COST } from '../../db/session.ts'
import type { AppEnv } from '../app-env.ts'
import { presentsPassword } from '../request/credentials.ts'
import { jsonAnswer } from './json-answer.ts'

/**
 * Keeps the one answer of an operation that answers everybody alike at any time, and serves it before
 * anything but a password is looked at. Clients ask for the version before every other call.
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
      const isBare = !(c.req.url.includes('?') || presentsPassword(c.req.raw.headers))
      if (memo === undefined || !isBare) {
        return next()
      }
      c.set('text', memo)
      c.set('cost', NO_COST)
      return Promise.resolve(jsonAnswer(memo, status))
    },
  }
}
