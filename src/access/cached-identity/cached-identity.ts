import { compile } from '../../db/compile.ts'
import type { SessionCheck } from '../../db/session.ts'
import { Fault } from '../../faults.ts'
import type { AuthenticationContext } from '../authentication-context.ts'
import {
  assertBearerOwner,
  type Bearer,
  type BearerRow,
  bearerOf,
  selectBearer,
} from '../bearer.ts'
import type { Person } from '../caller.ts'
import type { Credential } from '../credentials.ts'
import { recordLastUse } from '../last-use.ts'

/** Whom a credential belonged to when this isolate saw it last, and the check that this still holds. */
export type CachedIdentity = { readonly person: Person; readonly check: SessionCheck }

/** `serialized` is everything of the row that makes the person. */
type CacheEntry = { readonly person: Person; readonly serialized: string }

const MOST_ENTRIES = 1000

/** Characters of the JSON of somebody's groups: a few hundred of them. */
const LONGEST_GROUPS = 4_000

const cache = new Map<string, CacheEntry>()

/**
 * Looks a key or a token up in the cache of this isolate, so that a call need not wait for a round trip
 * before it begins. The check passes when the credential may still be used and everything about its owner
 * is as cached, from the groups to the name; D1 runs it in the transaction of the call's first reads. Null
 * when the isolate has not seen the credential, or it is a password. Contract "Authentication".
 */
export async function lookupCachedIdentity(
  ctx: AuthenticationContext,
  credential: Credential | null,
): Promise<CachedIdentity | null> {
  const bearer = cache.size === 0 ? null : await bearerOf(credential)
  const entry = bearer === null ? undefined : cache.get(cacheKey(bearer))
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
 * Caches whom a key or a token was just found to belong to, and evicts the oldest entry when there are too
 * many. A person with thousands of groups is not cached: that would take the memory of the isolate.
 */
export function cacheIdentity(bearer: Bearer, row: BearerRow, person: Person): void {
  const key = cacheKey(bearer)
  cache.delete(key)
  if (row.groups.length > LONGEST_GROUPS) {
    return
  }
  cache.set(key, { person, serialized: serializeIdentity(row) })
  if (cache.size > MOST_ENTRIES) {
    const [oldest = ''] = cache.keys()
    cache.delete(oldest)
  }
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
  cache.delete(cacheKey(bearer))
  return false
}

function isUsable(ctx: AuthenticationContext, bearer: Bearer, row: BearerRow): boolean {
  try {
    assertBearerOwner(ctx, bearer, row)
    return true
  } catch (error) {
    if (error instanceof Fault) {
      return false
    }
    throw error
  }
}

/** Everything of a row that makes the person: two equal texts are one identity. */
function serializeIdentity({
  userId,
  login,
  realName,
  nick,
  loginDeniedText,
  groups,
}: BearerRow): string {
  return JSON.stringify([userId, login, realName, nick, loginDeniedText, groups])
}

function cacheKey({ kind, hash }: Bearer): string {
  return `${kind} ${hash}`
}
