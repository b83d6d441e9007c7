import * as z from 'zod'
import { readBatch } from '../../platform/db/read-batch.ts'
import { fault } from '../../platform/faults/fault.ts'
import { alsoAt, anyone, operation } from '../../platform/http/operations/operation.ts'
import { inScanTurn } from '../../platform/http/operations/read-turns.ts'
import { ids, names, selectionInput } from '../../platform/http/operations/shapes.ts'
import { findUnknown, type IdsAndNames, uniteWithPath } from '../../platform/lib/id-or-name.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { fieldUnknown, valuesTooMany } from './faults.ts'
import { type FieldRows, listsOf, selectFieldsWithValues } from './get-load.ts'
import { hasValuesOfProducts } from './legal-values.ts'
import { admitListed } from './listed-values.ts'
import { toInternalName } from './names.ts'
import { presentFields } from './present.ts'
import { fieldShape } from './shapes.ts'

const getFieldsInput = z.object({ ids: ids(), names: names(), ...selectionInput })

type Input = z.output<typeof getFieldsInput> & { id_or_name?: string }

/**
 * The named fields, or all that are not obsolete, in their order. Products that the caller may not search
 * contribute no values.
 */
export const getFields = operation(
  {
    method: 'GET',
    path: '/field/bug',
    summary: 'Read the fields of bugs with their values',
    reference: 'fields.md#get-fields',
    input: getFieldsInput,
    output: z.strictObject({ fields: z.array(fieldShape) }),
    faults: [fieldUnknown, valuesTooMany],
    requires: anyone,
    scope: 'read',
  },
  inScanTurn(async (ctx, input: Input) => {
    const selection = new Selection(input)
    const refs = parseFieldRefs(input)
    const values = selection.includes('values')
    const rows: FieldRows = await readBatch(
      ctx,
      selectFieldsWithValues(ctx.caller, refs, {
        visibility: selection.includes('visibility_values'),
        values,
        transitions: values && selection.includesSubField('values', 'can_change_to'),
      }),
    )
    assertFieldsKnown(refs, rows)
    admitListed(ctx, listsOf(rows), ADVICE)
    return { fields: presentFields(rows).map((field) => selection.prune(field)) }
  }, readsManyValues),
)

export const getField = alsoAt(getFields, {
  path: '/field/bug/:id_or_name',
  summary: 'Read one field of bugs with its values',
  input: getFieldsInput.extend({ id_or_name: z.string() }),
})

const ADVICE = "Name fewer fields, or leave the values out, with 'exclude_fields=values'"

/** Whether the values of a field may be those of all products, as only the names of others rule out. */
function readsManyValues(input: Input): boolean {
  const refs = parseFieldRefs(input)
  const mayGrow = refs === null || refs.ids.length > 0 || refs.names.some(hasValuesOfProducts)
  return mayGrow && new Selection(input).includes('values')
}

/** Unites the path, `ids` and `names`, names internal; null when the request names no field. */
function parseFieldRefs(input: Input): IdsAndNames | null {
  const refs = uniteWithPath(input)
  return refs.ids.length + refs.names.length === 0
    ? null
    : { ids: refs.ids, names: refs.names.map(toInternalName) }
}

function assertFieldsKnown(refs: IdsAndNames | null, rows: FieldRows): void {
  const unknown = refs === null ? undefined : findUnknown(refs, rows.fields)
  if (unknown !== undefined) {
    throw fault(fieldUnknown, { field: unknown })
  }
}
