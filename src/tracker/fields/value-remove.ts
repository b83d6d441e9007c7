import * as z from 'zod'
import { roleCheck } from '../../platform/access/rights.ts'
import type { Ctx } from '../../platform/context.ts'
import { auditStatement } from '../../platform/db/audit.ts'
import { abortUnlessChanged, commit, retryOnConflict } from '../../platform/db/commit.ts'
import { fieldValues, statusTransitions, valueVisibility } from '../../platform/db/schema/fields.ts'
import { sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { objectInUse } from '../../platform/faults/parameters.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import {
  controllerInUseCondition,
  describeUse,
  findUse,
  type LoadedValues,
  loadValues,
  ownerRevisionStatements,
  requireValue,
} from './value.ts'
import type { ExistingValue } from './value-plan.ts'
import { assertWorkflowUsable, findProtectionReason, STATUS_FIELD } from './workflow.ts'

export const removeValueInput = z.object({ field: z.string(), value: z.string() })
export const removeValueOutput = z.strictObject({ success: z.literal(1) })

/** The right to `removeValue`: faults 410 and 304. */
export const assertMayRemoveValue = roleCheck('admin', 'remove values of fields')

/**
 * DELETE /field/bug/{field}/values/{value}: removes an unused value, and the transitions from and to a status.
 * Faults 410, 304, 51, 108, and 32000 for a value that is in use or protected.
 * Reference: fields.md, "Remove a value of a field".
 */
export async function removeValue(ctx: Ctx, input: z.output<typeof removeValueInput>) {
  const caller = assertMayRemoveValue(ctx)
  return retryOnConflict(ctx, async (ctx) => {
    const loaded = await loadValues(ctx, { ...input, controllerNames: [], withUses: true })
    const value = requireValue(loaded, input.value)
    assertRemovable(ctx.settings, value, loaded)
    const id = sql`${value.id}`
    await commit(ctx, {
      owner: ownerRevisionStatements(loaded),
      moves: sql`DELETE FROM status_transitions WHERE ${statusTransitions.fromId} = ${id} OR ${statusTransitions.toId} = ${id}`,
      visibility: sql`DELETE FROM value_visibility WHERE ${valueVisibility.valueId} = ${id}`,
      value: [
        sql`DELETE FROM field_values WHERE ${fieldValues.id} = ${id} AND ${fieldValues.revision} = ${value.revision}
        AND NOT ${controllerInUseCondition(sql`${loaded.owner.id}`, id)}`,
        abortUnlessChanged(),
      ],
      audit: auditStatement({
        by: caller.id,
        at: ctx.now,
        objectClass: 'FieldValue',
        objectId: value.id,
        action: 'remove',
        changes: {
          field: { removed: loaded.owner.name, added: '' },
          name: { removed: value.name, added: '' },
        },
      }),
    })
    return { success: 1 as const }
  })
}

function assertRemovable(settings: Settings, value: ExistingValue, loaded: LoadedValues): void {
  const { owner, values, transitions } = loaded
  const use = findUse(loaded, value)
  const reason =
    findProtectionReason(owner.name, value.name, settings) ??
    (use === null ? null : describeUse(use))
  if (reason !== null) {
    throw fault(objectInUse, { kind: 'value', name: value.name, by: reason })
  }
  if (owner.name === STATUS_FIELD) {
    const remaining = values.filter(({ id }) => id !== value.id)
    const initialIds = transitions.filter(({ fromId }) => fromId === null).map(({ toId }) => toId)
    assertWorkflowUsable(value, values, remaining, new Set<number | null>(initialIds))
  }
}
