import type { DbSession, SessionCheck } from '../../db/session.ts'
import { SessionCheckFailure } from '../../db/session.ts'
import { authenticate } from '../authenticate.ts'
import type { AuthenticationContext } from '../authentication-context.ts'
import type { Caller } from '../caller.ts'
import type { Credential } from '../credentials.ts'
import { lookupCachedIdentity } from './cached-identity.ts'

/** Runs a verb for the caller of a request and returns its result; see `runForCaller`. */
export type RunForCaller<Context> = <Result>(
  verb: (ctx: Context) => Promise<Result>,
) => Promise<Result>

/** What the host of a call provides to create the context of a verb, perhaps twice. */
type CallerHost<Context> = {
  /** Opens a session whose first batch carries the check. */
  openChecked(check: SessionCheck): DbSession
  /** Creates the context of the verb. Throws a fault for a caller who may not call the operation. */
  admit(session: DbSession, caller: Caller): Context
  /** Drops the effects of a run for the wrong caller, such as deferred work. */
  discard(): void
}

/**
 * Returns a function that runs a verb for the caller. A cached key or token costs no round trip: the verb
 * runs for the cached person, and the first batch of its session verifies that person in the same
 * transaction; if the verb reads nothing, a batch of its own does. When the check fails, result and fault of
 * the run are discarded, the caller is authenticated, and the verb runs again. A discarded run has written
 * nothing, because a commit verifies first.
 */
export async function runForCaller<Context>(
  call: AuthenticationContext,
  credential: Credential | null,
  host: CallerHost<Context>,
): Promise<RunForCaller<Context>> {
  const cached = await lookupCachedIdentity(call, credential)
  return cached === null
    ? runForAuthenticated(call, credential, host)
    : (verb) => {
        const session = host.openChecked(cached.check)
        return runVerified(verb, session, host.admit(session, cached.person), async () => {
          host.discard()
          return authenticateCaller(call, credential, host)
        })
      }
}

/** The same without the cache, for a verb that cannot run twice. */
export async function runForAuthenticated<Context>(
  call: AuthenticationContext,
  credential: Credential | null,
  host: Pick<CallerHost<Context>, 'admit'>,
): Promise<RunForCaller<Context>> {
  const ctx = await authenticateCaller(call, credential, host)
  return (verb) => verb(ctx)
}

async function authenticateCaller<Context>(
  call: AuthenticationContext,
  credential: Credential | null,
  { admit }: Pick<CallerHost<Context>, 'admit'>,
): Promise<Context> {
  return admit(call.session, await authenticate(call, credential))
}

async function runVerified<Context, Result>(
  verb: (ctx: Context) => Promise<Result>,
  session: DbSession,
  ctx: Context,
  reauthenticate: () => Promise<Context>,
): Promise<Result> {
  // a verb that is not async may throw before it returns a promise
  const [outcome] = await Promise.allSettled([(async () => verb(ctx))()])
  if (!(await isVerified(session))) {
    return verb(await reauthenticate())
  }
  if (outcome.status === 'rejected') {
    throw outcome.reason
  }
  return outcome.value
}

async function isVerified(session: DbSession): Promise<boolean> {
  try {
    await session.verify()
    return true
  } catch (error) {
    if (error instanceof SessionCheckFailure) {
      return false
    }
    throw error
  }
}
