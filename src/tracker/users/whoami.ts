import * as z from 'zod'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { presentNick } from './people.ts'

export const getCaller = operation(
  {
    method: 'GET',
    path: '/whoami',
    summary: 'Tell whom the credentials belong to',
    reference: 'users.md#get-the-caller',
    input: z.object({}),
    output: z.strictObject({
      id: z.int(),
      name: z.string(),
      real_name: z.string(),
      nick: z.string(),
    }),
    requires: loggedIn,
    scope: 'read',
  },
  async (ctx) => {
    const person = ctx.caller
    return {
      id: person.id,
      name: person.login,
      real_name: person.realName,
      nick: presentNick(person),
    }
  },
)
