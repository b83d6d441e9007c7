import { commit, type Statement } from '../db/commit.ts'
import { openSession } from '../db/session.ts'
import { sql } from '../db/sql.ts'
import type { AuthenticationContext } from './authenticate.ts'
import type { Bearer, BearerRow } from './bearer.ts'

const HOUR = 3600

/** That a key or a token was used: after the answer, once an hour; losing it costs an hour of precision. */
export function recordLastUse(
  claim: AuthenticationContext,
  { kind, hash }: Bearer,
  row: BearerRow,
): void {
  if (isStale(row.lastUsedAt, claim.now)) {
    const used =
      kind === 'key'
        ? sql`UPDATE api_keys SET last_used_at = ${claim.now}, last_used_ip = ${claim.ip}
            WHERE hash = ${hash}`
        : sql`UPDATE tokens SET last_used_at = ${claim.now} WHERE hash = ${hash}`
    const statements = [used, ...seenNow(claim, row)]
    claim.later(() => commit(openSession(claim.env.DB, 'first-primary'), statements))
  }
}

function seenNow(claim: AuthenticationContext, row: BearerRow): Statement[] {
  return isStale(row.lastSeenAt, claim.now)
    ? [sql`UPDATE users SET last_seen_at = ${claim.now} WHERE id = ${row.userId}`]
    : []
}

function isStale(lastUsedAt: number | null, now: number): boolean {
  return lastUsedAt === null || lastUsedAt < now - HOUR
}
