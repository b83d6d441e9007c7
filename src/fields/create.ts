import * as z from 'zod'
import { assertRole } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { auditStatement } from '../db/audit.ts'
import { db } from '../db/client.ts'
import { commit, retryOnConflict } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { fields, SELECT_TYPES } from '../db/schema/fields.ts'
import { newestId, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import {
  boolean,
  clearableText,
  count,
  limitItems,
  names,
  requiredText,
  sortKey,
  text,
} from '../http/shapes.ts'
import { diffFromNothing } from '../lib/differences.ts'
import { controllersNamed, fieldCondition, listed, whileThere } from './control.ts'
import { displayName, fieldName, fieldType, placeAfter } from './definition.ts'
import {
  controllersIn,
  decideControl,
  decideValueField,
  NO_CONTROL,
  showWhile,
} from './update-control.ts'
import { listedValues, planValues, writeValues } from './value-plan.ts'

/** What can be said of a field that is made or changed. */
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

export const createFieldInput = z.object({
  name: requiredText(),
  type: count(),
  ...fieldDetails,
})
export const createFieldOutput = z.strictObject({ id: z.int() })

type Input = z.output<typeof createFieldInput>

/**
 * POST /field/bug: a new custom field, with its values if it has a list of them. Administration API "Fields,
 * values, workflow". Faults 410; 304 for everybody but administrators; 50, 51 for a field or value that is
 * to decide and does not exist, 52, 53, and 32000 for a name that is taken.
 */
export async function createField(ctx: Ctx, input: Input) {
  const caller = assertRole(ctx.caller, 'admin', 'create fields')
  const name = fieldName(input.name)
  const type = fieldType(input.type)
  return retryOnConflict(ctx, async (ctx) => {
    const known = await readBatch(ctx, readings(ctx, input, name))
    if (known.sameName.length > 0) {
      throw fault('nameTaken', { kind: 'field', name })
    }
    const control = decideControl(input, NO_CONTROL, known, name)
    const valueField = decideValueField(input, type, null, known.fields, name)
    const owner = {
      name,
      valueField: valueField?.name ?? null,
      controllers: known.valueControllers,
    }
    const planned = planValues(owner, [], controllableValues(input, type))
    const sort = input.sort_key ?? placeAfter(known.last[0]?.sortKey ?? 0, 10)
    const row = {
      name,
      displayName: input.display_name === undefined ? name : displayName(input.display_name),
      type,
      isCustom: true,
      isMandatory: input.is_mandatory ?? false,
      isOnBugEntry: input.is_on_bug_entry ?? false,
      sortKey: sort,
      visibilityFieldId: control.field?.id ?? null,
      valueFieldId: valueField?.id ?? null,
    }
    const { field } = await commit(ctx, {
      field: db.insert(fields).values(row).returning({ id: fields.id }),
      conditions: showWhile(newestId(fields), control),
      values: writeValues(newestId(fields), planned),
      controllers: whileThere(
        valueField?.name ?? '',
        planned.flatMap(({ under }) => under ?? []),
      ),
      audit: auditStatement({
        by: caller.id,
        at: ctx.now,
        objectClass: 'Field',
        objectId: newestId(fields),
        action: 'create',
        changes: diffFromNothing({
          name,
          display_name: row.displayName,
          type,
          is_mandatory: row.isMandatory,
          is_on_bug_entry: row.isOnBugEntry,
          visibility_field: control.field?.name ?? '',
          visibility_values: listed(control.held),
          value_field: valueField?.name ?? '',
          values: planned.map((value) => value.name).join(', '),
          sort_key: sort,
        }),
      }),
    })
    return { id: Number(field[0]?.id) }
  })
}

/** The values that the input lists: fault 53 for a field that holds no values of a list. */
export function controllableValues(input: Pick<Input, 'values'>, type: number) {
  const given = input.values ?? []
  if (given.length > 0 && !SELECT_TYPES.includes(type)) {
    const reason = 'is for fields of the types 2 and 3 only'
    throw fault('parameterInvalid', { field: 'values', reason })
  }
  return given
}

function readings({ caller }: Ctx, input: Input, name: string) {
  const idOf = (field: string | null | undefined) =>
    sql`(SELECT fields.id FROM fields WHERE ${fieldCondition(field ?? '')})`
  return {
    sameName: db.select({ id: fields.id }).from(fields).where(fieldCondition(name)),
    last: db
      .select({ sortKey: sql<number>`coalesce(max(fields.sort_key), 0)`.as('last_sort_key') })
      .from(fields),
    fields: controllersIn(input),
    controllers: controllersNamed(
      caller,
      idOf(input.visibility_field),
      input.visibility_values ?? [],
    ),
    valueControllers: controllersNamed(
      caller,
      idOf(input.value_field),
      (input.values ?? []).flatMap((value) => value.visibility_values ?? []),
    ),
  }
}
