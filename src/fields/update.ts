import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { assertRole } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { auditStatement } from '../db/audit.ts'
import { db } from '../db/client.ts'
import { abortUnlessChanged, commit, retryOnConflict, type Statement } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { fields } from '../db/schema/fields.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { boolean, changesOutput } from '../http/shapes.ts'
import { diffFields } from '../lib/differences.ts'
import { controllersNamed, fieldCondition, listed, visibilityHeld, whileThere } from './control.ts'
import { controllableValues, fieldDetails } from './create.ts'
import { displayName } from './definition.ts'
import { nameOf } from './get-load.ts'
import {
  type Control,
  controllersIn,
  decideControl,
  decideValueField,
  showWhile,
} from './update-control.ts'
import { valuesOf } from './value.ts'
import { type Existing, type Planned, planValues, writeValues } from './value-plan.ts'

export const updateFieldInput = z.object({
  id_or_name: z.string(),
  ...fieldDetails,
  is_obsolete: boolean(),
})
export const updateFieldOutput = z.strictObject({
  fields: z.array(z.strictObject({ id: z.int(), changes: changesOutput })),
})

type Input = z.output<typeof updateFieldInput>
type Known = Awaited<ReturnType<typeof load>>
type Row = Known['fields'][number]

/**
 * PUT /field/bug/{id_or_name}: changes a custom field; values that are listed are added or changed, the
 * others stay. One that is obsolete is kept in bugs that have it and hidden from the rest. Administration
 * API "Fields, values, workflow". Faults as for a new one, 51 for a field that does not exist, and 32000 for
 * one that is built in.
 */
export async function updateField(ctx: Ctx, input: Input) {
  const caller = assertRole(ctx.caller, 'admin', 'change fields')
  return retryOnConflict(ctx, async (ctx) => {
    const known = await load(ctx, input)
    const row = customField(known, input.id_or_name)
    const before = stateOf(row, known)
    const after = afterwards(input, row, before, known)
    const changes = diffFields(told(before), told(after))
    if (after.planned.length > 0) {
      changes.values = { removed: '', added: after.planned.map(({ name }) => name).join(', ') }
    }
    if (Object.keys(changes).length > 0) {
      await commit(ctx, {
        field: written(row, before, after),
        audit: auditStatement({
          by: caller.id,
          at: ctx.now,
          objectClass: 'Field',
          objectId: row.id,
          action: 'update',
          changes,
        }),
      })
    }
    return { fields: [{ id: row.id, changes }] }
  })
}

function load(ctx: Ctx, input: Input) {
  const isIt = fieldCondition(input.id_or_name)
  const decider = (given: string | null | undefined, column: SQL) =>
    given === undefined
      ? sql`(SELECT ${column} FROM fields WHERE ${isIt})`
      : sql`(SELECT fields.id FROM fields WHERE ${fieldCondition(given ?? '')})`
  const values = input.values ?? []
  return readBatch(ctx, {
    fields: readFields(isIt),
    held: visibilityHeld(ctx.caller, isIt),
    deciding: controllersIn(input),
    controllers: controllersNamed(
      ctx.caller,
      decider(input.visibility_field, sql`fields.visibility_field_id`),
      input.visibility_values ?? [],
    ),
    valueControllers: controllersNamed(
      ctx.caller,
      decider(input.value_field, sql`fields.value_field_id`),
      values.flatMap((value) => value.visibility_values ?? []),
    ),
    values: values.length === 0 ? undefined : valuesOf(isIt),
  })
}

function readFields(isIt: SQL) {
  return db
    .select({
      id: fields.id,
      name: fields.name,
      displayName: fields.displayName,
      type: fields.type,
      isCustom: fields.isCustom,
      isMandatory: fields.isMandatory,
      isOnBugEntry: fields.isOnBugEntry,
      isObsolete: fields.isObsolete,
      sortKey: fields.sortKey,
      visibilityFieldId: fields.visibilityFieldId,
      visibilityField: nameOf(sql`fields.visibility_field_id`).as('visibility_field'),
      valueFieldId: fields.valueFieldId,
      valueField: nameOf(sql`fields.value_field_id`).as('value_field'),
      revision: fields.revision,
    })
    .from(fields)
    .where(isIt)
}

