import { eq } from 'drizzle-orm'
import * as z from 'zod'
import { assertLoggedIn } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { auditStatement, type Changes } from '../db/audit.ts'
import { db } from '../db/client.ts'
import { abortUnlessChanged, type CommitParts, commit, retryOnConflict } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { flagTypeScopes, flagTypes } from '../db/schema/flags.ts'
import { jsonList, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { changesOutput, ids, names, text } from '../http/shapes.ts'
import { diffFields } from '../lib/differences.ts'
import { type IdOrName, parseIdOrName } from '../lib/id-or-name.ts'
import { placeType } from './create-type.ts'
import {
  decideType,
  requireOwn,
  requireStructure,
  stateIn,
  type TypeState,
  toldType,
} from './create-type-decide.ts'
import { readNamed, readScopes, readTypes, type TypeRow } from './create-type-load.ts'
import { typeTarget, typeValues } from './create-type-values.ts'
import { settleFlags } from './update-type-settle.ts'

export const updateFlagTypeInput = z.object({
  id_or_name: z.string(),
  ids: ids(),
  names: names(),
  name: text(),
  ...typeValues,
})

export const updateFlagTypeOutput = z.strictObject({
  flagtypes: z.array(z.strictObject({ id: z.int(), name: z.string(), changes: changesOutput })),
})

type Input = z.output<typeof updateFlagTypeInput>
type Decided = { row: TypeRow; after: TypeState; changes: Changes }

/** Types that one request may change: each is written by statements of its own. */
const MOST_TYPES = 50

/**
 * PUT /flag_type/{id_or_name}: changes the types of the path, of `ids` and of `names`, all or none; a
 * name means every type that has it. Flags that do not apply any more go, and nobody in particular is
 * asked any more where that is switched off. Administration API "Flag types". Faults as for a new one,
 * 51 for an unknown ID; an unknown name changes nothing.
 */
export async function updateFlagTypes(ctx: Ctx, input: Input) {
  const caller = assertLoggedIn(ctx.caller)
  const path = parseIdOrName(input.id_or_name)
  const asked = {
    ids: [...(path.id === null ? [] : [path.id]), ...(input.ids ?? [])],
    names: [path.name, ...(input.names ?? []).map((name) => name.trim())],
  }
  const isAsked = sql`(flag_types.id IN ${jsonList(asked.ids)}
    OR flag_types.name IN ${jsonList(asked.names)})`
  return retryOnConflict(ctx, async (ctx) => {
    const { types, scopes, ...named } = await readBatch(ctx, {
      types: readTypes(isAsked),
      scopes: readScopes(caller, sql`SELECT flag_types.id FROM flag_types WHERE ${isAsked}`),
      ...readNamed(caller, input),
    })
    requireStructure(caller, named, 'change flag types')
    const rows = meant(types, path, input)
    const decided = rows.map((row) => {
      const before = stateIn(row, scopes)
      requireOwn(caller, before)
      const after = decideType(before, input, named)
      requireOwn(caller, after)
      return { row, after, changes: diffFields(toldType(before), toldType(after)) }
    })
    await commit(ctx, partsOf(decided, caller.id, ctx.now))
    return {
      flagtypes: decided.map(({ row, after, changes }) => ({
        id: row.id,
        name: after.name,
        changes,
      })),
    }
  })
}

/** The types that are asked for: digits in the path are an ID, or a name when no ID fits. */
function meant(types: readonly TypeRow[], path: IdOrName, input: Input): TypeRow[] {
  const known = new Set(types.map(({ id }) => id))
  const hasPathId = path.id !== null && known.has(path.id)
  const byPath = types.filter(({ id, name }) => (hasPathId ? id === path.id : name === path.name))
  const unknown = input.ids?.find((id) => !known.has(id))
  if (unknown !== undefined || (path.id !== null && byPath.length === 0)) {
    throw fault('flagTypeIdUnknown', { id: unknown ?? path.id ?? 0 })
  }
  const others = types.filter(
    ({ id, name }) =>
      input.ids?.includes(id) === true || input.names?.some((one) => one.trim() === name) === true,
  )
  const all = [...new Set([...byPath, ...others])]
  if (all.length > MOST_TYPES) {
    const reason = `may name at most ${MOST_TYPES} flag types at once`
    throw fault('parameterInvalid', { field: 'names', reason })
  }
  if (input.target_type !== undefined) {
    const target = typeTarget(input.target_type)
    if (all.some((row) => row.target !== target)) {
      throw fault('fieldNotChangeable', { field: 'target_type' })
    }
  }
  return all
}

function partsOf(decided: readonly Decided[], by: number, at: number): CommitParts {
  const changed = decided.filter(({ changes }) => Object.keys(changes).length > 0)
  const moved = changed.filter(({ changes }) => changes.inclusions ?? changes.exclusions)
  const closed = changed.filter(({ changes }) => changes.is_requesteeble?.added === '0')
  const types = changed.flatMap(({ row, after, changes }) => {
    const { inclusions, exclusions, ...values } = after
    return [
      db
        .update(flagTypes)
        .set({ ...values, revision: row.revision + 1 })
        .where(sql`${flagTypes.id} = ${row.id} AND ${flagTypes.revision} = ${row.revision}`),
      abortUnlessChanged(),
      auditStatement({
        by,
        at,
        objectClass: 'FlagType',
        objectId: row.id,
        action: 'update',
        changes,
      }),
    ]
  })
  const scopes = moved.flatMap(({ row, after }) => [
    db.delete(flagTypeScopes).where(eq(flagTypeScopes.flagTypeId, row.id)),
    ...placeType(sql`${row.id}`, after),
  ])
  const typesMoved = moved.map(({ row, after }) => ({ id: row.id, name: after.name }))
  return {
    types,
    scopes,
    flags: moved.length === 0 ? [] : settleFlags(typesMoved, by, at),
    requestees:
      closed.length === 0
        ? []
        : sql`UPDATE flags SET requestee_id = NULL, revision = revision + 1
            WHERE type_id IN ${jsonList(closed.map(({ row }) => row.id))}
              AND requestee_id IS NOT NULL`,
  }
}
