import { readBatch } from '../db/read-batch.ts'
import type { DbSession } from '../db/session.ts'
import { Fault, fault } from '../faults.ts'
import { toNetwork } from '../lib/address.ts'
import type { Settings } from '../settings.ts'
import { type Bearer, bearerNamed, bearerOf, ownerOf } from './bearer.ts'
import { cacheIdentity } from './cached-identity/cached-identity.ts'
import { ANONYMOUS, type Caller, type Person } from './caller.ts'
import type { Credential } from './credentials.ts'
import { recordLastUse } from './last-use.ts'
import { checkPassword } from './password.ts'

/** What authentication needs of the call it serves. */
export type AuthenticationContext = {
  readonly session: DbSession
  readonly settings: Settings
  readonly env: Env
  readonly ip: string
  readonly now: number
  later(work: () => Promise<unknown>): void
}

/**
 * Turns a credential into the caller: without a trip when there is none, in one for a key or a token, in
 * two for login and password. Contract "Authentication". Faults: 300, 301, 305 for login and password,
 * 306 for keys, 307 for tokens, 301 for either of a disabled account, 429 for an address that keeps
 * guessing.
 */
export async function authenticate(
  claim: AuthenticationContext,
  credential: Credential | null,
): Promise<Caller> {
  if (credential?.kind === 'password') {
    return checkPassword(claim, credential.login, credential.password)
  }
  const bearer = await bearerOf(credential)
  return bearer === null ? ANONYMOUS : authenticateBearer(claim, bearer)
}

/**
 * A copy of the database may not have heard of a new credential yet, so what it refuses is asked again
 * at the primary. What is refused there is counted against the address.
 */
async function authenticateBearer(claim: AuthenticationContext, bearer: Bearer): Promise<Person> {
  const { session } = claim
  try {
    return await personOf(claim, session, bearer).catch((refusal: unknown) => {
      if (session.readsPrimary || !(refusal instanceof Fault)) {
        throw refusal
      }
      return personOf(claim, session.onPrimary(), bearer)
    })
  } catch (refusal) {
    throw (await isGuessing(claim, refusal)) ? fault('throttled') : refusal
  }
}

async function personOf(
  claim: AuthenticationContext,
  session: DbSession,
  bearer: Bearer,
): Promise<Person> {
  const { rows } = await readBatch(session, { rows: bearerNamed(bearer) })
  const [row] = rows
  const person = ownerOf(claim, bearer, row)
  if (row !== undefined) {
    cacheIdentity(bearer, row, person)
    recordLastUse(claim, bearer, row)
  }
  return person
}

async function isGuessing(
  { env, settings, ip }: AuthenticationContext,
  refusal: unknown,
): Promise<boolean> {
  const isGuess =
    refusal instanceof Fault && ['apiKeyInvalid', 'tokenInvalid'].includes(refusal.fault)
  return (
    isGuess &&
    settings.THROTTLE_GUESSES &&
    !(await env.GUESSES.limit({ key: toNetwork(ip) })).success
  )
}
