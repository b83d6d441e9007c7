import * as z from 'zod'
import type { Ctx } from '../context.ts'
import { readBatch } from '../db/read-batch.ts'
import { fault } from '../faults.ts'
import { ids, names, selectionInput } from '../http/shapes.ts'
import { type IdsAndNames, uniteWithPath } from '../lib/id-or-name.ts'
import { Selection } from '../lib/selection.ts'
import { type FieldRows, readingsFor } from './get-load.ts'
import { internalName } from './names.ts'
import { presentFields } from './present.ts'
import { fieldShape } from './shapes.ts'

export const getFieldsInput = z.object({ ids: ids(), names: names(), ...selectionInput })

export const getFieldInput = getFieldsInput.extend({ id_or_name: z.string() })

export const getFieldsOutput = z.strictObject({ fields: z.array(fieldShape) })

type Input = z.output<typeof getFieldsInput> & { id_or_name?: string }

/**
 * GET /field/bug and GET /field/bug/{id_or_name}: the fields asked for, or all that are not obsolete, in
 * their order. Products that the caller may not search give no values. Contract "Bug fields". Fault 51 for
 * an unknown field.
 */
export async function getFields(ctx: Ctx, input: Input) {
  const selection = new Selection(input)
  const named = namedIn(input)
  const values = selection.includes('values')
  const rows: FieldRows = await readBatch(
    ctx,
    readingsFor(ctx.caller, named, {
      visibility: selection.includes('visibility_values'),
      values,
      transitions: values && selection.includesSubField('values', 'can_change_to'),
    }),
  )
  requireAll(named, rows)
  return { fields: presentFields(rows).map((field) => selection.prune(field)) }
}

/** The fields that the path, `ids` and `names` call for, united; null when they name none at all. */
function namedIn(input: Input): IdsAndNames | null {
  const { ids: numbers, names: called } = uniteWithPath(input)
  return numbers.length + called.length === 0
    ? null
    : { ids: numbers, names: called.map(internalName) }
}

function requireAll(named: IdsAndNames | null, rows: FieldRows): void {
  const foundIds = new Set(rows.fields.map(({ id }) => id))
  const foundNames = new Set(rows.fields.map(({ name }) => name))
  const missing =
    named?.ids.find((id) => !foundIds.has(id)) ?? named?.names.find((name) => !foundNames.has(name))
  if (missing !== undefined) {
    throw fault('fieldUnknown', { field: String(missing) })
  }
}
