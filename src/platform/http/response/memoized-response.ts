import type { Context, MiddlewareHandler } from 'hono'
import { NO_COST } from '../../db/session.ts'
import { RecentValues } from '../../lib/isolate.ts'
import { readSettings } from '../../settings/settings.ts'
import type { AppEnv } from '../request/app-env.ts'
import { baseUrl } from '../request/base-url.ts'
import { hasPasswordHeader } from '../request/credentials.ts'
import { computeTag } from './etag.ts'
import { jsonAnswer } from './json-answer.ts'

/**
 * Stores the answer of a constant operation with its tag, and serves it without reading credentials,
 * except that requests with a password or a query are served in the usual way. Clients request the version
 * before every other call.
 */
export function memoizedResponse(status: number): {
  store(text: string, c: Context<AppEnv>): void
  serve: MiddlewareHandler<AppEnv>
} {
  const memos = new RecentValues<{ readonly text: string; readonly tag: string }>(1)
  return {
    store(text, c) {
      // without a query there is no callback, on which tags depend
      memos.set(keyOf(c), { text, tag: computeTag(text, undefined, c.env.SECRETS_KEY) })
    },
    serve(c, next) {
      const isBare = !(c.req.url.includes('?') || hasPasswordHeader(c.req.raw.headers))
      const memo = isBare ? memos.get(keyOf(c)) : undefined
      if (memo === undefined) {
        return next()
      }
      c.set('taggedText', memo.text)
      c.set('tag', memo.tag)
      c.set('cost', { ...NO_COST })
      return Promise.resolve(jsonAnswer(memo.text, status))
    },
  }
}

/** An answer may contain the address of the service. */
function keyOf({ env, req }: Context<AppEnv>): string {
  return `${env.SECRETS_KEY} ${baseUrl(readSettings(env), req.url)}`
}
