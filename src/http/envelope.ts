import type { Context, MiddlewareHandler } from 'hono'
import type { Settings } from '../settings.ts'
import type { AppEnv } from './app-env.ts'
import { CREDENTIAL_HEADERS } from './credentials.ts'

const ALLOWED_HEADERS = [
  'accept',
  'authorization',
  'content-type',
  'if-none-match',
  'origin',
  'user-agent',
  'x-requested-with',
  'x-d1-bookmark',
  ...CREDENTIAL_HEADERS,
].join(', ')

const EXPOSED_HEADERS = 'etag, retry-after, server-timing, x-d1-bookmark, x-request-id'

/**
 * The outermost layer of every answer below /rest: names the request, sets the headers that all answers
 * carry, tells the cost, and begins what was left for afterwards.
 */
export function envelope(settingsOf: (env: Env) => Settings): MiddlewareHandler<AppEnv> {
  return async function sealAnswer(c, next) {
    c.set('requestId', crypto.randomUUID())
    c.set('afterwards', [])
    await next()
    setHeaders(c)
    const tally = c.get('tally')
    if (tally !== undefined && settingsOf(c.env).SERVER_TIMING) {
      const { trips, statements, rowsRead, rowsWritten, sqlMs } = tally
      const told = `${trips} trips, ${statements} statements, ${rowsRead} read, ${rowsWritten} written`
      c.res.headers.set('server-timing', `d1;dur=${sqlMs.toFixed(2)};desc="${told}"`)
    }
    if (tally !== undefined && tally.bookmark !== null) {
      c.res.headers.set('x-d1-bookmark', tally.bookmark)
    }
    startAfterwards(c)
  }
}

function setHeaders(c: Context<AppEnv>): void {
  const { headers } = c.res
  headers.set('vary', 'Accept')
  headers.set('access-control-allow-origin', '*')
  headers.set('access-control-allow-headers', ALLOWED_HEADERS)
  headers.set('access-control-expose-headers', EXPOSED_HEADERS)
  headers.set('x-content-type-options', 'nosniff')
  headers.set('x-frame-options', 'SAMEORIGIN')
  headers.set('referrer-policy', 'same-origin')
  headers.set('x-request-id', c.get('requestId'))
  const { login, token, key } = c.get('presented') ?? {}
  const isPersonal = login !== undefined || token !== undefined || key !== undefined
  headers.set('cache-control', isPersonal ? 'private, no-cache' : 'no-cache')
  if (c.req.url.startsWith('https:')) {
    headers.set('strict-transport-security', 'max-age=31536000')
  }
}

function startAfterwards(c: Context<AppEnv>): void {
  for (const work of c.get('afterwards')) {
    c.executionCtx.waitUntil(
      work().catch((error: unknown) => {
        const name = error instanceof Error ? error.name : 'unknown'
        console.error(
          JSON.stringify({ level: 'error', requestId: c.get('requestId'), afterwards: name }),
        )
      }),
    )
  }
}
