import * as z from 'zod'
import { auditStatement } from '../../../platform/db/audit.ts'
import { abortUnlessChanged, commit, type Statement } from '../../../platform/db/commit.ts'
import { fields, fieldValues, statusTransitions } from '../../../platform/db/schema/fields.ts'
import { aliasColumns, columnName, columnNames, jsonRows, sql } from '../../../platform/db/sql.ts'
import { invalidParameter, objectProtected, valueBlank } from '../../../platform/faults/fault.ts'
import { operation, role } from '../../../platform/http/operations/operation.ts'
import { changedObjects, requiredText } from '../../../platform/http/operations/shapes.ts'
import { fold } from '../../../platform/lib/text.ts'
import { loadValues } from '../value.ts'
import { valueStatements } from '../value-plan.ts'
import { STATUS_FIELD } from '../workflow.ts'
import { describePlan, type PresentWorkflow, type PresetPlan, planPreset } from './plan.ts'
import { isPresetName, listPresetNames, type PresetName } from './presets.ts'

const v = aliasColumns(fieldValues, 'v')
const o = aliasColumns(fieldValues, 'o')

/** The field of the statuses, as it was read. */
type StatusField = { readonly id: number; readonly revision: number }

/**
 * Adds the statuses and moves of a preset that the workflow lacks; nothing else changes. The answer lists
 * the statuses that changed, none when the workflow has all of the preset.
 */
export const applyPreset = operation(
  {
    method: 'PUT',
    path: '/workflow',
    summary: 'Add the statuses and moves of a workflow preset',
    reference: 'fields.md#add-a-workflow-preset',
    input: z.object({ preset: requiredText() }),
    output: changedObjects('values'),
    faults: [objectProtected, valueBlank],
    requires: role('admin', 'change the workflow'),
    scope: 'write',
  },
  async (ctx, input) => {
    const { caller } = ctx
    const preset = requirePreset(input.preset)
    const { owner, values, transitions } = await loadValues(ctx, {
      field: STATUS_FIELD,
      controllerNames: [],
      withUses: false,
    })
    const present = { statuses: values, transitions }
    const plan = planPreset(preset, present)
    const described = describePlan(plan, present)
    if (described.length === 0) {
      return { values: [] }
    }
    const { ids } = await commit(ctx, {
      preset: presetStatements(plan, present, { owner, by: caller.id, at: ctx.now }),
      ids: sql`SELECT ${v.id} AS id, ${v.nameFold} AS name_fold FROM field_values v
      WHERE ${v.fieldId} = ${owner.id}`,
    })
    const idOf = new Map(ids.map(({ id, name_fold: name }) => [name, Number(id)]))
    return {
      values: described.map(({ id, name, changes }) => ({
        id: id ?? idOf.get(fold(name)) ?? 0,
        changes,
      })),
    }
  },
)

function requirePreset(text: string): PresetName {
  const name = fold(text.trim())
  if (!isPresetName(name)) {
    throw invalidParameter('preset', `must be one of: ${listPresetNames()}`)
  }
  return name
}

/**
 * The statements of one commit that write and record a plan, and fail when the field changed since it was
 * read. `by` is null for the operator; `at` is in Unix seconds.
 */
export function presetStatements(
  plan: PresetPlan,
  present: PresentWorkflow,
  { owner, by, at }: { owner: StatusField; by: number | null; at: number },
): Statement[] {
  return [
    sql`UPDATE fields SET ${columnName(fields.revision)} = ${fields.revision} + 1
      WHERE ${fields.id} = ${owner.id} AND ${fields.revision} = ${owner.revision}`,
    abortUnlessChanged(),
    ...valueStatements(sql`${owner.id}`, plan.values),
    sql`INSERT INTO status_transitions (${columnNames(statusTransitions.fromId, statusTransitions.toId)})
      SELECT ${o.id}, ${v.id} FROM ${jsonRows(plan.moves)}
      JOIN field_values v ON ${v.fieldId} = ${owner.id} AND ${v.nameFold} = r.value ->> 'to'
      LEFT JOIN field_values o ON ${o.fieldId} = ${owner.id} AND ${o.nameFold} = r.value ->> 'from'`,
    ...describePlan(plan, present).map(({ id, name, changes }) =>
      auditStatement({
        by,
        at,
        changes,
        objectClass: 'FieldValue',
        action: id === null ? 'create' : 'update',
        objectId:
          id ??
          sql`(SELECT ${v.id} FROM field_values v
          WHERE ${v.fieldId} = ${owner.id} AND ${v.nameFold} = ${fold(name)})`,
      }),
    ),
  ]
}
