import * as z from 'zod'
import { readBatch } from '../../platform/db/read-batch.ts'
import { operation } from '../../platform/http/operations/operation.ts'
import { selectionInput } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import type { Preference } from '../notices/preferences.ts'
import { userIdUnknown, userUnknown } from '../users/faults.ts'
import { selectPreferences } from './get-load.ts'
import { ownerOrEditor } from './owner.ts'
import { preferencesShape, presentCells, presentSwitch } from './present.ts'

/**
 * The mail preferences of the caller, or with the right to edit users those of another account. Lists hold
 * what the caller sees now.
 */
export const getPreferences = operation(
  {
    method: 'GET',
    path: '/user/:id_or_name/preferences',
    summary: 'Read which mail an account gets, and whom and what it watches',
    reference: 'preferences.md#get-preferences',
    input: z.object({ id_or_name: z.string(), ...selectionInput }),
    output: preferencesShape.partial(),
    faults: [userIdUnknown, userUnknown],
    requires: ownerOrEditor,
    scope: 'read',
  },
  async (ctx, input) => {
    const read = await readBatch(ctx, selectPreferences(ctx))
    if (read.owners.length === 0) {
      throw ctx.owner.unknown
    }
    const preferences = read.cells.map((cell): Preference => [cell.role, cell.event, cell.wanted])
    return new Selection(input).prune({
      email: presentCells(preferences),
      asked_for_flag: presentSwitch(preferences, 'asked_for_flag'),
      flag_answered: presentSwitch(preferences, 'flag_answered'),
      html_mail: presentSwitch(preferences, 'html_mail'),
      new_in_subject: presentSwitch(preferences, 'new_in_subject'),
      watching: read.watching.flatMap(({ login, isVisible }) => (isVisible ? login : [])),
      watching_components: read.places.flatMap(({ product, component, isVisible }) =>
        isVisible ? { product, component } : [],
      ),
      ignored_bugs: read.ignored.flatMap(({ id, isVisible }) => (isVisible ? id : [])),
    })
  },
)
