import { compile } from '../../db/compile.ts'
import type { IdentityCheck } from '../../db/session.ts'
import { Fault } from '../../faults.ts'
import type { AuthenticationContext } from '../authenticate.ts'
import { type Bearer, type BearerRow, bearerNamed, bearerOf, ownerOf } from '../bearer.ts'
import type { Person } from '../caller.ts'
import type { Credential } from '../credentials.ts'
import { recordLastUse } from '../last-use.ts'

/** A caller who is not known yet: see `presume`. */
export type CachedIdentity = { readonly person: Person; readonly identityCheck: IdentityCheck }

type Memory = { readonly person: Person; readonly stamp: string }

/** How many keys and tokens an isolate keeps in mind. */
const MOST = 1000

/** Of the JSON of somebody's groups: a few hundred of them. */
const LONGEST_GROUPS = 4_000

const cache = new Map<string, Memory>()

/**
 * Whom a key or a token belonged to when this isolate saw it last, so that a call need not wait for an
 * exchange with D1 before it begins; and the premise to be borne out by the first thing that it reads:
 * that the credential may still be used, and that its owner is in every respect the one presumed, from
 * the groups to the name. It is read in the same transaction as what is read for that person. Null when
 * the isolate has not seen the credential, or it is a password. Contract "Authentication".
 */
export async function lookupCachedIdentity(
  claim: AuthenticationContext,
  credential: Credential | null,
): Promise<CachedIdentity | null> {
  const bearer = cache.size === 0 ? null : await bearerOf(credential)
  const memory = bearer === null ? undefined : cache.get(nameOf(bearer))
  if (bearer === null || memory === undefined) {
    return null
  }
  const { sql, params } = compile(bearerNamed(bearer).statement)
  const matches: IdentityCheck['matches'] = ([row]) =>
    matchesRow(claim, bearer, memory, row as BearerRow)
  return { person: memory.person, identityCheck: { statement: { sql, params }, matches } }
}

/**
 * Keeps in mind whom a key or a token was just found to belong to; the oldest are forgotten. Who belongs
 * to thousands of groups is not kept, so that an isolate has memory for other things.
 */
export function cacheIdentity(bearer: Bearer, row: BearerRow, person: Person): void {
  const name = nameOf(bearer)
  cache.delete(name)
  if (row.groups.length > LONGEST_GROUPS) {
    return
  }
  cache.set(name, { person, stamp: serializeIdentity(row) })
  if (cache.size > MOST) {
    const [oldest = ''] = cache.keys()
    cache.delete(oldest)
  }
}

function matchesRow(
  claim: AuthenticationContext,
  bearer: Bearer,
  memory: Memory,
  row: BearerRow | undefined,
): boolean {
  if (
    row !== undefined &&
    isUsable(claim, bearer, row) &&
    serializeIdentity(row) === memory.stamp
  ) {
    recordLastUse(claim, bearer, row)
    return true
  }
  cache.delete(nameOf(bearer))
  return false
}

function isUsable(claim: AuthenticationContext, bearer: Bearer, row: BearerRow): boolean {
  try {
    ownerOf(claim, bearer, row)
    return true
  } catch (refusal) {
    if (refusal instanceof Fault) {
      return false
    }
    throw refusal
  }
}

/** Everything of a row that makes the person. */
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

function nameOf({ kind, hash }: Bearer): string {
  return `${kind} ${hash}`
}
