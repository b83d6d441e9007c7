import { eq, sql } from 'drizzle-orm'
import { db } from '../db/client.ts'
import { commit, type Statement } from '../db/commit.ts'
import type { Door } from '../db/door.ts'
import { apiKeys, tokens, users } from '../db/schema/users.ts'
import { together } from '../db/together.ts'
import { fault } from '../faults.ts'
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
 * Turns a credential into the caller, in one trip (none without a credential). Contract
 * "Authentication". Faults: 300, 301, 305 for login and password, 306 for keys, 307 for tokens, 429
 * for an address that keeps guessing.
 */
export async function authenticate(claim: Claim, credential: Credential | null): Promise<Caller> {
  if (credential === null) {
    return ANONYMOUS
  }
  switch (credential.kind) {
    case 'password':
      return (await checkPassword(claim, credential.login, credential.password)).person
    case 'token':
      return personOfToken(claim, credential.token)
    case 'key':
      return personOfKey(claim, credential.key)
  }
}

async function personOfKey(claim: Claim, key: string): Promise<Person> {
  const hash = await sha256Hex(key.trim())
  const row = await fromReplicaOrPrimary(claim, async (door) => {
    const read = await together(door, {
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
    return read.keys[0]
  })
  if (row === undefined) {
    throw await refusedGuess(claim, 'apiKeyInvalid')
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

async function personOfToken(claim: Claim, token: string): Promise<Person> {
  const hash = await sha256Hex(token)
  const oldest = claim.now - claim.settings.TOKEN_IDLE_DAYS * DAY
  const row = await fromReplicaOrPrimary(claim, async (door) => {
    const read = await together(door, {
      tokens: db
        .select({
          lastUsedAt: tokens.lastUsedAt,
          boundIp: tokens.boundIp,
          ...accountColumns,
        })
        .from(tokens)
        .innerJoin(users, eq(users.id, tokens.userId))
        .where(eq(tokens.hash, hash)),
    })
    return read.tokens[0]
  })
  const wrongAddress = row?.boundIp !== null && row?.boundIp !== claim.ip
  if (row === undefined || row.lastUsedAt < oldest || wrongAddress) {
    throw await refusedGuess(claim, 'tokenInvalid')
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

/** A copy may not have heard of a new credential yet: what it does not know is asked at the primary. */
async function fromReplicaOrPrimary<Row>(
  { door }: Claim,
  find: (door: Door) => Promise<Row | undefined>,
): Promise<Row | undefined> {
  return (await find(door)) ?? (door.atPrimary ? undefined : await find(door.toPrimary()))
}

async function refusedGuess(claim: Claim, name: 'apiKeyInvalid' | 'tokenInvalid') {
  if (claim.settings.THROTTLE_GUESSES) {
    const { success } = await claim.env.GUESSES.limit({ key: claim.ip })
    if (!success) {
      return fault('throttled')
    }
  }
  return fault(name)
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
