import { env } from 'cloudflare:workers'
import { commit, type Statement } from '../../../src/platform/db/commit.ts'
import { openSession, type SessionHolder } from '../../../src/platform/db/session.ts'

type Row = Record<string, unknown>

/** Commits statements as they are, past every rule of the service; the rows of each, in their order. */
export async function runStatements(
  statements: readonly Statement[],
  ctx: SessionHolder = onPrimary(),
): Promise<Row[][]> {
  const named = statements.map((statement, n) => [`statement${n}`, statement] as const)
  return Object.values(await commit(ctx, Object.fromEntries(named)))
}

/** A session that begins at the primary, for a test that calls the database itself. */
export function onPrimary(): SessionHolder {
  return { session: openSession(env.DB, 'first-primary') }
}
