import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import type { Statement } from '../../../platform/db/commit.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { flagTypeScopes, flagTypes } from '../../../platform/db/schema/flags.ts'
import { columnNames, jsonRows, newestId, sql } from '../../../platform/db/sql.ts'
import { createAudited } from '../../../platform/db/write-audited.ts'
import { operation, rightOnRows } from '../../../platform/http/operations/operation.ts'
import { limitLength, requiredText, strictInput } from '../../../platform/http/operations/shapes.ts'
import { createFlagTypeFaults } from '../faults.ts'
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

const ACTION = 'create flag types'

export const createFlagType = operation(
  {
    method: 'POST',
    path: '/flag_type',
    summary: 'Create a flag type',
    reference: 'flag-types.md#create-a-flag-type',
    // a misspelled group would let everybody set the flag
    input: strictInput(
      {
        name: requiredText(),
        ...typeValues,
        description: limitLength(requiredText()),
      },
      'id',
      'type',
      'values',
    ),
    output: z.strictObject({ id: z.int() }),
    faults: createFlagTypeFaults,
    requires: typeEditors(ACTION),
    scope: 'write',
    status: 201,
  },
  async (ctx, input) => {
    const { caller } = ctx
    const references = await readBatch(ctx, selectTypeReferences(caller, input))
    assertMayEditTypes(caller, references, ACTION)
    const state = decideFlagType(DEFAULT_TYPE_STATE, input, references)
    const target = parseTypeTarget(input.target_type)
    assertMayEditType(caller, state)
    const { inclusions, exclusions, ...values } = state
    const id = await createAudited(
      ctx,
      'FlagType',
      {
        row: { ...values, target },
        shown: { ...presentTypeState(state), target_type: target },
      },
      { scopes: scopeStatements(newestId(flagTypes), state) },
    )
    return { id }
  },
)

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

/** Whoever may edit the flag types of any product. */
export function typeEditors(action: string) {
  return rightOnRows(async (ctx) => {
    const { caller } = ctx
    assertMayEditTypes(caller, await readBatch(ctx, { rights: selectTypeRights(caller) }), action)
  })
}