function customField({ fields: [row] }: Known, asked: string): Row {
  if (row === undefined) {
    throw fault('fieldUnknown', { field: asked })
  }
  if (!row.isCustom) {
    throw fault('objectProtected', { kind: 'field', name: row.name, reason: 'it is built in' })
  }
  return row
}

type State = {
  readonly displayName: string
  readonly isMandatory: boolean
  readonly isOnBugEntry: boolean
  readonly isObsolete: boolean
  readonly sortKey: number
  readonly control: Control
  readonly valueField: { readonly id: number; readonly name: string } | null
}

function stateOf(row: Row, { held }: Known): State {
  const named = (id: number | null, name: string | null) =>
    id === null || name === null ? null : { id, name }
  return {
    displayName: row.displayName,
    isMandatory: row.isMandatory,
    isOnBugEntry: row.isOnBugEntry,
    isObsolete: row.isObsolete,
    sortKey: row.sortKey,
    control: { field: named(row.visibilityFieldId, row.visibilityField), held },
    valueField: named(row.valueFieldId, row.valueField),
  }
}

function afterwards(input: Input, row: Row, before: State, known: Known) {
  const { deciding, controllers } = known
  const control = decideControl(input, before.control, { fields: deciding, controllers }, row.name)
  const valueField = decideValueField(input, row.type, before.valueField, deciding, row.name)
  const owner = {
    name: row.name,
    valueField: valueField?.name ?? null,
    controllers: known.valueControllers,
  }
  const existing = known.values ?? []
  const planned = planValues(owner, existing, controllableValues(input, row.type))
  return {
    displayName:
      input.display_name === undefined ? before.displayName : displayName(input.display_name),
    isMandatory: input.is_mandatory ?? before.isMandatory,
    isOnBugEntry: input.is_on_bug_entry ?? before.isOnBugEntry,
    isObsolete: input.is_obsolete ?? before.isObsolete,
    sortKey: input.sort_key ?? before.sortKey,
    control,
    valueField,
    planned: planned.filter((value) => isNews(value, existing)),
  }
}

/** Whether a planned value is new, or says something else than the one that exists. */
function isNews(value: Planned, existing: readonly Existing[]): boolean {
  const before = existing.find(({ id }) => id === value.id)
  return (
    before === undefined ||
    value.under !== null ||
    before.sortKey !== value.sortKey ||
    before.isActive !== value.isActive ||
    before.description !== value.description
  )
}

function told(state: State) {
  return {
    display_name: state.displayName,
    is_mandatory: state.isMandatory,
    is_on_bug_entry: state.isOnBugEntry,
    visibility_field: state.control.field?.name ?? '',
    visibility_values: listed(state.control.held),
    value_field: state.valueField?.name ?? '',
    sort_key: state.sortKey,
    is_obsolete: state.isObsolete,
  }
}

/** What hung on the values of a former value field means nothing under another one, and goes. */
function written(
  row: Row,
  before: State,
  after: State & { readonly planned: readonly Planned[] },
): Statement[] {
  const bit = (value: boolean) => (value ? 1 : 0)
  return [
    sql`UPDATE fields SET display_name = ${after.displayName},
        is_mandatory = ${bit(after.isMandatory)}, is_on_bug_entry = ${bit(after.isOnBugEntry)},
        is_obsolete = ${bit(after.isObsolete)}, sort_key = ${after.sortKey},
        visibility_field_id = ${after.control.field?.id ?? null},
        value_field_id = ${after.valueField?.id ?? null}, revision = revision + 1
      WHERE id = ${row.id} AND revision = ${row.revision}`,
    abortUnlessChanged(),
    ...(after.control === before.control ? [] : showWhile(sql`${row.id}`, after.control)),
    ...(after.valueField?.id === before.valueField?.id
      ? []
      : [
          sql`DELETE FROM value_visibility WHERE value_id IN
            (SELECT v.id FROM field_values v WHERE v.field_id = ${row.id})`,
        ]),
    ...writeValues(sql`${row.id}`, after.planned),
    ...whileThere(
      after.valueField?.name ?? '',
      after.planned.flatMap(({ under }) => under ?? []),
    ),
  ]
}
