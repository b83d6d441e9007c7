import type { Context, MiddlewareHandler, Next } from 'hono'
import { authenticate } from '../access/authenticate.ts'
import { ANONYMOUS, type Caller } from '../access/caller.ts'
import { type Credential, NOTHING_PRESENTED, strongest } from '../access/credentials.ts'
import { type Presumed, presume } from '../access/presume.ts'
import { requireLogin } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { type Freshness, isBookmark, openDoor } from '../db/door.ts'
import type { Settings } from '../settings.ts'
import type { AppEnv } from './app-env.ts'
import { baseUrl } from './base-url.ts'
import type { Operation } from './operation.ts'

/**
 * Puts the context of the call on the request: who is calling, and a door to D1 that is as fresh as the
 * call needs. With `mayPresume` the caller may be one whom the first exchange with D1 has yet to bear
 * out: the verb must then be run by `confirmed`. Contract "Authentication"; fault 410 where a login is
 * required.
 */
export function caller(
  operation: Pick<Operation, 'heed' | 'login'>,
  settingsOf: (env: Env) => Settings,
  mayPresume = false,
): MiddlewareHandler<AppEnv> {
  return function findCaller(c, next) {
    const settings = settingsOf(c.env)
    const presented = c.get('presented') ?? NOTHING_PRESENTED
    const credential = heeded(operation, strongest(presented))
    const from = freshness(c, credential)
    const door = openDoor(c.env.DB, from)
    c.set('tally', door.tally)
    const call = {
      env: c.env,
      settings,
      door,
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
      presume: async () => (mayPresume ? presume(call, credential) : null),
      from,
    })
  }
}

/** How the bearer of a credential is found out. */
type Ways = {
  inEarnest(): Promise<Ctx>
  presume(): Promise<Presumed | null>
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
    const { person, premise } = presumed
    const door = openDoor(c.env.DB, from, { premise, tally: call.door.tally })
    c.set('ctx', { ...call, door, caller: person })
    c.set('inEarnest', inEarnest)
  }
  await next()
}

function admitted(
  operation: Pick<Operation, 'heed' | 'login'>,
  settings: Settings,
  found: Caller,
): Caller {
  const open = operation.heed !== 'all' || !settings.REQUIRE_LOGIN
  return operation.login || !open ? requireLogin(found) : found
}

function heeded(
  operation: Pick<Operation, 'heed'>,
  credential: Credential | null,
): Credential | null {
  switch (operation.heed) {
    case 'all':
      return credential
    case 'password':
      return credential?.kind === 'password' ? credential : null
    case 'none':
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
