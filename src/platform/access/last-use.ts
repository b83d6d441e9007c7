import { commit, type Statement } from '../db/commit.ts'
import { apiKeys, tokens, users } from '../db/schema/users.ts'
import { openSession } from '../db/session.ts'
import { columnName, sql } from '../db/sql.ts'
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
        ? sql`UPDATE api_keys SET ${columnName(apiKeys.lastUsedAt)} = ${ctx.now}, ${columnName(apiKeys.lastUsedIp)} = ${ctx.ip}
            WHERE ${apiKeys.hash} = ${hash}`
        : sql`UPDATE tokens SET ${columnName(tokens.lastUsedAt)} = ${ctx.now} WHERE ${tokens.hash} = ${hash}`
    const parts = { credential, user: lastSeenStatements(ctx, row) }
    ctx.defer(() => commit({ session: openSession(ctx.env.DB, 'first-primary') }, parts))
  }
}

function lastSeenStatements(ctx: AuthenticationContext, row: BearerRow): Statement[] {
  return isStale(row.lastSeenAt, ctx.now)
    ? [
        sql`UPDATE users SET ${columnName(users.lastSeenAt)} = ${ctx.now} WHERE ${users.id} = ${row.userId}`,
      ]
    : []
}

function isStale(lastUsedAt: number | null, now: number): boolean {
  return lastUsedAt === null || lastUsedAt < now - HOUR_SECONDS
}
