import type { Context, MiddlewareHandler } from 'hono'
import { runForAuthenticated, runForCaller } from '../access/cached-identity/run-for-caller.ts'
import { ANONYMOUS, type Caller } from '../access/caller.ts'
import { type Credential, NOTHING_PRESENTED, strongestCredential } from '../access/credentials.ts'
import { assertLoggedIn } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { type DbSession, type Freshness, isBookmark, openSession } from '../db/session.ts'
import type { Settings } from '../settings.ts'
import type { AppEnv } from './app-env.ts'
import type { Operation } from './operation.ts'
import { baseUrl } from './request/base-url.ts'

/**
 * Puts on the request what runs a verb for its caller, in a context whose session on D1 is as fresh as the
 * call needs. `identity` says whether the verb may run for a cached person who is verified by its first
 * read, and so perhaps twice. Contract "Authentication"; fault 410 where a login is required.
 */
export function caller(
  operation: Pick<Operation, 'credentials' | 'login'>,
  settingsOf: (env: Env) => Settings,
  identity: 'cached' | 'authenticated' = 'authenticated',
): MiddlewareHandler<AppEnv> {
  return function identifyCaller(c, next) {
    const settings = settingsOf(c.env)
    const presented = c.get('presented') ?? NOTHING_PRESENTED
    const credential = acceptedCredential(operation, strongestCredential(presented))
    const from = freshness(c, credential)
    const session = openSession(c.env.DB, from)
    c.set('cost', session.cost)
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
    const admit = (own: DbSession, found: Caller): Ctx => ({
      ...call,
      session: own,
      caller: assertAdmitted(operation, settings, found),
    })
    if (credential === null) {
      const ctx = admit(session, ANONYMOUS)
      c.set('runForCaller', (verb) => verb(ctx))
      return next()
    }
    const running =
      identity === 'cached'
        ? runForCaller(call, credential, {
            openChecked: (check) => openSession(c.env.DB, from, { check, cost: session.cost }),
            admit,
            discard: () => c.set('afterwards', []),
          })
        : runForAuthenticated(call, credential, { admit })
    return running.then((run) => {
      c.set('runForCaller', run)
      return next()
    })
  }
}

function assertAdmitted(
  operation: Pick<Operation, 'credentials' | 'login'>,
  settings: Settings,
  found: Caller,
): Caller {
  const isOpen = operation.credentials !== 'all' || !settings.REQUIRE_LOGIN
  return operation.login || !isOpen ? assertLoggedIn(found) : found
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
