import type { Door } from '../db/door.ts'
import { together } from '../db/together.ts'
import { Fault, fault } from '../faults.ts'
import { networkOf } from '../lib/address.ts'
import type { Settings } from '../settings.ts'
import { type Bearer, bearerNamed, bearerOf, ownerOf } from './bearer.ts'
import { ANONYMOUS, type Caller, type Person } from './caller.ts'
import type { Credential } from './credentials.ts'
import { noteUse } from './last-use.ts'
import { checkPassword } from './password.ts'
import { remember } from './presume.ts'

/** What authentication needs of the call it serves. */
export type Claim = {
  readonly door: Door
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
export async function authenticate(claim: Claim, credential: Credential | null): Promise<Caller> {
  if (credential?.kind === 'password') {
    return checkPassword(claim, credential.login, credential.password)
  }
  const bearer = await bearerOf(credential)
  return bearer === null ? ANONYMOUS : recognised(claim, bearer)
}

/**
 * A copy of the database may not have heard of a new credential yet, so what it refuses is asked again
 * at the primary. What is refused there is counted against the address.
 */
async function recognised(claim: Claim, bearer: Bearer): Promise<Person> {
  const { door } = claim
  try {
    return await personOf(claim, door, bearer).catch((refusal: unknown) => {
      if (door.atPrimary || !(refusal instanceof Fault)) {
        throw refusal
      }
      return personOf(claim, door.toPrimary(), bearer)
    })
  } catch (refusal) {
    throw (await isGuessing(claim, refusal)) ? fault('throttled') : refusal
  }
}

async function personOf(claim: Claim, door: Door, bearer: Bearer): Promise<Person> {
  const { rows } = await together(door, { rows: bearerNamed(bearer) })
  const [row] = rows
  const person = ownerOf(claim, bearer, row)
  if (row !== undefined) {
    remember(bearer, row, person)
    noteUse(claim, bearer, row)
  }
  return person
}

async function isGuessing({ env, settings, ip }: Claim, refusal: unknown): Promise<boolean> {
  const isGuess =
    refusal instanceof Fault && ['apiKeyInvalid', 'tokenInvalid'].includes(refusal.fault)
  return (
    isGuess &&
    settings.THROTTLE_GUESSES &&
    !(await env.GUESSES.limit({ key: networkOf(ip) })).success
  )
}
