import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Role } from '../../src/access/roles.ts'
import { systemCtx } from '../../src/background.ts'
import type { Ctx } from '../../src/context.ts'
import { type Door, openDoor } from '../../src/db/door.ts'
import type { TestPerson } from './world.ts'

/** The context in which a verb is called by somebody, through a door of the test's making. */
export function ctxOf(who: TestPerson, roles: Role[], door: Door): Ctx {
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
    door,
  }
}

/** A door through which something else happens once, right before the trip with that number. */
export function interrupted(trip: number, happens: () => Promise<unknown>): Door {
  let trips = 0
  const wrap = (door: Door): Door => ({
    ...door,
    async send(statements) {
      trips += 1
      if (trips === trip) {
        await happens()
      }
      return door.send(statements)
    },
    toPrimary: () => wrap(door.toPrimary()),
  })
  return wrap(openDoor(env.DB, 'first-primary'))
}

/** A door behind which the statement at that place of the trip with that number fails. */
export function failing(trip: number, place: number): Door & { readonly sent: number[] } {
  const door = openDoor(env.DB, 'first-primary')
  const sent: number[] = []
  return {
    ...door,
    sent,
    async send(statements) {
      sent.push(statements.length)
      const wrong = door.prepare(`SELECT json_extract('{}', 'interrupted')`)
      return door.send(
        sent.length === trip
          ? statements.with(Math.min(place, statements.length - 1), wrong)
          : statements,
      )
    },
  }
}
