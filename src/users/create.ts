import { eq } from 'drizzle-orm'
import * as z from 'zod'
import { hasRole } from '../access/caller.ts'
import { recomputeMembershipsStatements } from '../access/membership.ts'
import {
  findMatchingGroups,
  rederivePersonStatements,
  selectGroupPatterns,
} from '../access/regexp-membership.ts'
import type { Ctx } from '../context.ts'
import { auditStatement } from '../db/audit.ts'
import { db } from '../db/client.ts'
import { commit, retryOnConflict } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { users } from '../db/schema/users.ts'
import { newestId } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { text } from '../http/shapes.ts'
import { beginnings } from '../lib/differences.ts'
import { hashPassword } from '../lib/secrets.ts'
import { fold, nickIn } from '../lib/text.ts'
import { firstPasswordFrom, loginFrom, realNameFrom } from './values.ts'

export const createUserInput = z.object({
  email: text(),
  full_name: text(),
  /** What some clients call `full_name`. */
  name: text(),
  real_name: text(),
  password: text(),
})

export const createUserOutput = z.strictObject({ id: z.int() })

/**
 * POST /user: an account that belongs at once to the groups whose pattern its login matches. Without a
 * password nobody can log in to it with one. Contract "Users". Faults: 304 for who does not edit users,
 * logged out or not; 50 without an e-mail address, 501 for one that is none, 500 for one that is taken
 * in whatever case; 502 and 305 for a password that is too short or too simple; 53 for a long name.
 */
export async function createUser(ctx: Ctx, input: z.output<typeof createUserInput>) {
  const { caller } = ctx
  if (caller.kind !== 'person' || !hasRole(caller, 'editusers')) {
    throw fault('notAuthorized', { action: 'create users' })
  }
  const login = loginFrom(input.email)
  const loginFold = fold(login)
  const realName = realNameFrom(input.full_name ?? input.real_name ?? input.name ?? '')
  const wishedNick = nickIn(realName)
  let hashing: Promise<string> | null = null
  return retryOnConflict(ctx, async (ctx) => {
    const { taken, nicks, patterns } = await readBatch(ctx, {
      taken: db.select({ id: users.id }).from(users).where(eq(users.loginFold, loginFold)),
      nicks: wishedNick === null ? undefined : holdersOf(wishedNick),
      patterns: selectGroupPatterns(),
    })
    if (taken.length > 0) {
      throw fault('loginTaken', { login })
    }
    const password = firstPasswordFrom(input.password, ctx.settings)
    hashing ??= password === null ? null : hashPassword(password)
    const nick = nicks?.length === 0 ? wishedNick : null
    const { user } = await commit(ctx, {
      user: db
        .insert(users)
        .values({
          login,
          loginFold,
          realName,
          realNameFold: fold(realName),
          nick,
          nickFold: nick === null ? null : fold(nick),
          passwordHash: await hashing,
          createdAt: ctx.now,
        })
        .returning({ id: users.id }),
      groups: rederivePersonStatements(
        newestId(users),
        patterns,
        await findMatchingGroups(patterns, loginFold),
      ),
      memberships: recomputeMembershipsStatements(newestId(users)),
      audit: auditStatement({
        by: caller.id,
        at: ctx.now,
        objectClass: 'User',
        objectId: newestId(users),
        action: 'create',
        changes: beginnings({ email: login, full_name: realName }),
      }),
    })
    return { id: Number(user[0]?.id) }
  })
}

/** Who has that nick, which nobody else can have then. */
export function holdersOf(nick: string) {
  return db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.nickFold, fold(nick)))
}
