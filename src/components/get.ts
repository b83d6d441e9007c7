import * as z from 'zod'
import type { Ctx } from '../context.ts'
import { readBatch } from '../db/read-batch.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { requiredText, selectionInput } from '../http/shapes.ts'
import { Selection } from '../lib/selection.ts'
import { fold } from '../lib/text.ts'
import { People } from '../users/people.ts'
import { accessiblePlace, isNamed, readPlace } from './place.ts'
import { presentComponent } from './present.ts'
import { componentShape } from './shapes.ts'
import { readComponents, stateOf } from './state.ts'

export const getComponentInput = z.object({
  product: requiredText(),
  component: requiredText(),
  ...selectionInput,
})

export const getComponentOutput = componentShape

/**
 * GET /component/{product}/{component} and GET /component with both in the query: one component by name.
 * Contract "the service". Faults 50 for a missing name, 106 for a product that does not exist or is
 * hidden from the caller, 51 for an unknown component.
 */
export async function getComponent(ctx: Ctx, input: z.output<typeof getComponentInput>) {
  const { caller, settings } = ctx
  const names = { product: given('product', input), component: given('component', input) }
  const { places, found } = await readBatch(ctx, {
    places: readPlace(caller, isNamed(names.product)),
    found: readComponents(sql`components.name_fold = ${fold(names.component.trim())}
      AND components.product_id = (SELECT products.id FROM products WHERE ${isNamed(names.product)})`),
  })
  const place = accessiblePlace(places, names.product)
  const [row] = found
  if (row === undefined) {
    const { component: name } = names
    throw fault('productPartUnknown', { kind: 'component', name, product: place.name })
  }
  const people = new People(caller, settings)
  const defaultType = place.defaultType ?? settings.DEFAULT_BUG_TYPE
  const shown = presentComponent(row.id, stateOf(row), { people, defaultType })
  return new Selection(input).prune(shown)
}

function given(
  field: 'product' | 'component',
  input: { product: string; component: string },
): string {
  if (input[field].trim() === '') {
    throw fault('parameterMissing', { field })
  }
  return input[field]
}
