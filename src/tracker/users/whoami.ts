import * as z from 'zod'
import { assertLoggedIn } from '../../platform/access/rights.ts'
import type { Ctx } from '../../platform/context.ts'
import { presentNick } from './people.ts'

export const whoamiInput = z.object({})
export const whoamiOutput = z.strictObject({
  id: z.int(),
  name: z.string(),
  real_name: z.string(),
  nick: z.string(),
})

/** GET /whoami: whom the credentials belong to. Fault 410 without any. Reference: users.md, "Get the caller". */
export async function getCaller(ctx: Ctx) {
  const person = assertLoggedIn(ctx.caller)
  return {
    id: person.id,
    name: person.login,
    real_name: person.realName,
    nick: presentNick(person),
  }
}
