import type { Context, MiddlewareHandler } from 'hono'
import type { QueryCost } from '../../db/session.ts'
import { errorFacts, log } from '../../lib/log.ts'
import type { Settings } from '../../settings.ts'
import type { AppEnv } from '../app-env.ts'
import { addConstantHeaders, EXPOSED_HEADERS } from './json-answer.ts'
import { requestIdOf } from './request-id.ts'

/**
 * The outermost layer of every answer below /rest: sets the headers that all answers carry, tells the cost,
 * and begins what was left for afterwards. The answer carries the ID of its request where something failed, or
 * may yet fail and be logged under it.
 */
export function responseHeaders(settingsOf: (env: Env) => Settings): MiddlewareHandler<AppEnv> {
  return async function finalizeResponse(c, next) {
    c.set('afterwards', [])
    await next()
    setHeaders(c)
    const cost = c.get('cost')
    if (cost !== undefined) {
      tellCost(c.res.headers, cost, settingsOf(c.env))
    }
    for (const work of c.get('afterwards')) {
      c.executionCtx.waitUntil(finish(work, requestIdOf(c)))
    }
  }
}

function setHeaders(c: Context<AppEnv>): void {
  const { headers } = c.res
  addConstantHeaders(headers)
  const hasFailed = c.get('requestId') !== undefined || c.res.status >= 500
  if (hasFailed || c.get('afterwards').length > 0) {
    headers.set('x-request-id', requestIdOf(c))
  }
  if (c.req.header('origin') !== undefined) {
    headers.set('access-control-expose-headers', EXPOSED_HEADERS)
  }
  const cacheControl = personalCacheControl(c)
  if (cacheControl !== undefined) {
    headers.set('cache-control', cacheControl)
  }
  if (c.req.url.startsWith('https:')) {
    headers.set('strict-transport-security', 'max-age=31536000')
  }
}

/**
 * Answers may be kept for a conditional request, those with somebody's own view by that person alone, and
 * what a password opened by nobody.
 */
function personalCacheControl(c: Context<AppEnv>): string | undefined {
  const { login, password, token, key } = c.get('presented') ?? {}
  if (password !== undefined) {
    return 'no-store'
  }
  const isPersonal = login !== undefined || token !== undefined || key !== undefined
  return isPersonal ? 'private, no-cache' : undefined
}

function tellCost(headers: Headers, cost: Readonly<QueryCost>, settings: Settings): void {
  if (settings.SERVER_TIMING) {
    const { trips, statements, rowsRead, rowsWritten, sqlMs } = cost
    const told = `${trips} trips, ${statements} statements, ${rowsRead} read, ${rowsWritten} written`
    headers.set('server-timing', `d1;dur=${sqlMs.toFixed(2)};desc="${told}"`)
  }
  if (cost.bookmark !== null) {
    headers.set('x-d1-bookmark', cost.bookmark)
  }
}

async function finish(work: () => Promise<unknown>, requestId: string): Promise<void> {
  try {
    await work()
  } catch (error) {
    log('error', 'afterwards failed', { requestId, ...errorFacts(error) })
  }
}
