import { eq, sql } from 'drizzle-orm'
import { db } from '../db/client.ts'
import { commit, type Statement } from '../db/commit.ts'
import type { Door } from '../db/door.ts'
import { apiKeys, tokens, users } from '../db/schema/users.ts'
import { together } from '../db/together.ts'
import { Fault, fault } from '../faults.ts'
import { networkOf } from '../lib/address.ts'
import { sha256Hex } from '../lib/secrets.ts'
import type { Settings } from '../settings.ts'
import { accountColumns, personFrom } from './account.ts'
import { ANONYMOUS, type Caller, type Person } from './caller.ts'
import type { Credential } from './credentials.ts'
import { checkPassword } from './password.ts'

/** What authentication needs of the call it serves. */
export type Claim = {
  readonly door: Door
  readonly settings: Settings
  readonly env: Env
  readonly ip: string
  readonly now: number
  later(work: () => Promise<unknown>): void
}

const HOUR = 3600
const DAY = 86_400

/**
 * Turns a credential into the caller: without a trip when there is none, in one for a key or a token, in
 * two for login and password. Contract "Authentication". Faults: 300, 301, 305 for login and password,
 * 306 for keys, 307 for tokens, 301 for either of a disabled account, 429 for an address that keeps
 * guessing.
 */
export async function authenticate(claim: Claim, credential: Credential | null): Promise<Caller> {
  switch (credential?.kind) {
    case undefined:
      return ANONYMOUS
    case 'password':
      return checkPassword(claim, credential.login, credential.password)
    case 'token':
      return recognised(claim, (door) => personOfToken(claim, door, credential.token))
    case 'key':
      return recognised(claim, (door) => personOfKey(claim, door, credential.key))
  }
}

/**
 * A copy of the database may not have heard of a new credential yet, so what it refuses is asked again
 * at the primary. What is refused there is counted against the address.
 */
async function recognised(claim: Claim, find: (door: Door) => Promise<Person>): Promise<Person> {
  const { door } = claim
  try {
    return await find(door).catch((refusal: unknown) => {
      if (door.atPrimary || !(refusal instanceof Fault)) {
        throw refusal
      }
      return find(door.toPrimary())
    })
  } catch (refusal) {
    throw (await isGuessing(claim, refusal)) ? fault('throttled') : refusal
  }
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

async function personOfKey(claim: Claim, door: Door, key: string): Promise<Person> {
  const hash = await sha256Hex(key.trim())
  const { keys } = await together(door, {
    keys: db
      .select({
        keyId: sql<number>`api_keys.id`.as('key_id'),
        revoked: apiKeys.revoked,
        expiresAt: apiKeys.expiresAt,
        lastUsedAt: apiKeys.lastUsedAt,
        ...accountColumns,
      })
      .from(apiKeys)
      .innerJoin(users, eq(users.id, apiKeys.userId))
      .where(eq(apiKeys.hash, hash)),
  })
  const [row] = keys
  if (row === undefined) {
    throw fault('apiKeyInvalid')
  }
  if (row.revoked || (row.expiresAt !== null && row.expiresAt <= claim.now)) {
    throw fault('apiKeyRevoked')
  }
  const person = personFrom(row)
  if (isStale(row.lastUsedAt, claim.now)) {
    afterwards(claim, [
      db
        .update(apiKeys)
        .set({ lastUsedAt: claim.now, lastUsedIp: claim.ip })
        .where(eq(apiKeys.id, row.keyId)),
      ...seenNow(claim, row),
    ])
  }
  return person
}

async function personOfToken(claim: Claim, door: Door, token: string): Promise<Person> {
  const hash = await sha256Hex(token)
  const found = await together(door, {
    tokens: db
      .select({ lastUsedAt: tokens.lastUsedAt, boundIp: tokens.boundIp, ...accountColumns })
      .from(tokens)
      .innerJoin(users, eq(users.id, tokens.userId))
      .where(eq(tokens.hash, hash)),
  })
  const [row] = found.tokens
  const oldest = claim.now - claim.settings.TOKEN_IDLE_DAYS * DAY
  if (row === undefined || row.lastUsedAt < oldest || !worksFrom(row.boundIp, claim.ip)) {
    throw fault('tokenInvalid')
  }
  const person = personFrom(row)
  if (isStale(row.lastUsedAt, claim.now)) {
    afterwards(claim, [
      db.update(tokens).set({ lastUsedAt: claim.now }).where(eq(tokens.hash, hash)),
      ...seenNow(claim, row),
    ])
  }
  return person
}

function worksFrom(boundIp: string | null, ip: string): boolean {
  return boundIp === null || boundIp === ip
}

function isStale(lastUsedAt: number | null, now: number): boolean {
  return lastUsedAt === null || lastUsedAt < now - HOUR
}

function seenNow(claim: Claim, row: { userId: number; lastSeenAt: number | null }): Statement[] {
  return isStale(row.lastSeenAt, claim.now)
    ? [db.update(users).set({ lastSeenAt: claim.now }).where(eq(users.id, row.userId))]
    : []
}

/** Bookkeeping that the answer does not wait for; losing it costs an hour of precision. */
function afterwards(claim: Claim, statements: Statement[]): void {
  claim.later(() => commit(claim.door.aside(), statements))
}
