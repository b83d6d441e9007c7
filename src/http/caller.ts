import type { Context, MiddlewareHandler, Next } from 'hono'
import { authenticate } from '../access/authenticate.ts'
import {
  type CachedIdentity,
  lookupCachedIdentity,
} from '../access/cached-identity/cached-identity.ts'
import { ANONYMOUS, type Caller } from '../access/caller.ts'
import { type Credential, NOTHING_PRESENTED, strongest } from '../access/credentials.ts'
import { assertLoggedIn } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { type Freshness, isBookmark, openSession } from '../db/session.ts'
import type { Settings } from '../settings.ts'
import type { AppEnv } from './app-env.ts'
import type { Operation } from './operation.ts'
import { baseUrl } from './request/base-url.ts'

/**
 * Puts the context of the call on the request: who is calling, and a door to D1 that is as fresh as the
 * call needs. With `mayPresume` the caller may be one whom the first exchange with D1 has yet to bear
 * out: the verb must then be run by `confirmed`. Contract "Authentication"; fault 410 where a login is
 * required.
 */
export function caller(
  operation: Pick<Operation, 'credentials' | 'login'>,
  settingsOf: (env: Env) => Settings,
  mayPresume = false,
): MiddlewareHandler<AppEnv> {
  return function findCaller(c, next) {
    const settings = settingsOf(c.env)
    const presented = c.get('presented') ?? NOTHING_PRESENTED
    const credential = acceptedCredential(operation, strongest(presented))
    const from = freshness(c, credential)
    const session = openSession(c.env.DB, from)
    c.set('tally', session.tally)
    const call = {
      env: c.env,
      settings,
      session,
      presented,
      ip: c.req.header('cf-connecting-ip') ?? 'unknown',
      now: Math.floor(Date.now() / 1000),
      baseUrl: baseUrl(settings, c.req.url),
      upload: c.get('upload') ?? null,
      later: (work: () => Promise<unknown>) => {
        c.get('afterwards').push(work)
      },
    }
    if (credential === null) {
      c.set('ctx', { ...call, caller: admitted(operation, settings, ANONYMOUS) })
      return next()
    }
    return identify(c, next, call, {
      inEarnest: async () => {
        const found = await authenticate(call, credential)
        return { ...call, caller: admitted(operation, settings, found) }
      },
      presume: async () => (mayPresume ? lookupCachedIdentity(call, credential) : null),
      from,
    })
  }
}

/** How the bearer of a credential is found out. */
type Ways = {
  inEarnest(): Promise<Ctx>
  presume(): Promise<CachedIdentity | null>
  from: Freshness
}

async function identify(
  c: Context<AppEnv>,
  next: Next,
  call: Omit<Ctx, 'caller'>,
  { inEarnest, presume, from }: Ways,
): Promise<void> {
  const presumed = await presume()
  if (presumed === null) {
    c.set('ctx', await inEarnest())
  } else {
    const { person, identityCheck } = presumed
    const session = openSession(c.env.DB, from, { identityCheck, tally: call.session.tally })
    c.set('ctx', { ...call, session, caller: person })
    c.set('inEarnest', inEarnest)
  }
  await next()
}

function admitted(
  operation: Pick<Operation, 'credentials' | 'login'>,
  settings: Settings,
  found: Caller,
): Caller {
  const open = operation.credentials !== 'all' || !settings.REQUIRE_LOGIN
  return operation.login || !open ? assertLoggedIn(found) : found
}

function acceptedCredential(
  operation: Pick<Operation, 'credentials'>,
  credential: Credential | null,
): Credential | null {
  switch (operation.credentials) {
    case 'all':
      return credential
    case 'password':
      return credential?.kind === 'password' ? credential : null
    case 'ignored':
      return null
  }
}

/**
 * Anonymous reads go to the nearest copy, a bookmark to any copy that has its state, everything else to
 * the primary.
 */
function freshness(c: Context<AppEnv>, credential: Credential | null): Freshness {
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  const bookmark = c.req.header('x-d1-bookmark')
  if (isRead && bookmark !== undefined && isBookmark(bookmark)) {
    return { bookmark }
  }
  return isRead && credential === null ? 'first-unconstrained' : 'first-primary'
}
