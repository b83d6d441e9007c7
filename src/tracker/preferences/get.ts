import * as z from 'zod'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { selectionInput } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import type { Preference } from '../notices/preferences.ts'
import { selectPreferences } from './get-load.ts'
import { resolveOwner } from './owner.ts'
import { preferencesShape, presentCells, presentSwitch } from './present.ts'

export const getPreferencesInput = z.object({ id_or_name: z.string(), ...selectionInput })
export const getPreferencesOutput = preferencesShape.partial()

/**
 * GET /user/{id_or_name}/preferences: the mail preferences of the caller, or with the right to edit users those
 * of another account. Lists hold what the caller sees now. Faults 410, 304, 51, 52.
 * Reference: preferences.md, "Get preferences".
 */
export async function getPreferences(ctx: Ctx, input: z.output<typeof getPreferencesInput>) {
  const owner = resolveOwner(ctx.caller, input.id_or_name)
  const read = await readBatch(ctx, selectPreferences(owner, ctx.settings))
  if (read.owners.length === 0) {
    throw owner.unknown
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
}
