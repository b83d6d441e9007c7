import { readBatch } from '../db/read-batch.ts'
import { Fault, fault } from '../faults.ts'
import { toNetwork } from '../lib/address.ts'
import type { AuthenticationContext } from './authentication-context.ts'
import { assertBearerOwner, type Bearer, bearerOf, selectBearer } from './bearer.ts'
import { cacheIdentity } from './cached-identity/cached-identity.ts'
import { ANONYMOUS, type Caller, type Person } from './caller.ts'
import type { Credential } from './credentials.ts'
import { recordLastUse } from './last-use.ts'
import { checkPassword } from './password.ts'

/**
 * Turns a credential into the caller: without a round trip when there is none, in one for a key or a
 * token, in two for login and password. Contract "Authentication". Faults: 300, 301, 305 for login and password,
 * 306 for keys, 307 for tokens, 301 for either of a disabled account, 429 for an address that keeps
 * guessing.
 */
export async function authenticate(
  ctx: AuthenticationContext,
  credential: Credential | null,
): Promise<Caller> {
  if (credential?.kind === 'password') {
    return checkPassword(ctx, credential.login, credential.password)
  }
  const bearer = await bearerOf(credential)
  return bearer === null ? ANONYMOUS : authenticateBearer(ctx, bearer)
}

/**
 * A replica may not know a new credential yet, so the primary decides about what a replica refuses. What
 * is refused there counts against the address.
 */
async function authenticateBearer(ctx: AuthenticationContext, bearer: Bearer): Promise<Person> {
  const { session } = ctx
  try {
    return await loadPerson(ctx, bearer).catch((error: unknown) => {
      if (session.readsPrimary || !(error instanceof Fault)) {
        throw error
      }
      return loadPerson({ ...ctx, session: session.onPrimary() }, bearer)
    })
  } catch (error) {
    throw (await isThrottled(ctx, error)) ? fault('throttled') : error
  }
}

async function loadPerson(ctx: AuthenticationContext, bearer: Bearer): Promise<Person> {
  const { rows } = await readBatch(ctx, { rows: selectBearer(bearer) })
  const [row] = rows
  const person = assertBearerOwner(ctx, bearer, row)
  if (row !== undefined) {
    cacheIdentity(bearer, row, person)
    recordLastUse(ctx, bearer, row)
  }
  return person
}

async function isThrottled(
  { env, settings, ip }: AuthenticationContext,
  error: unknown,
): Promise<boolean> {
  const isGuess = error instanceof Fault && ['apiKeyInvalid', 'tokenInvalid'].includes(error.fault)
  return (
    isGuess &&
    settings.THROTTLE_GUESSES &&
    !(await env.GUESSES.limit({ key: toNetwork(ip) })).success
  )
}
