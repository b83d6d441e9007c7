import { eq } from 'drizzle-orm'
import { recomputeMembershipsStatements } from '../../platform/access/membership.ts'
import {
  findMatchingGroups,
  rederivePersonStatements,
  selectGroupPatterns,
} from '../../platform/access/regexp-membership.ts'
import { type CommitParts, commit } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { users } from '../../platform/db/schema/users.ts'
import type { SessionHolder } from '../../platform/db/session.ts'
import { db, newestId } from '../../platform/db/sql.ts'
import { type Creator, recordCreation } from '../../platform/db/write-audited.ts'
import { fault } from '../../platform/faults/fault.ts'
import { fold, parseNick } from '../../platform/lib/text.ts'
import { loginTaken } from './faults.ts'

type NewAccount = {
  readonly login: string
  readonly realName: string
  /** Called once nothing else stands against the account. */
  readonly hash: () => Promise<string | null>
}

/**
 * Commits an account with membership of the groups whose pattern its login matches, and `more` behind it. Returns its
 * ID, and the rows that `more` return. Refuses a login that somebody has.
 */
export async function createAccount<More extends CommitParts>(
  ctx: Creator & SessionHolder,
  { login, realName, hash }: NewAccount,
  more: More,
) {
  const loginFold = fold(login)
  const nickInName = parseNick(realName)
  const { sameLogin, nickHolders, patterns } = await readBatch(ctx, {
    sameLogin: db.select({ id: users.id }).from(users).where(eq(users.loginFold, loginFold)),
    nickHolders: nickInName === null ? undefined : selectNickHolders(nickInName),
    patterns: selectGroupPatterns(),
  })
  if (sameLogin.length > 0) {
    throw fault(loginTaken, { login })
  }
  const nick = nickHolders?.length === 0 ? nickInName : null
  const id = newestId(users)
  const rows = await commit(ctx, {
    created: db
      .insert(users)
      .values({
        login,
        loginFold,
        realName,
        realNameFold: fold(realName),
        nick,
        nickFold: nick === null ? null : fold(nick),
        passwordHash: await hash(),
        createdAt: ctx.now,
      })
      .returning({ id: users.id }),
    audit: recordCreation(ctx, 'User', id, { email: login, full_name: realName }),
    groups: rederivePersonStatements(id, patterns, await findMatchingGroups(patterns, loginFold)),
    memberships: recomputeMembershipsStatements(id),
    ...more,
  })
  return { id: Number(rows.created[0]?.id), rows }
}

/** Selects the one person who has that nick, if any. */
export function selectNickHolders(nick: string) {
  return db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.nickFold, fold(nick)))
}
