import type { Context, MiddlewareHandler } from 'hono'
import { runForAuthenticated, runForCaller } from '../../access/cached-identity/run-for-caller.ts'
import { ANONYMOUS, assertLoggedIn, type Caller, hasRole } from '../../access/caller.ts'
import { type Credential, NO_CREDENTIALS, strongestCredential } from '../../access/credentials.ts'
import type { Ctx, NamedList } from '../../context.ts'
import { type DbSession, type Freshness, isBookmark, openSession } from '../../db/session.ts'
import { readSettings, type Settings } from '../../settings/settings.ts'
import type { AppEnv } from '../request/app-env.ts'
import { baseUrl } from '../request/base-url.ts'
import { findClientAddress, networkOf } from '../request/client-address.ts'
import { guardVerb } from './guard-verb.ts'
import type { Operation } from './operation.ts'
import { chargeLogin, chargeQuota } from './quotas.ts'
import { noteUnused } from './unused.ts'

/** Characters of an address, which clients choose. */
const MAX_ADDRESS = 500

/**
 * Sets `runForCaller` on the request: it runs a verb for the caller, in a context whose session on D1 is as fresh as
 * the call needs. With the identity `cached` the verb may run for a cached person, whom its first batch verifies, and
 * may therefore run twice.
 */
export function identifyCaller(
  operation: Pick<Operation, 'method' | 'credentials' | 'requires' | 'scope'> &
    Partial<Pick<Operation, 'path' | 'isSigned' | 'rawBody'>> & {
      /** Whether limits count the request when its operation is known. */
      readonly isCountedLater?: true
    },
  identity: 'cached' | 'authenticated' = 'authenticated',
): MiddlewareHandler<AppEnv> {
  return async function identify(c, next) {
    const settings = readSettings(c.env)
    const credentials = c.get('credentials') ?? NO_CREDENTIALS
    const strongest = strongestCredential(credentials)
    const credential = acceptedCredential(operation, strongest)
    const freshness = chooseFreshness(c, operation, credential)
    const ip = findClientAddress(c.req.raw.headers, settings)
    const source = { address: addressOfTrips(c, operation), owner: networkOf(ip) ?? ip }
    // the calls of one list share a cost, because limits count what one request takes
    const session = openSession(c.env.DB, freshness, { cost: c.get('cost'), source })
    c.set('cost', session.cost)
    const call = {
      env: c.env,
      settings,
      session,
      credentials,
      ip,
      now: Math.floor(Date.now() / 1000),
      baseUrl: baseUrl(settings, c.req.url),
      upload: c.get('upload') ?? null,
      ifMatch: c.req.method === 'PUT' ? c.req.header('if-match') : undefined,
      rawRequest: operation.isSigned || operation.rawBody ? c.req.raw : null,
      noteUnused: (names: readonly string[], list?: NamedList) => noteUnused(c, names, list),
      defer: (work: () => Promise<unknown>) => {
        c.get('deferredWork').push(work)
      },
    }
    // the login itself verifies a password although it accepts no credential
    if (strongest?.kind === 'password') {
      await chargeLogin(c, settings, { address: call.ip, now: call.now })
    }
    const admit = (ownSession: DbSession, caller: Caller): Ctx => {
      c.set('isAdministrator', hasRole(caller, 'admin'))
      if (!operation.isCountedLater) {
        chargeQuota(c, settings, { caller, operation, address: call.ip, now: call.now })
      }
      return {
        ...call,
        session: ownSession,
        caller: requireAdmitted(operation, settings, caller),
      }
    }
    if (credential === null) {
      const ctx = admit(session, ANONYMOUS)
      c.set('runForCaller', (verb) => verb(ctx))
      return next()
    }
    const identified =
      identity === 'cached'
        ? runForCaller(call, credential, {
            openChecked: (check) =>
              openSession(c.env.DB, freshness, { check, cost: session.cost, source }),
            admit,
            discard: () => {
              c.set('deferredWork', [])
              c.set('isAdministrator', false)
              // budgets belong to this object, and the second run begins with nothing spent
              call.session = openSession(c.env.DB, freshness, { cost: { ...session.cost }, source })
              c.set('cost', call.session.cost)
            },
          })
        : runForAuthenticated(call, credential, { admit })
    const runVerb = await identified
    c.set('runForCaller', (verb) => runVerb(guardVerb(verb, operation.scope)))
    return next()
  }
}

/** One for each object, whatever is asked of it, and for other paths one for each question. */
function addressOfTrips(
  { req }: Context<AppEnv>,
  { method, path = '' }: Partial<Pick<Operation, 'method' | 'path'>>,
): string {
  const { pathname, search } = new URL(req.url)
  const question = /\d/.test(pathname) ? '' : search
  return `${method} ${path} ${pathname}${question}`.slice(0, MAX_ADDRESS)
}

function requireAdmitted(
  operation: Pick<Operation, 'credentials' | 'requires'>,
  settings: Settings,
  caller: Caller,
): Caller {
  const isOpen = operation.credentials !== 'all' || !settings.REQUIRE_LOGIN
  return operation.requires.login || !isOpen ? assertLoggedIn(caller) : caller
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
 * Anonymous reads may be served by any replica, reads with a bookmark by a replica that has its state, and
 * everything else by the primary.
 */
function chooseFreshness(
  c: Context<AppEnv>,
  { method }: Pick<Operation, 'method'>,
  credential: Credential | null,
): Freshness {
  const isRead = method === 'GET'
  const bookmark = c.req.header('x-d1-bookmark')
  if (isRead && bookmark !== undefined && isBookmark(bookmark)) {
    return { bookmark }
  }
  return isRead && credential === null ? 'first-unconstrained' : 'first-primary'
}
