import type { SQL } from 'drizzle-orm'
import { type ExpressionSelect, selectOf } from '../db/read-batch.ts'
import { apiKeys, sessions, tokens, users } from '../db/schema/users.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults/fault.ts'
import { sha256Hex } from '../lib/crypto/secrets.ts'
import { toDatetime } from '../lib/time.ts'
import { ACCOUNT_EXPRESSIONS, type AccountRow, requireEnabledPerson } from './account.ts'
import type { AuthenticationContext } from './authentication-context.ts'
import type { Person } from './caller.ts'
import type { Credential } from './credentials.ts'
import { apiKeyExpired, apiKeyInvalid, apiKeyRevoked, tokenInvalid } from './faults.ts'
import { type KeyScopeRow, limitToScope } from './key-scope.ts'

/** A key, a token or a session, by the hash that the database holds. */
export type Bearer = { readonly kind: 'key' | 'token' | 'session'; readonly hash: string }

/** The row of a bearer joined with its owner. */
export type BearerRow = AccountRow &
  KeyScopeRow & {
    readonly lastUsedAt: number | null
    readonly revoked: number
    readonly expiresAt: number | null
    /** Null for all but tokens that are bound to an address. */
    readonly boundIp: string | null
  }

const DAY_SECONDS = 86_400

/** Hashes a key, a token or a session; null for no credential and for a password. */
export async function bearerOf(credential: Credential | null): Promise<Bearer | null> {
  switch (credential?.kind) {
    case 'key':
      return { kind: 'key', hash: await sha256Hex(credential.key.trim()) }
    case 'token':
      return { kind: 'token', hash: await sha256Hex(credential.token) }
    case 'session':
      return { kind: 'session', hash: await hashSession(credential.session) }
    default:
      return null
  }
}

/** With its purpose, so that the hash of a session is never that of a token. */
export function hashSession(session: string): Promise<string> {
  return sha256Hex(`session ${session}`)
}

/**
 * Selects a bearer and its owner. The first batch of each call with one includes this select, so
 * that it avoids the query builder of drizzle, which takes longer.
 */
export function selectBearer({ kind, hash }: Bearer): ExpressionSelect<BearerRow> {
  switch (kind) {
    case 'key':
      return selectFrom(KEY_EXPRESSIONS, sql`api_keys`, hash)
    case 'token':
      return selectFrom(TOKEN_EXPRESSIONS, sql`tokens`, hash)
    case 'session':
      return selectFrom(SESSION_EXPRESSIONS, sql`sessions`, hash)
  }
}

type BearerColumns = { readonly [Name in keyof BearerRow]: SQL<BearerRow[Name]> }

const KEY_EXPRESSIONS: BearerColumns = {
  ...ACCOUNT_EXPRESSIONS,
  lastUsedAt: sql`${apiKeys.lastUsedAt}`,
  keyId: sql`${apiKeys.id}`,
  revoked: sql`${apiKeys.revoked}`,
  expiresAt: sql`${apiKeys.expiresAt}`,
  boundIp: sql`NULL`,
  canWrite: sql`${apiKeys.canWrite}`,
  canAdminister: sql`${apiKeys.canAdminister}`,
  productIds: sql`${apiKeys.productIds}`,
}

const TOKEN_EXPRESSIONS: BearerColumns = {
  ...ACCOUNT_EXPRESSIONS,
  lastUsedAt: sql`${tokens.lastUsedAt}`,
  keyId: sql`NULL`,
  revoked: sql`0`,
  expiresAt: sql`NULL`,
  boundIp: sql`${tokens.boundIp}`,
  canWrite: sql`1`,
  canAdminister: sql`1`,
  productIds: sql`NULL`,
}

const SESSION_EXPRESSIONS: BearerColumns = {
  ...TOKEN_EXPRESSIONS,
  lastUsedAt: sql`${sessions.lastUsedAt}`,
  boundIp: sql`NULL`,
}

function selectFrom(columns: BearerColumns, table: SQL, hash: string) {
  return selectOf(
    columns,
    sql`FROM ${table} JOIN users ON ${users.id} = ${table}.user_id WHERE ${table}.hash = ${hash}`,
  )
}

/**
 * The owner of a bearer that is valid now, limited by the scopes of the key. Throws for a key that is
 * unknown, revoked or expired, for a dead or bound token, for a dead session, and for a disabled account.
 */
export function requireBearerOwner(
  ctx: AuthenticationContext,
  { kind }: Bearer,
  row: BearerRow | undefined,
): Person {
  if (kind === 'key') {
    if (row === undefined) {
      throw fault(apiKeyInvalid)
    }
    if (row.revoked !== 0) {
      throw fault(apiKeyRevoked)
    }
    if (row.expiresAt !== null && row.expiresAt <= ctx.now) {
      throw fault(apiKeyExpired, { at: toDatetime(row.expiresAt) })
    }
    return limitToScope(requireEnabledPerson(row), row)
  }
  const oldest = ctx.now - ctx.settings.TOKEN_IDLE_DAYS * DAY_SECONDS
  const isBoundElsewhere = row !== undefined && row.boundIp !== null && row.boundIp !== ctx.ip
  if (row === undefined || (row.lastUsedAt ?? 0) < oldest || isBoundElsewhere) {
    throw fault(tokenInvalid)
  }
  return requireEnabledPerson(row)
}
