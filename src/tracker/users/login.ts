import { eq, lt } from 'drizzle-orm'
import * as z from 'zod'
import { authenticate } from '../../platform/access/authenticate.ts'
import { strongestCredential } from '../../platform/access/credentials.ts'
import { apiKeyFaults, passwordFaults, tokenInvalid } from '../../platform/access/faults.ts'
import { checkPassword } from '../../platform/access/password.ts'
import { commit } from '../../platform/db/commit.ts'
import { busy } from '../../platform/db/faults.ts'
import { tokens, users } from '../../platform/db/schema/users.ts'
import { db } from '../../platform/db/sql.ts'
import { Fault, fault, parameterMissing } from '../../platform/faults/fault.ts'
import { anyone, operation } from '../../platform/http/operations/operation.ts'
import { boolean, text } from '../../platform/http/operations/shapes.ts'
import { newTokenSecret, sha256Hex } from '../../platform/lib/crypto/secrets.ts'
import { requireLogin } from './sessions/sign-in.ts'

const DAY_SECONDS = 86_400

/** `login` and `password` are credentials, so they arrive in `ctx.credentials`. */
const loginInput = z.object({
  login: text(),
  password: text(),
  totp: text(),
  restrict_login: boolean(),
  Tracker_restrictlogin: boolean(),
  Bugzilla_restrictlogin: boolean(),
})

export const login = operation(
  {
    method: 'GET',
    path: '/login',
    isDeprecated: true,
    summary: 'Exchange a login and its password for a token',
    reference: 'users.md#log-in',
    input: loginInput,
    output: z.strictObject({ id: z.int(), token: z.string() }),
    faults: [...passwordFaults, busy],
    requires: anyone,
    scope: 'read',
    credentials: 'ignored',
  },
  async (ctx, input) => {
    const { ip, now, settings } = ctx
    const isBoundToIp =
      input.Tracker_restrictlogin ?? input.Bugzilla_restrictlogin ?? input.restrict_login ?? false
    const secret = newTokenSecret()
    const { person } = await checkPassword(ctx, {
      ...requireLogin(ctx),
      secondFactor: 'asked',
      code: input.totp,
      statements: async (person) => [
        db.insert(tokens).values({
          hash: await sha256Hex(`${person.id}-${secret}`),
          userId: person.id,
          createdAt: now,
          lastUsedAt: now,
          boundIp: isBoundToIp ? ip : null,
        }),
        db
          .delete(tokens)
          .where(lt(tokens.lastUsedAt, now - settings.TOKEN_IDLE_DAYS * DAY_SECONDS)),
        db.update(users).set({ lastSeenAt: now }).where(eq(users.id, person.id)),
      ],
    })
    return { id: person.id, token: `${person.id}-${secret}` }
  },
)

/** Deletes the presented token alone; a token that does not exist is no error. */
export const logout = operation(
  {
    method: 'GET',
    path: '/logout',
    summary: 'Invalidate a token',
    reference: 'users.md#log-out',
    input: z.object({ token: text() }),
    output: z.strictObject({}),
    requires: anyone,
    scope: 'read',
    credentials: 'ignored',
  },
  async (ctx) => {
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
  },
)

/** Whether the presented credentials belong to exactly this login. An invalid token answers false. */
export const checkLogin = operation(
  {
    method: 'GET',
    path: '/valid_login',
    summary: 'Tell whether a token is valid for a login',
    reference: 'users.md#check-a-login',
    input: z.object({ login: text() }),
    output: z.boolean(),
    faults: [...passwordFaults, ...apiKeyFaults],
    requires: anyone,
    scope: 'read',
    credentials: 'ignored',
  },
  async (ctx, input) => {
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
  },
)
