import type { Statement } from '../db/commit.ts'
import { accountLinks } from '../db/schema/accounts.ts'
import { sessions, tokens } from '../db/schema/users.ts'
import { jsonList, sql } from '../db/sql.ts'
import type { Bearer } from './bearer.ts'

/**
 * Ends all tokens and sessions of accounts, but for the one with which a person ends the others, and the links of
 * mails.
 */
export function endLoginsOf(userIds: readonly number[], kept: Bearer | null = null): Statement[] {
  const keptHash = kept?.hash ?? ''
  return [
    sql`DELETE FROM tokens WHERE ${tokens.userId} IN ${jsonList(userIds)} AND ${tokens.hash} <> ${keptHash}`,
    sql`DELETE FROM sessions WHERE ${sessions.userId} IN ${jsonList(userIds)} AND ${sessions.hash} <> ${keptHash}`,
    sql`DELETE FROM account_links WHERE ${accountLinks.userId} IN ${jsonList(userIds)}`,
  ]
}
