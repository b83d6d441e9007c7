import type { MiddlewareHandler } from 'hono'
import { NO_COST } from '../db/session.ts'
import { jsonAnswer } from './answer.ts'
import type { AppEnv } from './app-env.ts'
import { presentsPassword } from './credentials.ts'

/**
 * For an operation that says the same to everybody at any time: what it has `said` once is said again before
 * anything but a password is looked at. Clients ask for the version before every other call.
 */
export function memoizedResponse(status: number): {
  said(text: string): void
  again: MiddlewareHandler<AppEnv>
} {
  let kept: string | undefined
  return {
    said(text) {
      kept = text
    },
    again(c, next) {
      const isBare = !(c.req.url.includes('?') || presentsPassword(c.req.raw.headers))
      if (kept === undefined || !isBare) {
        return next()
      }
      c.set('text', kept)
      c.set('cost', NO_COST)
      return Promise.resolve(jsonAnswer(kept, status))
    },
  }
}
