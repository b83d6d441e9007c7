import * as z from 'zod'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { fields, SELECT_TYPES } from '../../platform/db/schema/fields.ts'
import { db, newestId, sql } from '../../platform/db/sql.ts'
import { createAudited } from '../../platform/db/write-audited.ts'
import { assertNameFree } from '../../platform/faults/checks.ts'
import {
  invalidParameter,
  nameTaken,
  objectProtected,
  valueBlank,
} from '../../platform/faults/fault.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import {
  boolean,
  clearableText,
  count,
  limitItems,
  names,
  requiredText,
  sortKey,
  text,
} from '../../platform/http/operations/shapes.ts'
import {
  abortIfControllersGone,
  fieldCondition,
  joinControllerNames,
  selectControllersByName,
} from './control.ts'
import {
  computeNextSortKey,
  parseCustomFieldName,
  parseDisplayName,
  requireFieldType,
} from './definition.ts'
import { hasEmptyChoice } from './empty-choice.ts'
import { fieldUnknown, fieldValueUnknown } from './faults.ts'
import {
  ALWAYS_VISIBLE,
  decideValueField,
  decideVisibility,
  selectControllingFields,
  visibilityStatements,
} from './update-control.ts'
import { listedValues, planValues, valueStatements } from './value-plan.ts'

/** The input that creating and changing a field share. */
export const fieldDetails = {
  display_name: text(),
  is_mandatory: boolean(),
  is_on_bug_entry: boolean(),
  visibility_field: clearableText(),
  visibility_values: limitItems(names()),
  value_field: clearableText(),
  values: listedValues(),
  sort_key: sortKey(),
}

const createFieldInput = z.object({
  name: requiredText(),
  type: count(),
  ...fieldDetails,
})

type Input = z.output<typeof createFieldInput>

/** Creates a custom field, with its values when it is a select field. */
export const createField = operation(
  {
    method: 'POST',
    path: '/field/bug',
    makes: '/field/bug/:id',
    summary: 'Create a custom field',
    reference: 'fields.md#create-a-custom-field',
    input: createFieldInput,
    output: z.strictObject({ id: z.int() }),
    faults: [fieldUnknown, fieldValueUnknown, nameTaken, objectProtected, valueBlank],
    requires: role('admin', 'create fields'),
    scope: 'write',
    status: 201,
  },
  async (ctx, input) => {
    const name = parseCustomFieldName(input.name)
    const type = requireFieldType(input.type)
    const references = await readBatch(ctx, selectReferences(ctx, input, name))
    assertNameFree('field', name, references.sameName)
    const visibility = decideVisibility(input, ALWAYS_VISIBLE, references, name)
    const valueField = decideValueField(input, type, null, references.fields, name)
    const owner = {
      name,
      valueField: valueField?.name ?? null,
      hasEmptyChoice: hasEmptyChoice({ isCustom: true, type }),
      controllers: references.valueControllers,
    }
    const plans = planValues(owner, [], requireListedValues(input, type))
    const sortKey = input.sort_key ?? computeNextSortKey(references.last[0]?.sortKey ?? 0, 10)
    const row = {
      name,
      displayName: input.display_name === undefined ? name : parseDisplayName(input.display_name),
      type,
      isCustom: true,
      isMandatory: input.is_mandatory ?? false,
      isOnBugEntry: input.is_on_bug_entry ?? false,
      sortKey,
      visibilityFieldId: visibility.field?.id ?? null,
      valueFieldId: valueField?.id ?? null,
    }
    const id = await createAudited(
      ctx,
      'Field',
      {
        row,
        shown: {
          name,
          display_name: row.displayName,
          type,
          is_mandatory: row.isMandatory,
          is_on_bug_entry: row.isOnBugEntry,
          visibility_field: visibility.field?.name ?? '',
          visibility_values: joinControllerNames(visibility.controllers),
          value_field: valueField?.name ?? '',
          values: plans.map((plan) => plan.name).join(', '),
          sort_key: sortKey,
        },
      },
      {
        visibility: visibilityStatements(newestId(fields), visibility),
        values: valueStatements(newestId(fields), plans),
        controllers: abortIfControllersGone(
          valueField?.name ?? '',
          plans.flatMap(({ controllers }) => controllers ?? []),
        ),
      },
    )
    return { id }
  },
)

/** Only select fields have values. */
export function requireListedValues(input: Pick<Input, 'values'>, type: number) {
  const values = input.values ?? []
  if (values.length > 0 && !SELECT_TYPES.includes(type)) {
    const reason = `is for fields of the types ${SELECT_TYPES.join(' and ')} only`
    throw invalidParameter('values', reason)
  }
  return values
}

function selectReferences({ caller }: Ctx, input: Input, name: string) {
  const selectId = (field: string | null | undefined) =>
    sql`(SELECT ${fields.id} FROM fields WHERE ${fieldCondition(field ?? '')})`
  return {
    sameName: db.select({ id: fields.id }).from(fields).where(fieldCondition(name)),
    last: db
      .select({ sortKey: sql<number>`coalesce(max(${fields.sortKey}), 0)`.as('last_sort_key') })
      .from(fields),
    fields: selectControllingFields(input),
    controllers: selectControllersByName(
      caller,
      selectId(input.visibility_field),
      input.visibility_values ?? [],
    ),
    valueControllers: selectControllersByName(
      caller,
      selectId(input.value_field),
      (input.values ?? []).flatMap((value) => value.visibility_values ?? []),
    ),
  }
}
