import type { SQL } from 'drizzle-orm'
import { type ExpressionSelect, selectExpressions } from '../db/read-batch.ts'
import { apiKeys, tokens, users } from '../db/schema/users.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { sha256Hex } from '../lib/secrets.ts'
import { ACCOUNT, type AccountRow, personFrom } from './account.ts'
import type { AuthenticationContext } from './authentication-context.ts'
import type { Person } from './caller.ts'
import type { Credential } from './credentials.ts'

/** A key or a token as it is looked up. */
export type Bearer = { readonly kind: 'key' | 'token'; readonly hash: string }

/** What is read of a key or a token and its owner. */
export type BearerRow = AccountRow & {
  readonly lastUsedAt: number | null
  /** Of keys only. */
  readonly keyId: number | null
  readonly revoked: number
  readonly expiresAt: number | null
  /** Of tokens only. */
  readonly boundIp: string | null
}

const DAY = 86_400

/** The hash by which a key or a token is looked up; null for no credential and for a password. */
export async function bearerOf(credential: Credential | null): Promise<Bearer | null> {
  switch (credential?.kind) {
    case 'key':
      return { kind: 'key', hash: await sha256Hex(credential.key.trim()) }
    case 'token':
      return { kind: 'token', hash: await sha256Hex(credential.token) }
    default:
      return null
  }
}

/**
 * Reads a key or a token and its owner. The first batch of each call with one carries it, so it is written
 * out: drizzle would build the same select anew each time.
 */
export function selectBearer({ kind, hash }: Bearer): ExpressionSelect<BearerRow> {
  return kind === 'key'
    ? selectFrom(OF_KEY, sql`api_keys`, hash)
    : selectFrom(OF_TOKEN, sql`tokens`, hash)
}

const OF_KEY = {
  ...ACCOUNT,
  lastUsedAt: sql`${apiKeys.lastUsedAt}`,
  keyId: sql`${apiKeys.id}`,
  revoked: sql`${apiKeys.revoked}`,
  expiresAt: sql`${apiKeys.expiresAt}`,
  boundIp: sql`NULL`,
}

const OF_TOKEN = {
  ...ACCOUNT,
  lastUsedAt: sql`${tokens.lastUsedAt}`,
  keyId: sql`NULL`,
  revoked: sql`0`,
  expiresAt: sql`NULL`,
  boundIp: sql`${tokens.boundIp}`,
}

function selectFrom(columns: Readonly<Record<string, SQL>>, table: SQL, hash: string) {
  return selectExpressions<BearerRow>(
    columns,
    sql`FROM ${table} JOIN users ON ${users.id} = ${table}.user_id WHERE ${table}.hash = ${hash}`,
  )
}

/** The owner of a key or a token that may be used now. Faults: 306 for keys, 307 for tokens, 301. */
export function assertBearerOwner(
  ctx: AuthenticationContext,
  { kind }: Bearer,
  row: BearerRow | undefined,
): Person {
  if (kind === 'key') {
    if (row === undefined) {
      throw fault('apiKeyInvalid')
    }
    if (row.revoked !== 0 || (row.expiresAt !== null && row.expiresAt <= ctx.now)) {
      throw fault('apiKeyRevoked')
    }
    return personFrom(row)
  }
  const oldest = ctx.now - ctx.settings.TOKEN_IDLE_DAYS * DAY
  const isBoundElsewhere = row !== undefined && row.boundIp !== null && row.boundIp !== ctx.ip
  if (row === undefined || (row.lastUsedAt ?? 0) < oldest || isBoundElsewhere) {
    throw fault('tokenInvalid')
  }
  return personFrom(row)
}
