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

/** How the host of a call builds and rebuilds the context of a verb. */
export type CallerHost<Context> = {
  /** The session of a call whose first batch carries the check. */
  openChecked(check: SessionCheck): DbSession
  /** The context of the verb. Throws the fault that keeps this caller out. */
  admit(session: DbSession, caller: Caller): Context
  /** Drops what a run for the wrong caller left behind, such as work for later. */
  discard(): void
}

/**
 * Finds out who calls, and returns what runs a verb for them. A key or token that this isolate has cached
 * costs no round trip: the verb runs for the cached person, and the first batch of its session verifies
 * that person in the same transaction, or a trip of its own does when the verb reads nothing. Nothing of a
 * run for somebody else leaves, be it an answer or a fault, and it has written nothing, since a commit
 * verifies first: the caller is authenticated and the verb runs again. Faults as for `authenticate`.
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

/** The same without the cache, for what cannot be run twice. */
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
  // not all verbs are async: one may throw before there is a promise
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
