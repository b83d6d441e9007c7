import { eq, sql } from 'drizzle-orm'
import * as z from 'zod'
import { authenticate } from '../access/authenticate.ts'
import { strongest } from '../access/credentials.ts'
import { checkPassword } from '../access/password.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { commit, guard, StaleWrite } from '../db/commit.ts'
import { loginFailures, tokens, users } from '../db/schema/users.ts'
import { Fault, fault } from '../faults.ts'
import { flag } from '../http/shapes.ts'
import { newTokenSecret, sha256Hex } from '../lib/secrets.ts'
import { fold } from '../lib/text.ts'

/** Login and password are credentials and arrive with them; here is what else a login may say. */
export const loginInput = z.object({
  restrict_login: flag(),
  Tracker_restrictlogin: flag(),
  Bugzilla_restrictlogin: flag(),
})

export const loginOutput = z.strictObject({ id: z.int(), token: z.string() })

/**
 * GET /login: a token for later calls. Contract "Users" and "Authentication", 4. Faults: 50 when login
 * or password is missing, 300, 301, 305.
 */
export async function login(ctx: Ctx, input: z.output<typeof loginInput>) {
  const { presented, now } = ctx
  if (presented.login === undefined || presented.password === undefined) {
    throw fault('parameterMissing', {
      field: presented.login === undefined ? 'login' : 'password',
    })
  }
  const { person } = await checkPassword(ctx, presented.login, presented.password)
  const secret = newTokenSecret()
  const token = `${person.id}-${secret}`
  const bound =
    input.restrict_login ?? input.Tracker_restrictlogin ?? input.Bugzilla_restrictlogin ?? false
  await issueToken(ctx, fold(presented.login.trim()), {
    hash: await sha256Hex(token),
    userId: person.id,
    createdAt: now,
    lastUsedAt: now,
    boundIp: bound ? ctx.ip : null,
  })
  return { id: person.id, token }
}

/**
 * Writes the token only while the account is not locked: of many guesses sent at once, none that is
 * right gets through after the others have locked the account.
 */
async function issueToken(ctx: Ctx, loginFold: string, row: typeof tokens.$inferInsert) {
  const { settings, ip, now } = ctx
  const since = now - settings.LOGIN_LOCK_MINUTES * 60
  const failures = sql`(SELECT count(*) FROM login_failures
    WHERE login_fold = ${loginFold} AND ip = ${ip} AND failed_at > ${since})`
  try {
    await commit(ctx.door, [
      sql`INSERT INTO tokens (hash, user_id, created_at, last_used_at, bound_ip)
        SELECT ${row.hash}, ${row.userId}, ${row.createdAt}, ${row.lastUsedAt}, ${row.boundIp ?? null}
        WHERE ${failures} < ${settings.LOGIN_ATTEMPTS}`,
      guard(),
      db
        .delete(loginFailures)
        .where(sql`${loginFailures.loginFold} = ${loginFold} AND ${loginFailures.ip} = ${ip}`),
      db
        .delete(tokens)
        .where(sql`${tokens.lastUsedAt} < ${now - settings.TOKEN_IDLE_DAYS * 86_400}`),
      db.update(users).set({ lastSeenAt: now }).where(eq(users.id, row.userId)),
    ])
  } catch (error) {
    throw error instanceof StaleWrite ? fault('badLogin', { hint: '' }) : error
  }
}

export const logoutInput = z.object({})
export const logoutOutput = z.strictObject({})

/** GET /logout: ends the presented token and nothing else; a token not in use is no error. Contract "Users". */
export async function logout(ctx: Ctx) {
  const { token } = ctx.presented
  if (token !== undefined) {
    await commit(ctx.door.toPrimary(), [
      db.delete(tokens).where(eq(tokens.hash, await sha256Hex(token))),
    ])
  }
  return {}
}

export const validLoginInput = z.object({ login: z.string() })
export const validLoginOutput = z.boolean()

/**
 * GET /valid_login: whether the presented credentials belong to exactly this login. A token that is not
 * in use is an ordinary no; an API key that is not valid is fault 306. Contract "Users".
 */
export async function validLogin(ctx: Ctx, input: z.output<typeof validLoginInput>) {
  try {
    const caller = await authenticate(ctx, strongest(ctx.presented))
    return caller.kind === 'person' && caller.login === input.login
  } catch (error) {
    if (error instanceof Fault && error.fault === 'tokenInvalid') {
      return false
    }
    throw error
  }
}
