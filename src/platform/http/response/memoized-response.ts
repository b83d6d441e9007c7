import type { MiddlewareHandler } from 'hono'
import { NO_COST } from '../../db/session.ts'
import type { AppEnv } from '../request/app-env.ts'
import { hasPasswordHeader } from '../request/credentials.ts'
import { computeTag } from './etag.ts'
import { jsonAnswer } from './json-answer.ts'

/**
 * Stores the answer of a constant operation with its tag, and serves it without reading credentials,
 * except that requests with a password or a query are served in the usual way. Clients request the version
 * before every other call.
 */
export function memoizedResponse(status: number): {
  store(text: string): void
  serve: MiddlewareHandler<AppEnv>
} {
  let memo: string | undefined
  let tag: string | undefined
  return {
    store(text) {
      memo = text
      tag = undefined
    },
    serve(c, next) {
      const isBare = !(c.req.url.includes('?') || hasPasswordHeader(c.req.raw.headers))
      if (memo === undefined || !isBare) {
        return next()
      }
      // without a query there is no callback, on which tags depend
      tag ??= computeTag(memo, undefined, c.env.SECRETS_KEY)
      c.set('taggedText', memo)
      c.set('tag', tag)
      c.set('cost', NO_COST)
      return Promise.resolve(jsonAnswer(memo, status))
    },
  }
}
