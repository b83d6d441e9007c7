import { commit, type Statement } from '../db/commit.ts'
import { openSession } from '../db/session.ts'
import { sql } from '../db/sql.ts'
import type { AuthenticationContext } from './authentication-context.ts'
import type { Bearer, BearerRow } from './bearer.ts'

const HOUR_SECONDS = 3600

/**
 * Records the use of a key or a token, after the answer and at most once an hour. A record that is lost
 * makes the time of last use less exact and has no other effect.
 */
export function recordLastUse(
  ctx: AuthenticationContext,
  { kind, hash }: Bearer,
  row: BearerRow,
): void {
  if (isStale(row.lastUsedAt, ctx.now)) {
    const credential =
      kind === 'key'
        ? sql`UPDATE api_keys SET last_used_at = ${ctx.now}, last_used_ip = ${ctx.ip}
            WHERE hash = ${hash}`
        : sql`UPDATE tokens SET last_used_at = ${ctx.now} WHERE hash = ${hash}`
    const parts = { credential, user: lastSeenStatements(ctx, row) }
    ctx.defer(() => commit({ session: openSession(ctx.env.DB, 'first-primary') }, parts))
  }
}

function lastSeenStatements(ctx: AuthenticationContext, row: BearerRow): Statement[] {
  return isStale(row.lastSeenAt, ctx.now)
    ? [sql`UPDATE users SET last_seen_at = ${ctx.now} WHERE id = ${row.userId}`]
    : []
}

function isStale(lastUsedAt: number | null, now: number): boolean {
  return lastUsedAt === null || lastUsedAt < now - HOUR_SECONDS
}
