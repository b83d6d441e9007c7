import { compile } from '../../db/compile.ts'
import type { SessionCheck } from '../../db/session.ts'
import { Fault } from '../../faults/fault.ts'
import { RecentValues } from '../../lib/isolate.ts'
import type { AuthenticationContext } from '../authentication-context.ts'
import {
  type Bearer,
  type BearerRow,
  bearerOf,
  requireBearerOwner,
  selectBearer,
} from '../bearer.ts'
import type { Person } from '../caller.ts'
import type { Credential } from '../credentials.ts'
import { recordLastUse } from '../last-use.ts'

/** The person of a credential when the isolate last saw it, and the check that nothing has changed. */
type CachedIdentity = { readonly person: Person; readonly check: SessionCheck }

/** `serialized` holds every column that the person is made from. */
type CacheEntry = { readonly person: Person; readonly serialized: string }

/** Characters of the JSON of a person's groups, which is a few hundred groups. */
const MAX_GROUPS_LENGTH = 4_000

const identities = new RecentValues<CacheEntry>(1000)

/**
 * Looks up a bearer in the cache of this isolate, which saves the call a round trip. The check passes when
 * the credential is still valid and its owner is as cached, from the groups to the name; D1 runs it in the
 * transaction of the first batch of the call. Null for a password and when nothing is cached.
 */
export async function lookupCachedIdentity(
  ctx: AuthenticationContext,
  credential: Credential | null,
): Promise<CachedIdentity | null> {
  const bearer = await bearerOf(credential)
  const entry = bearer === null ? undefined : identities.get(cacheKey(bearer))
  if (bearer === null || entry === undefined) {
    return null
  }
  const matches: SessionCheck['matches'] = ([row]) =>
    matchesRow(ctx, bearer, entry, row as BearerRow)
  return {
    person: entry.person,
    check: { statement: compile(selectBearer(bearer).statement), matches },
  }
}

/**
 * Caches the person of a bearer that was just verified.
 * A person with thousands of groups is not cached, because that would use too much memory.
 */
export function cacheIdentity(bearer: Bearer, row: BearerRow, person: Person): void {
  const key = cacheKey(bearer)
  identities.delete(key)
  if (row.groups.length > MAX_GROUPS_LENGTH) {
    return
  }
  identities.set(key, { person, serialized: serializeIdentity(row) })
}

function matchesRow(
  ctx: AuthenticationContext,
  bearer: Bearer,
  entry: CacheEntry,
  row: BearerRow | undefined,
): boolean {
  if (
    row !== undefined &&
    isUsable(ctx, bearer, row) &&
    serializeIdentity(row) === entry.serialized
  ) {
    recordLastUse(ctx, bearer, row)
    return true
  }
  identities.delete(cacheKey(bearer))
  return false
}

function isUsable(ctx: AuthenticationContext, bearer: Bearer, row: BearerRow): boolean {
  try {
    requireBearerOwner(ctx, bearer, row)
    return true
  } catch (error) {
    if (error instanceof Fault) {
      return false
    }
    throw error
  }
}

/** Every column that the person is made from, so that equal texts mean the same identity. */
function serializeIdentity({
  userId,
  login,
  realName,
  nick,
  loginDeniedText,
  groups,
  ...key
}: BearerRow): string {
  const account = [userId, login, realName, nick, loginDeniedText, groups]
  return JSON.stringify([...account, key.canWrite, key.canAdminister, key.productIds])
}

function cacheKey({ kind, hash }: Bearer): string {
  return `${kind} ${hash}`
}
