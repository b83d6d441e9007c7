import { readBatch } from '../db/read-batch.ts'
import { Fault, fault } from '../faults/fault.ts'
import { toNetwork } from '../lib/address.ts'
import type { AuthenticationContext } from './authentication-context.ts'
import { type Bearer, bearerOf, requireBearerOwner, selectBearer } from './bearer.ts'
import { cacheIdentity } from './cached-identity/cached-identity.ts'
import { ANONYMOUS, type Caller, type Person } from './caller.ts'
import type { Credential } from './credentials.ts'
import { apiKeyInvalid, throttled, tokenInvalid } from './faults.ts'
import { recordLastUse } from './last-use.ts'
import { checkPassword } from './password.ts'

/**
 * Finds the caller of a credential: in no round trip for no credential, in one for a bearer, in two for login and
 * password. Faults: 300, 301 and 305 for login and password, 306 for keys, 307 for tokens and sessions, 301 for any of
 * a disabled account, 429 for an address that presents too many invalid ones.
 */
export async function authenticate(
  ctx: AuthenticationContext,
  credential: Credential | null,
): Promise<Caller> {
  if (credential?.kind === 'password') {
    return (await checkPassword(ctx, { ...credential, secondFactor: 'refused' })).person
  }
  const bearer = await bearerOf(credential)
  return bearer === null ? ANONYMOUS : authenticateBearer(ctx, bearer)
}

/**
 * A replica may lag behind a new credential, so that a fault of a replica is decided again by the primary.
 * A credential that the primary does not know counts against the address.
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
    throw (await isThrottled(ctx, error)) ? fault(throttled) : error
  }
}

async function loadPerson(ctx: AuthenticationContext, bearer: Bearer): Promise<Person> {
  const { rows } = await readBatch(ctx, { rows: selectBearer(bearer) })
  const [row] = rows
  const person = requireBearerOwner(ctx, bearer, row)
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
  const isGuess =
    error instanceof Fault && (error.kind === apiKeyInvalid || error.kind === tokenInvalid)
  return (
    isGuess &&
    settings.THROTTLE_GUESSES &&
    !(await env.GUESSES.limit({ key: toNetwork(ip) })).success
  )
}
