import { eq, lt } from 'drizzle-orm'
import * as z from 'zod'
import { authenticate } from '../access/authenticate.ts'
import { strongestCredential } from '../access/credentials.ts'
import { checkPassword } from '../access/password.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { commit } from '../db/commit.ts'
import { tokens, users } from '../db/schema/users.ts'
import { Fault, fault } from '../faults.ts'
import { flag, text } from '../http/shapes.ts'
import { newTokenSecret, sha256Hex } from '../lib/secrets.ts'

/** Login and password are credentials and arrive with them; here is what else a login may say. */
export const loginInput = z.object({
  login: text(),
  password: text(),
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
  const { presented, ip, now, settings } = ctx
  if (presented.login === undefined || presented.password === undefined) {
    throw fault('parameterMissing', {
      field: presented.login === undefined ? 'login' : 'password',
    })
  }
  const bound =
    input.Tracker_restrictlogin ?? input.Bugzilla_restrictlogin ?? input.restrict_login ?? false
  const secret = newTokenSecret()
  const { id } = await checkPassword(ctx, presented.login, presented.password, async (person) => [
    db.insert(tokens).values({
      hash: await sha256Hex(`${person.id}-${secret}`),
      userId: person.id,
      createdAt: now,
      lastUsedAt: now,
      boundIp: bound ? ip : null,
    }),
    db.delete(tokens).where(lt(tokens.lastUsedAt, now - settings.TOKEN_IDLE_DAYS * 86_400)),
    db.update(users).set({ lastSeenAt: now }).where(eq(users.id, person.id)),
  ])
  return { id, token: `${id}-${secret}` }
}

export const logoutInput = z.object({ token: text() })
export const logoutOutput = z.strictObject({})

/** GET /logout: ends the presented token and nothing else; a token not in use is no error. Contract "Users". */
export async function logout(ctx: Ctx) {
  const { token } = ctx.presented
  if (token !== undefined) {
    await commit(
      { session: ctx.session.onPrimary() },
      {
        token: db.delete(tokens).where(eq(tokens.hash, await sha256Hex(token))),
      },
    )
  }
  return {}
}

export const validLoginInput = z.object({ login: text() })
export const validLoginOutput = z.boolean()

/**
 * GET /valid_login: whether the presented credentials belong to exactly this login. A token that is not
 * in use is an ordinary no; an API key that is not valid is fault 306. Contract "Users". Fault 50 when
 * the login is missing.
 */
export async function validLogin(ctx: Ctx, input: z.output<typeof validLoginInput>) {
  // beside a password the login is a credential and has been taken out of the input
  const asked = input.login ?? ctx.presented.login
  if (asked === undefined) {
    throw fault('parameterMissing', { field: 'login' })
  }
  try {
    const caller = await authenticate(ctx, strongestCredential(ctx.presented))
    return caller.kind === 'person' && caller.login === asked
  } catch (error) {
    if (error instanceof Fault && error.fault === 'tokenInvalid') {
      return false
    }
    throw error
  }
}
