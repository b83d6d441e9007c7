import * as z from 'zod'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { selectionInput } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { presentNick } from './people.ts'

export const getCaller = operation(
  {
    method: 'GET',
    path: '/whoami',
    summary: 'Tell whom the credentials belong to',
    reference: 'users.md#get-the-caller',
    input: z.object(selectionInput),
    output: z
      .strictObject({
        id: z.int(),
        name: z.string(),
        real_name: z.string(),
        nick: z.string(),
      })
      .partial(),
    requires: loggedIn,
    scope: 'read',
  },
  async (ctx, input) => {
    const person = ctx.caller
    return new Selection(input).prune({
      id: person.id,
      name: person.login,
      real_name: person.realName,
      nick: presentNick(person),
    })
  },
)
