import * as z from 'zod'
import { fault, valueBlank } from '../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { inScanTurn } from '../../platform/http/operations/read-turns.ts'
import { count, requiredText, selectionInput } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { foldName } from '../../platform/lib/text.ts'
import { PeoplePresenter, userDetailShape } from './people.ts'
import { readPeople } from './read-people.ts'

const DEFAULT_LIMIT = 10
const MAX_LIMIT = 100

/**
 * The enabled accounts that the caller sees and whose login or name contains a text, by login; the account
 * with just this login comes first.
 */
export const suggestUsers = operation(
  {
    method: 'GET',
    path: '/user/suggest',
    summary: 'Suggest accounts for a text that somebody is typing',
    reference: 'users.md#suggest-users',
    input: z.object({ match: requiredText(), limit: count(), ...selectionInput }),
    output: z.strictObject({ users: z.array(userDetailShape.partial()) }),
    faults: [valueBlank],
    requires: loggedIn,
    scope: 'read',
  },
  inScanTurn(async (ctx, input) => {
    const { caller } = ctx
    const match = foldName(input.match.replaceAll('*', ''))
    if (match === '') {
      throw fault(valueBlank, { field: 'match' })
    }
    const limit = Math.min(input.limit || DEFAULT_LIMIT, MAX_LIMIT)
    const { byMatch } = await readPeople(
      ctx,
      {
        names: [],
        ids: [],
        matches: [match],
        limit,
        offset: 0,
        includeDisabled: false,
        memberOf: null,
      },
      {
        caller,
        byGroups: ctx.settings.USE_VISIBILITY_GROUPS,
        wantsGroups: false,
        wantsSavedSearches: false,
      },
    )
    const people = new PeoplePresenter(caller, ctx.settings)
    const selection = new Selection(input)
    return {
      users: byMatch
        .filter(({ loginDeniedText }) => loginDeniedText === '')
        .slice(0, limit)
        .map((row) => selection.prune(people.presentDetail(row))),
    }
  }),
)
