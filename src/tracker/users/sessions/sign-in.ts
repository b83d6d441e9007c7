import { eq } from 'drizzle-orm'
import * as z from 'zod'
import { hashSession } from '../../../platform/access/bearer.ts'
import { passwordFaults } from '../../../platform/access/faults.ts'
import { checkPassword } from '../../../platform/access/password.ts'
import type { Ctx } from '../../../platform/context.ts'
import { commit } from '../../../platform/db/commit.ts'
import { busy } from '../../../platform/db/faults.ts'
import { sessions, users } from '../../../platform/db/schema/users.ts'
import { db } from '../../../platform/db/sql.ts'
import { fault, parameterMissing } from '../../../platform/faults/fault.ts'
import { anyone, operation } from '../../../platform/http/operations/operation.ts'
import { text } from '../../../platform/http/operations/shapes.ts'
import { newTokenSecret } from '../../../platform/lib/crypto/secrets.ts'
import { cleanLine } from '../../../platform/lib/text.ts'

const MAX_USER_AGENT_LENGTH = 300

/**
 * Begins a session of pages; `value` is what the cookie holds. No route serves it: a page sets login and password as
 * the credentials of the request, the header of the browser as a parameter, and calls it with `callOperation`.
 */
export const signIn = operation(
  {
    method: 'POST',
    path: '/session',
    summary: 'Sign in to the pages',
    reference: 'accounts.md#sessions',
    input: z.object({ user_agent: text(), totp: text() }),
    output: z.strictObject({ id: z.int(), value: z.string() }),
    faults: [...passwordFaults, busy],
    requires: anyone,
    scope: 'read',
    credentials: 'ignored',
  },
  async (ctx, input) => {
    const secret = newTokenSecret()
    const userAgent = cleanLine(input.user_agent ?? '').slice(0, MAX_USER_AGENT_LENGTH)
    const { person } = await checkPassword(ctx, {
      ...requireLogin(ctx),
      secondFactor: 'asked',
      code: input.totp,
      statements: async (person) => [
        db.insert(sessions).values({
          hash: await hashSession(`${person.id}-${secret}`),
          userId: person.id,
          createdAt: ctx.now,
          lastUsedAt: ctx.now,
          ip: ctx.ip,
          userAgent,
          authenticatedBy: 'password',
        }),
        db.update(users).set({ lastSeenAt: ctx.now }).where(eq(users.id, person.id)),
      ],
    })
    return { id: person.id, value: `${person.id}-${secret}` }
  },
)

/** Ends the session that the page presents; one that has ended is no error. No route serves it either. */
export const signOut = operation(
  {
    method: 'DELETE',
    path: '/session',
    summary: 'Sign out of the pages',
    reference: 'accounts.md#sessions',
    input: z.object({}),
    output: z.strictObject({}),
    requires: anyone,
    scope: 'read',
    credentials: 'ignored',
  },
  async ({ credentials, session }) => {
    if (credentials.session !== undefined) {
      const hash = await hashSession(credentials.session)
      await commit({ session }, { ended: db.delete(sessions).where(eq(sessions.hash, hash)) })
    }
    return {}
  },
)

/** The login and the password that the request presents. */
export function requireLogin({ credentials: { login, password } }: Ctx) {
  if (login === undefined || password === undefined) {
    throw fault(parameterMissing, { field: login === undefined ? 'login' : 'password' })
  }
  return { login, password }
}
