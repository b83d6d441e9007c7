import { eq, lt } from 'drizzle-orm'
import * as z from 'zod'
import { authenticate } from '../../platform/access/authenticate.ts'
import { strongestCredential } from '../../platform/access/credentials.ts'
import { tokenInvalid } from '../../platform/access/faults.ts'
import { checkPassword } from '../../platform/access/password.ts'
import type { Ctx } from '../../platform/context.ts'
import { db } from '../../platform/db/client.ts'
import { commit } from '../../platform/db/commit.ts'
import { tokens, users } from '../../platform/db/schema/users.ts'
import { Fault, fault } from '../../platform/faults/fault.ts'
import { parameterMissing } from '../../platform/faults/parameters.ts'
import { boolean, text } from '../../platform/http/operations/shapes.ts'
import { newTokenSecret, sha256Hex } from '../../platform/lib/crypto/secrets.ts'

const DAY_SECONDS = 86_400

/** `login` and `password` are credentials, so they arrive in `ctx.credentials`. */
export const loginInput = z.object({
  login: text(),
  password: text(),
  restrict_login: boolean(),
  Tracker_restrictlogin: boolean(),
  Bugzilla_restrictlogin: boolean(),
})

export const loginOutput = z.strictObject({ id: z.int(), token: z.string() })

/**
 * GET /login: issues a token for later calls. Faults: 50 without login or password, 300, 301, 305.
 * Reference: users.md, "Log in".
 */
export async function login(ctx: Ctx, input: z.output<typeof loginInput>) {
  const { credentials, ip, now, settings } = ctx
  if (credentials.login === undefined || credentials.password === undefined) {
    throw fault(parameterMissing, {
      field: credentials.login === undefined ? 'login' : 'password',
    })
  }
  const isBoundToIp =
    input.Tracker_restrictlogin ?? input.Bugzilla_restrictlogin ?? input.restrict_login ?? false
  const secret = newTokenSecret()
  const { id } = await checkPassword(
    ctx,
    credentials.login,
    credentials.password,
    async (person) => [
      db.insert(tokens).values({
        hash: await sha256Hex(`${person.id}-${secret}`),
        userId: person.id,
        createdAt: now,
        lastUsedAt: now,
        boundIp: isBoundToIp ? ip : null,
      }),
      db.delete(tokens).where(lt(tokens.lastUsedAt, now - settings.TOKEN_IDLE_DAYS * DAY_SECONDS)),
      db.update(users).set({ lastSeenAt: now }).where(eq(users.id, person.id)),
    ],
  )
  return { id, token: `${id}-${secret}` }
}

export const logoutInput = z.object({ token: text() })
export const logoutOutput = z.strictObject({})

/**
 * GET /logout: deletes the presented token alone; a token that does not exist is no error.
 * Reference: users.md, "Log out".
 */
export async function logout(ctx: Ctx) {
  const { token } = ctx.credentials
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
 * GET /valid_login: whether the presented credentials belong to exactly this login. An invalid token answers
 * false. Faults 50 without a login, 306 for an invalid API key. Reference: users.md, "Check a login".
 */
export async function checkLogin(ctx: Ctx, input: z.output<typeof validLoginInput>) {
  // beside a password the login is a credential, so it is not part of the input
  const login = input.login ?? ctx.credentials.login
  if (login === undefined) {
    throw fault(parameterMissing, { field: 'login' })
  }
  try {
    const caller = await authenticate(ctx, strongestCredential(ctx.credentials))
    return caller.kind === 'person' && caller.login === login
  } catch (error) {
    if (error instanceof Fault && error.kind === tokenInvalid) {
      return false
    }
    throw error
  }
}
