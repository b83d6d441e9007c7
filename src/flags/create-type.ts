import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { assertLoggedIn } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { auditStatement } from '../db/audit.ts'
import { db } from '../db/client.ts'
import { commit, retryOnConflict, type Statement } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { flagTypes } from '../db/schema/flags.ts'
import { jsonRows, newestId, sql } from '../db/sql.ts'
import { prose, requiredText } from '../http/shapes.ts'
import { diffFromNothing } from '../lib/differences.ts'
import {
  decideType,
  NEW_TYPE,
  requireOwn,
  requireStructure,
  type TypeState,
  toldType,
} from './create-type-decide.ts'
import { readNamed } from './create-type-load.ts'
import { typeTarget, typeValues } from './create-type-values.ts'

export const createFlagTypeInput = z.object({
  name: requiredText(),
  ...typeValues,
  description: prose(requiredText()),
})
export const createFlagTypeOutput = z.strictObject({ id: z.int() })

/**
 * POST /flag_type: a kind of flags, for bugs or for attachments, with where it applies and who may set
 * them. Administration API "Flag types". Faults 410; 304 without the right to change components of any
 * product, 1105 where the type applies to products of others; 50, 1101 to 1104, 501 and 53 for values;
 * 51 for an unknown group or component, 106 for a product.
 */
export async function createFlagType(ctx: Ctx, input: z.output<typeof createFlagTypeInput>) {
  const caller = assertLoggedIn(ctx.caller)
  return retryOnConflict(ctx, async (ctx) => {
    const named = await readBatch(ctx, readNamed(caller, input))
    requireStructure(caller, named, 'create flag types')
    const state = decideType(NEW_TYPE, input, named)
    const target = typeTarget(input.target_type)
    requireOwn(caller, state)
    const { inclusions, exclusions, ...values } = state
    const { type } = await commit(ctx, {
      type: db
        .insert(flagTypes)
        .values({ ...values, target })
        .returning({ id: flagTypes.id }),
      scopes: placeType(newestId(flagTypes), state),
      audit: auditStatement({
        by: caller.id,
        at: ctx.now,
        objectClass: 'FlagType',
        objectId: newestId(flagTypes),
        action: 'create',
        changes: diffFromNothing({ ...toldType(state), target_type: target }),
      }),
    })
    return { id: Number(type[0]?.id) }
  })
}

/** Gives a type that has no scopes those of its state. */
export function placeType(typeId: SQL, { inclusions, exclusions }: TypeState): Statement[] {
  const rows = [
    ...inclusions.map(({ productId, componentId }) => [0, productId, componentId]),
    ...exclusions.map(({ productId, componentId }) => [1, productId, componentId]),
  ]
  return rows.length === 0
    ? []
    : [
        sql`INSERT INTO flag_type_scopes (flag_type_id, is_exclusion, product_id, component_id)
          SELECT ${typeId}, r.value ->> 0, r.value ->> 1, r.value ->> 2 FROM ${jsonRows(rows)}`,
      ]
}
