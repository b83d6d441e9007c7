import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Role } from '../../src/access/roles.ts'
import { systemCtx } from '../../src/background.ts'
import type { Ctx } from '../../src/context.ts'
import { type DbSession, openSession } from '../../src/db/session.ts'
import type { TestPerson } from './world.ts'

/** The context in which a verb is called by somebody, through a door of the test's making. */
export function ctxOf(who: TestPerson, roles: Role[], session: DbSession): Ctx {
  return {
    ...systemCtx(env, createExecutionContext()),
    caller: {
      kind: 'person',
      id: who.id,
      login: who.login,
      realName: '',
      nick: null,
      groups: new Set(),
      roles: new Set(roles),
    },
    session,
  }
}

/** A door through which something else happens once, right before the trip with that number. */
export function interrupted(trip: number, happens: () => Promise<unknown>): DbSession {
  let trips = 0
  const wrap = (session: DbSession): DbSession => ({
    ...session,
    async send(statements) {
      trips += 1
      if (trips === trip) {
        await happens()
      }
      return session.send(statements)
    },
    onPrimary: () => wrap(session.onPrimary()),
  })
  return wrap(openSession(env.DB, 'first-primary'))
}

/** A door behind which the statement at that place of the trip with that number fails. */
export function failing(trip: number, place: number): DbSession & { readonly sent: number[] } {
  const session = openSession(env.DB, 'first-primary')
  const sent: number[] = []
  return {
    ...session,
    sent,
    async send(statements) {
      sent.push(statements.length)
      const wrong = session.prepare(`SELECT json_extract('{}', 'interrupted')`)
      return session.send(
        sent.length === trip
          ? statements.with(Math.min(place, statements.length - 1), wrong)
          : statements,
      )
    },
  }
}
