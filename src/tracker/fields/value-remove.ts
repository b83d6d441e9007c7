import * as z from 'zod'
import { commit } from '../../platform/db/commit.ts'
import { statusTransitions, valueVisibility } from '../../platform/db/schema/fields.ts'
import { sql } from '../../platform/db/sql.ts'
import { removeAudited } from '../../platform/db/write-audited.ts'
import { fault, objectInUse, objectProtected } from '../../platform/faults/fault.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { fieldNotSelect, fieldUnknown, fieldValueUnknown } from './faults.ts'
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

/** Removes an unused value, and the transitions from and to a status. */
export const removeValue = operation(
  {
    method: 'DELETE',
    path: '/field/bug/:field/values/:value{.+}',
    summary: 'Remove a value that nothing uses',
    reference: 'fields.md#remove-a-value-of-a-field',
    input: z.object({ field: z.string(), value: z.string() }),
    output: z.strictObject({ success: z.literal(1) }),
    faults: [fieldNotSelect, fieldUnknown, fieldValueUnknown, objectInUse, objectProtected],
    requires: role('admin', 'remove values of fields'),
    scope: 'write',
  },
  async (ctx, input) => {
    const loaded = await loadValues(ctx, { ...input, controllerNames: [], withUses: true })
    const value = requireValue(loaded, input.value)
    assertRemovable(ctx.settings, value, loaded)
    const id = sql`${value.id}`
    await commit(ctx, {
      owner: ownerRevisionStatements(loaded),
      moves: sql`DELETE FROM status_transitions WHERE ${statusTransitions.fromId} = ${id} OR ${statusTransitions.toId} = ${id}`,
      visibility: sql`DELETE FROM value_visibility WHERE ${valueVisibility.valueId} = ${id}`,
      value: removeAudited(
        ctx,
        'FieldValue',
        value,
        { field: loaded.owner.name, name: value.name },
        controllerInUseCondition(sql`${loaded.owner.id}`, id),
      ),
    })
    return { success: 1 as const }
  },
)

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
