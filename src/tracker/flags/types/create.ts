import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { assertLoggedIn } from '../../../platform/access/rights.ts'
import type { Ctx } from '../../../platform/context.ts'
import { auditStatement } from '../../../platform/db/audit.ts'
import { db } from '../../../platform/db/client.ts'
import { commit, retryOnConflict, type Statement } from '../../../platform/db/commit.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { flagTypeScopes, flagTypes } from '../../../platform/db/schema/flags.ts'
import { columnNames, jsonRows, newestId, sql } from '../../../platform/db/sql.ts'
import type { RightCheck } from '../../../platform/http/operations/operation.ts'
import { limitLength, requiredText } from '../../../platform/http/operations/shapes.ts'
import { diffFromNothing } from '../../../platform/lib/differences.ts'
import {
  assertMayEditType,
  assertMayEditTypes,
  DEFAULT_TYPE_STATE,
  decideFlagType,
  presentTypeState,
  type TypeState,
} from './create-decide.ts'
import { selectTypeReferences, selectTypeRights } from './create-load.ts'
import { parseTypeTarget, typeValues } from './create-values.ts'

const FLAG_TYPE_SCOPES_COLUMNS = columnNames(
  flagTypeScopes.flagTypeId,
  flagTypeScopes.isExclusion,
  flagTypeScopes.productId,
  flagTypeScopes.componentId,
)

export const createFlagTypeInput = z.object({
  name: requiredText(),
  ...typeValues,
  description: limitLength(requiredText()),
})
export const createFlagTypeOutput = z.strictObject({ id: z.int() })

const ACTION = 'create flag types'

/** The right to edit flag types of any product: faults 410 and 304. */
export const assertMayCreateFlagType = typeRightCheck(ACTION)

/**
 * POST /flag_type: creates a flag type. Faults 410; 304 without the right to change the components of any
 * product, 1105 when the type applies to a product without that right; 50, 53, 501 and 1101 to 1104 for
 * values; 51 for an unknown group or component, 106 for a product. Reference: flag-types.md, "Create a flag
 * type".
 */
export async function createFlagType(ctx: Ctx, input: z.output<typeof createFlagTypeInput>) {
  const caller = assertLoggedIn(ctx.caller)
  return retryOnConflict(ctx, async (ctx) => {
    const references = await readBatch(ctx, selectTypeReferences(caller, input))
    assertMayEditTypes(caller, references, ACTION)
    const state = decideFlagType(DEFAULT_TYPE_STATE, input, references)
    const target = parseTypeTarget(input.target_type)
    assertMayEditType(caller, state)
    const { inclusions, exclusions, ...values } = state
    const { type } = await commit(ctx, {
      type: db
        .insert(flagTypes)
        .values({ ...values, target })
        .returning({ id: flagTypes.id }),
      scopes: scopeStatements(newestId(flagTypes), state),
      audit: auditStatement({
        by: caller.id,
        at: ctx.now,
        objectClass: 'FlagType',
        objectId: newestId(flagTypes),
        action: 'create',
        changes: diffFromNothing({ ...presentTypeState(state), target_type: target }),
      }),
    })
    return { id: Number(type[0]?.id) }
  })
}

/** Inserts the scopes of a type that has none yet. */
export function scopeStatements(typeId: SQL, { inclusions, exclusions }: TypeState): Statement[] {
  const rows = [
    ...inclusions.map(({ productId, componentId }) => [0, productId, componentId]),
    ...exclusions.map(({ productId, componentId }) => [1, productId, componentId]),
  ]
  return rows.length === 0
    ? []
    : [
        sql`INSERT INTO flag_type_scopes (${FLAG_TYPE_SCOPES_COLUMNS})
          SELECT ${typeId}, r.value ->> 0, r.value ->> 1, r.value ->> 2 FROM ${jsonRows(rows)}`,
      ]
}

/** Creates a check of the right to edit flag types of any product: faults 410 and 304. */
export function typeRightCheck(action: string): RightCheck {
  return async (ctx) => {
    const caller = assertLoggedIn(ctx.caller)
    assertMayEditTypes(caller, await readBatch(ctx, { rights: selectTypeRights(caller) }), action)
  }
}
