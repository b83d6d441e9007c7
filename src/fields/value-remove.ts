import * as z from 'zod'
import { assertRole } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { auditStatement } from '../db/audit.ts'
import { abortUnlessChanged, commit, retryOnConflict } from '../db/commit.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import type { Settings } from '../settings.ts'
import {
  decidesElsewhere,
  type Known,
  loadValues,
  stepOwner,
  toldUse,
  useOf,
  valueIn,
} from './value.ts'
import type { Existing } from './value-plan.ts'
import { leadToDuplicates, neededFor, refuseBrokenWorkflow, STATUS_FIELD } from './workflow.ts'

export const removeValueInput = z.object({ field: z.string(), value: z.string() })
export const removeValueOutput = z.strictObject({ success: z.literal(1) })

/**
 * DELETE /field/bug/{field}/values/{value}: removes a value that nothing uses, and with a status the moves
 * from and to it. Administration API "Fields, values, workflow". Faults 410, 304, 51, 108, and 32000 for one
 * that is in use or that the service cannot do without.
 */
export async function removeValue(ctx: Ctx, input: z.output<typeof removeValueInput>) {
  const caller = assertRole(ctx.caller, 'admin', 'remove values of fields')
  return retryOnConflict(ctx, async (ctx) => {
    const known = await loadValues(ctx, { ...input, under: [], use: true })
    const value = valueIn(known, input.value)
    refuseNeeded(ctx.settings, value, known)
    const id = sql`${value.id}`
    await commit(ctx, {
      owner: stepOwner(known),
      moves: sql`DELETE FROM status_transitions WHERE from_id = ${id} OR to_id = ${id}`,
      visibility: sql`DELETE FROM value_visibility WHERE value_id = ${id}`,
      value: [
        sql`DELETE FROM field_values WHERE id = ${id} AND revision = ${value.revision}
        AND NOT ${decidesElsewhere(sql`${known.owner.id}`, id)}`,
        abortUnlessChanged(),
      ],
      duplicates: known.owner.name === STATUS_FIELD ? [leadToDuplicates()] : [],
      audit: auditStatement({
        by: caller.id,
        at: ctx.now,
        objectClass: 'FieldValue',
        objectId: value.id,
        action: 'remove',
        changes: {
          field: { removed: known.owner.name, added: '' },
          name: { removed: value.name, added: '' },
        },
      }),
    })
    return { success: 1 as const }
  })
}

function refuseNeeded(settings: Settings, value: Existing, known: Known): void {
  const { owner, values, edges } = known
  const use = useOf(known, value)
  const reason = neededFor(owner.name, value.name, settings) ?? (use === null ? null : toldUse(use))
  if (reason !== null) {
    throw fault('objectInUse', { kind: 'value', name: value.name, by: reason })
  }
  if (owner.name === STATUS_FIELD) {
    const left = values.filter(({ id }) => id !== value.id)
    const starts = edges.filter(({ fromId }) => fromId === null).map(({ toId }) => toId)
    refuseBrokenWorkflow(value, values, left, new Set<number | null>(starts))
  }
}
