import type { Context, MiddlewareHandler } from 'hono'
import type { QueryCost } from '../../db/session.ts'
import { errorFacts, log } from '../../lib/log.ts'
import { readSettings } from '../../settings/settings.ts'
import type { AppEnv } from '../request/app-env.ts'
import { addConstantHeaders, EXPOSED_HEADERS, makePublic } from './json-answer.ts'
import { setQuotaHeaders } from './quota-headers.ts'
import { requestIdOf } from './request-id.ts'
import { presentWarnings } from './warnings.ts'

/**
 * The outermost middleware below /rest: sets the headers of all answers and of their cost, and begins deferred work.
 * An answer has the ID of its request when something failed, or may fail in deferred work and be logged under that
 * ID.
 */
export const responseHeaders: MiddlewareHandler<AppEnv> = async (c, next) => {
  c.set('deferredWork', [])
  await next()
  setHeaders(c)
  finishAnswer(c)
}

/** Tells the cost of an answer and begins the work that was deferred until now. */
export function finishAnswer(c: Context<AppEnv>): void {
  const cost = c.get('cost')
  if (cost !== undefined) {
    const showsCost = readSettings(c.env).SERVER_TIMING || c.get('isAdministrator') === true
    setCostHeaders(c.res.headers, cost, showsCost)
  }
  for (const work of c.get('deferredWork')) {
    c.executionCtx.waitUntil(runDeferredWork(work, requestIdOf(c)))
  }
}

function setHeaders(c: Context<AppEnv>): void {
  const { headers } = c.res
  addConstantHeaders(headers)
  const hasFailed = c.get('requestId') !== undefined || c.res.status >= 500
  if (hasFailed || c.get('deferredWork').length > 0) {
    headers.set('x-request-id', requestIdOf(c))
  }
  if (c.req.header('origin') !== undefined) {
    headers.set('access-control-expose-headers', EXPOSED_HEADERS)
  }
  const quota = c.get('quota')
  if (quota !== undefined) {
    setQuotaHeaders(headers, quota)
  }
  for (const [name, value] of c.get('ownHeaders') ?? []) {
    headers.set(name, value)
  }
  const unused = c.get('unused')
  if (unused !== undefined) {
    headers.set('x-tracker-warnings', presentWarnings(unused))
  }
  const cacheControl = personalCacheControl(c)
  if (cacheControl !== undefined) {
    headers.set('cache-control', cacheControl)
  }
  const seconds = c.get('isPublic') === true ? readSettings(c.env).PUBLIC_CACHE_SECONDS : 0
  if (seconds > 0 && isForEverybody(c)) {
    makePublic(headers, seconds)
  }
  if (c.req.url.startsWith('https:')) {
    headers.set('strict-transport-security', 'max-age=31536000')
  }
}

/**
 * Whether an answer is what everybody gets who sends no credential. One that came along excludes it even where
 * it does not count, and so does a bookmark, whose sender needs the newest state.
 */
function isForEverybody(c: Context<AppEnv>): boolean {
  const { login, password, session, token, key } = c.get('credentials') ?? {}
  return (
    (c.res.status === 200 || c.res.status === 304) &&
    [login, password, session, token, key].every((credential) => credential === undefined) &&
    c.req.header('authorization') === undefined &&
    c.req.header('x-d1-bookmark') === undefined
  )
}

/**
 * Caches may store answers for conditional requests: those for a credential only the client's own cache,
 * those for a password none.
 */
function personalCacheControl(c: Context<AppEnv>): string | undefined {
  return c.get('credentials')?.password !== undefined
    ? 'no-store'
    : isPersonal(c)
      ? 'private, no-cache'
      : undefined
}

/** Whether a request has a credential, so that no cache keeps its answer for others. */
export function isPersonal(c: Context<AppEnv>): boolean {
  const { login, password, session, token, key } = c.get('credentials') ?? {}
  return [login, password, session, token, key].some((credential) => credential !== undefined)
}

function setCostHeaders(headers: Headers, cost: Readonly<QueryCost>, showsCost: boolean): void {
  if (showsCost) {
    const { trips, statements, rowsRead, rowsWritten, sqlMs, longestMs, mostRead } = cost
    const description = `${trips} trips, ${statements} statements, ${rowsRead} read, ${rowsWritten} written`
    const longest = `statement;dur=${longestMs.toFixed(2)};desc="at most ${mostRead} read"`
    headers.set('server-timing', `d1;dur=${sqlMs.toFixed(2)};desc="${description}", ${longest}`)
  }
  if (cost.bookmark !== null) {
    headers.set('x-d1-bookmark', cost.bookmark)
  }
}

async function runDeferredWork(work: () => Promise<unknown>, requestId: string): Promise<void> {
  try {
    await work()
  } catch (error) {
    log('error', 'deferred work failed', { requestId, ...errorFacts(error) })
  }
}
