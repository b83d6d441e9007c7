import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import type { Ctx } from '../../platform/context.ts'
import { commit, type Statement } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { fields, fieldValues, valueVisibility } from '../../platform/db/schema/fields.ts'
import { aliasColumns, db, sql } from '../../platform/db/sql.ts'
import { updateAudited } from '../../platform/db/write-audited.ts'
import { fault, nameTaken, objectProtected, valueBlank } from '../../platform/faults/fault.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import { boolean, changedObjects } from '../../platform/http/operations/shapes.ts'
import { diffFields } from '../../platform/lib/differences.ts'
import { pick } from '../../platform/lib/pick.ts'
import {
  abortIfControllersGone,
  fieldCondition,
  joinControllerNames,
  selectControllersByName,
  selectVisibilityControllers,
} from './control.ts'
import { fieldDetails, requireListedValues } from './create.ts'
import { parseDisplayName } from './definition.ts'
import { hasEmptyChoice } from './empty-choice.ts'
import { fieldUnknown, fieldValueUnknown } from './faults.ts'
import { selectFieldName } from './get-load.ts'
import {
  decideValueField,
  decideVisibility,
  selectControllingFields,
  type VisibilityRule,
  visibilityStatements,
} from './update-control.ts'
import { selectValues } from './value.ts'
import { type ExistingValue, planValues, type ValuePlan, valueStatements } from './value-plan.ts'

const v = aliasColumns(fieldValues, 'v')

const updateFieldInput = z.object({
  id_or_name: z.string(),
  ...fieldDetails,
  is_obsolete: boolean(),
})

type Input = z.output<typeof updateFieldInput>
type LoadedField = Awaited<ReturnType<typeof loadField>>
type FieldRow = LoadedField['fields'][number]

/**
 * Changes a custom field, and adds or changes the given values. An obsolete field stays in bugs that have
 * a value and is hidden elsewhere.
 */
export const updateField = operation(
  {
    method: 'PUT',
    path: '/field/bug/:id_or_name',
    summary: 'Change a custom field',
    reference: 'fields.md#change-a-custom-field',
    input: updateFieldInput,
    output: changedObjects('fields'),
    faults: [fieldUnknown, fieldValueUnknown, nameTaken, objectProtected, valueBlank],
    requires: role('admin', 'change fields'),
    scope: 'write',
  },
  async (ctx, input) => {
    const loaded = await loadField(ctx, input)
    const row = requireCustomField(loaded, input.id_or_name)
    const before = parseState(row, loaded)
    const after = decideState(input, row, before, loaded)
    const changes = diffFields(presentState(before), presentState(after))
    if (after.plans.length > 0) {
      changes.values = { removed: '', added: after.plans.map(({ name }) => name).join(', ') }
    }
    if (Object.keys(changes).length > 0) {
      await commit(ctx, {
        field: updateAudited(ctx, 'Field', [{ ...row, changes }], {
          ...pick(after, 'displayName', 'isMandatory', 'isOnBugEntry', 'isObsolete', 'sortKey'),
          visibilityFieldId: after.visibility.field?.id ?? null,
          valueFieldId: after.valueField?.id ?? null,
        }),
        control: controlStatements(row, before, after),
      })
    }
    return { fields: [{ id: row.id, changes }] }
  },
)

function loadField(ctx: Ctx, input: Input) {
  const condition = fieldCondition(input.id_or_name)
  const selectFieldId = (idOrName: string | null | undefined, column: SQL) =>
    idOrName === undefined
      ? sql`(SELECT ${column} FROM fields WHERE ${condition})`
      : sql`(SELECT ${fields.id} FROM fields WHERE ${fieldCondition(idOrName ?? '')})`
  const values = input.values ?? []
  return readBatch(ctx, {
    fields: selectFields(condition),
    visibilityControllers: selectVisibilityControllers(ctx.caller, condition),
    controllingFields: selectControllingFields(input),
    controllers: selectControllersByName(
      ctx.caller,
      selectFieldId(input.visibility_field, sql`${fields.visibilityFieldId}`),
      input.visibility_values ?? [],
    ),
    valueControllers: selectControllersByName(
      ctx.caller,
      selectFieldId(input.value_field, sql`${fields.valueFieldId}`),
      values.flatMap((value) => value.visibility_values ?? []),
    ),
    values: values.length === 0 ? undefined : selectValues(condition),
  })
}

