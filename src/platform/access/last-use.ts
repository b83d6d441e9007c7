import { commit, type Statement } from '../db/commit.ts'
import { apiKeys, sessions, tokens, users } from '../db/schema/users.ts'
import { openSession } from '../db/session.ts'
import { columnName, sql } from '../db/sql.ts'
import type { AuthenticationContext } from './authentication-context.ts'
import type { Bearer, BearerRow } from './bearer.ts'

const HOUR_SECONDS = 3600

/**
 * Records the use of a bearer, after the answer and at most once an hour. A record that is lost
 * makes the time of last use less exact and has no other effect.
 */
export function recordLastUse(ctx: AuthenticationContext, bearer: Bearer, row: BearerRow): void {
  if (isStale(row.lastUsedAt, ctx.now)) {
    const parts = { bearer: lastUseStatement(ctx, bearer), user: lastSeenStatements(ctx, row) }
    ctx.defer(() => commit({ session: openSession(ctx.env.DB, 'first-primary') }, parts))
  }
}

function lastUseStatement({ now, ip }: AuthenticationContext, { kind, hash }: Bearer): Statement {
  switch (kind) {
    case 'key':
      return sql`UPDATE api_keys SET ${columnName(apiKeys.lastUsedAt)} = ${now}, ${columnName(apiKeys.lastUsedIp)} = ${ip}
        WHERE ${apiKeys.hash} = ${hash}`
    case 'token':
      return sql`UPDATE tokens SET ${columnName(tokens.lastUsedAt)} = ${now} WHERE ${tokens.hash} = ${hash}`
    case 'session':
      return sql`UPDATE sessions SET ${columnName(sessions.lastUsedAt)} = ${now}, ${columnName(sessions.ip)} = ${ip}
        WHERE ${sessions.hash} = ${hash}`
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
