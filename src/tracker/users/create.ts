import { eq } from 'drizzle-orm'
import * as z from 'zod'
import { hasRole } from '../../platform/access/caller.ts'
import { notAuthorized } from '../../platform/access/faults.ts'
import { recomputeMembershipsStatements } from '../../platform/access/membership.ts'
import {
  findMatchingGroups,
  rederivePersonStatements,
  selectGroupPatterns,
} from '../../platform/access/regexp-membership.ts'
import type { PersonCtx } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { users } from '../../platform/db/schema/users.ts'
import { db, newestId } from '../../platform/db/sql.ts'
import { createAudited } from '../../platform/db/write-audited.ts'
import { fault } from '../../platform/faults/fault.ts'
import { operation, type Requirement, role } from '../../platform/http/operations/operation.ts'
import { text } from '../../platform/http/operations/shapes.ts'
import { hashPassword } from '../../platform/lib/crypto/password-hash.ts'
import { fold, parseNick } from '../../platform/lib/text.ts'
import { accountFaults, loginTaken } from './faults.ts'
import { parseInitialPassword, parseLogin, parseRealName } from './values.ts'

/** Clients read 304 as the refusal of an anonymous caller here, not 410. */
const userEditors: Requirement<PersonCtx> = {
  ...role('editusers', 'create users'),
  login: false,
  grant: (ctx) => {
    const { caller } = ctx
    if (caller.kind !== 'person' || !hasRole(caller, 'editusers')) {
      throw fault(notAuthorized, { action: 'create users' })
    }
    return { ...ctx, caller }
  },
}

/**
 * Creates an account, with membership of the groups whose pattern its login matches. Without a password
 * nobody can log in to it with one.
 */
export const createUser = operation(
  {
    method: 'POST',
    path: '/user',
    makes: '/user/:id',
    summary: 'Create an account',
    reference: 'users.md#create-a-user',
    input: z.object({
      email: text(),
      full_name: text(),
      /** Some clients call `full_name` this. */
      name: text(),
      real_name: text(),
      password: text(),
    }),
    output: z.strictObject({ id: z.int() }),
    faults: accountFaults,
    requires: userEditors,
    scope: 'write',
    status: 201,
  },
  async (ctx, input) => {
    const login = parseLogin(input.email)
    const loginFold = fold(login)
    const realName = parseRealName(input.full_name ?? input.real_name ?? input.name ?? '')
    const nickInName = parseNick(realName)
    let passwordHash: Promise<string> | null = null
    return retryOnConflict(ctx, async (ctx) => {
      const { sameLogin, nickHolders, patterns } = await readBatch(ctx, {
        sameLogin: db.select({ id: users.id }).from(users).where(eq(users.loginFold, loginFold)),
        nickHolders: nickInName === null ? undefined : selectNickHolders(nickInName),
        patterns: selectGroupPatterns(),
      })
      if (sameLogin.length > 0) {
        throw fault(loginTaken, { login })
      }
      const password = parseInitialPassword(input.password, ctx.settings)
      passwordHash ??= password === null ? null : hashPassword(password)
      const nick = nickHolders?.length === 0 ? nickInName : null
      const id = await createAudited(
        ctx,
        'User',
        {
          row: {
            login,
            loginFold,
            realName,
            realNameFold: fold(realName),
            nick,
            nickFold: nick === null ? null : fold(nick),
            passwordHash: await passwordHash,
            createdAt: ctx.now,
          },
          shown: { email: login, full_name: realName },
        },
        {
          groups: rederivePersonStatements(
            newestId(users),
            patterns,
            await findMatchingGroups(patterns, loginFold),
          ),
          memberships: recomputeMembershipsStatements(newestId(users)),
        },
      )
      return { id }
    })
  },
)

/** Selects the one person who has that nick, if any. */
export function selectNickHolders(nick: string) {
  return db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.nickFold, fold(nick)))
}