function selectFields(condition: SQL) {
  return db
    .select({
      ...pick(fields, 'id', 'name', 'displayName', 'type', 'isCustom'),
      ...pick(fields, 'isMandatory', 'isOnBugEntry', 'isObsolete', 'sortKey', 'visibilityFieldId'),
      visibilityField: selectFieldName(sql`${fields.visibilityFieldId}`).as('visibility_field'),
      valueFieldId: fields.valueFieldId,
      valueField: selectFieldName(sql`${fields.valueFieldId}`).as('value_field'),
      revision: fields.revision,
    })
    .from(fields)
    .where(condition)
}

function requireCustomField({ fields: [row] }: LoadedField, idOrName: string): FieldRow {
  if (row === undefined) {
    throw fault(fieldUnknown, { field: idOrName })
  }
  if (!row.isCustom) {
    throw fault(objectProtected, { kind: 'field', name: row.name, reason: 'it is built in' })
  }
  return row
}

type FieldState = {
  readonly displayName: string
  readonly isMandatory: boolean
  readonly isOnBugEntry: boolean
  readonly isObsolete: boolean
  readonly sortKey: number
  readonly visibility: VisibilityRule
  readonly valueField: { readonly id: number; readonly name: string } | null
}

function parseState(row: FieldRow, { visibilityControllers }: LoadedField): FieldState {
  const toRef = (id: number | null, name: string | null) =>
    id === null || name === null ? null : { id, name }
  return {
    ...pick(row, 'displayName', 'isMandatory', 'isOnBugEntry', 'isObsolete', 'sortKey'),
    visibility: {
      field: toRef(row.visibilityFieldId, row.visibilityField),
      controllers: visibilityControllers,
    },
    valueField: toRef(row.valueFieldId, row.valueField),
  }
}

function decideState(input: Input, row: FieldRow, before: FieldState, loaded: LoadedField) {
  const { controllingFields, controllers } = loaded
  const visibility = decideVisibility(
    input,
    before.visibility,
    { fields: controllingFields, controllers },
    row.name,
  )
  const valueField = decideValueField(
    input,
    row.type,
    before.valueField,
    controllingFields,
    row.name,
  )
  const owner = {
    name: row.name,
    valueField: valueField?.name ?? null,
    hasEmptyChoice: hasEmptyChoice(row),
    controllers: loaded.valueControllers,
  }
  const existing = loaded.values ?? []
  const plans = planValues(owner, existing, requireListedValues(input, row.type))
  return {
    displayName:
      input.display_name === undefined ? before.displayName : parseDisplayName(input.display_name),
    isMandatory: input.is_mandatory ?? before.isMandatory,
    isOnBugEntry: input.is_on_bug_entry ?? before.isOnBugEntry,
    isObsolete: input.is_obsolete ?? before.isObsolete,
    sortKey: input.sort_key ?? before.sortKey,
    visibility,
    valueField,
    plans: plans.filter((plan) => isChanged(plan, existing)),
  }
}

/** Whether a plan adds a value or changes the existing one. */
function isChanged(plan: ValuePlan, existing: readonly ExistingValue[]): boolean {
  const before = existing.find(({ id }) => id === plan.id)
  return (
    before === undefined ||
    plan.controllers !== null ||
    before.sortKey !== plan.sortKey ||
    before.isActive !== plan.isActive ||
    before.description !== plan.description
  )
}

function presentState(state: FieldState) {
  return {
    display_name: state.displayName,
    is_mandatory: state.isMandatory,
    is_on_bug_entry: state.isOnBugEntry,
    visibility_field: state.visibility.field?.name ?? '',
    visibility_values: joinControllerNames(state.visibility.controllers),
    value_field: state.valueField?.name ?? '',
    sort_key: state.sortKey,
    is_obsolete: state.isObsolete,
  }
}

/**
 * Writes what controls the field and its values. A change of the value field removes all controllers of values,
 * because they are values of the former value field.
 */
function controlStatements(
  row: FieldRow,
  before: FieldState,
  after: FieldState & { readonly plans: readonly ValuePlan[] },
): Statement[] {
  return [
    ...(after.visibility === before.visibility
      ? []
      : visibilityStatements(sql`${row.id}`, after.visibility)),
    ...(after.valueField?.id === before.valueField?.id
      ? []
      : [
          sql`DELETE FROM value_visibility WHERE ${valueVisibility.valueId} IN
            (SELECT ${v.id} FROM field_values v WHERE ${v.fieldId} = ${row.id})`,
        ]),
    ...valueStatements(sql`${row.id}`, after.plans),
    ...abortIfControllersGone(
      after.valueField?.name ?? '',
      after.plans.flatMap(({ controllers }) => controllers ?? []),
    ),
  ]
}
