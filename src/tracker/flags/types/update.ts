import { eq } from 'drizzle-orm'
import * as z from 'zod'
import type { Changes } from '../../../platform/db/audit.ts'
import { type CommitParts, commit } from '../../../platform/db/commit.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { flags, flagTypeScopes, flagTypes } from '../../../platform/db/schema/flags.ts'
import { columnName, db, jsonList, sql } from '../../../platform/db/sql.ts'
import { type Author, updateAudited } from '../../../platform/db/write-audited.ts'
import { assertAtMost } from '../../../platform/faults/checks.ts'
import { fault, fieldNotChangeable } from '../../../platform/faults/fault.ts'
import { operation } from '../../../platform/http/operations/operation.ts'
import {
  changesOutput,
  ids,
  names,
  strictInput,
  text,
} from '../../../platform/http/operations/shapes.ts'
import { diffFields } from '../../../platform/lib/differences.ts'
import { type IdOrName, parseIdOrName } from '../../../platform/lib/id-or-name.ts'
import { flagTypeIdUnknown, updateFlagTypeFaults } from '../faults.ts'
import { scopeStatements, typeEditors } from './create.ts'
import {
  assertMayEditType,
  assertMayEditTypes,
  decideFlagType,
  parseTypeState,
  presentTypeState,
  type TypeState,
} from './create-decide.ts'
import {
  selectFlagTypes,
  selectTypeReferences,
  selectTypeScopes,
  type TypeRow,
} from './create-load.ts'
import { parseTypeTarget, typeValues } from './create-values.ts'
import { settleFlagsStatements } from './update-settle.ts'
import { admitFlags } from './update-size.ts'

const updateFlagTypeInput = strictInput(
  {
    id_or_name: z.string(),
    ids: ids(),
    names: names(),
    name: text(),
    ...typeValues,
  },
  'id',
  'type',
  'values',
)

type Input = z.output<typeof updateFlagTypeInput>
type TypeDecision = { row: TypeRow; after: TypeState; changes: Changes }

/** Types that one request may change. Each is written by its own statements. */
const MAX_TYPES = 50

const ACTION = 'change flag types'

/**
 * Changes the types of the path, of `ids` and of `names`, all or none. A name stands for every type that
 * has it; an unknown name changes nothing. Flags that do not apply any more are moved or cleared, and lose
 * their requestees where the type does not allow them any more.
 */
export const updateFlagTypes = operation(
  {
    method: 'PUT',
    path: '/flag_type/:id_or_name',
    summary: 'Change flag types',
    reference: 'flag-types.md#change-flag-types',
    input: updateFlagTypeInput,
    output: z.strictObject({
      flagtypes: z.array(z.strictObject({ id: z.int(), name: z.string(), changes: changesOutput })),
    }),
    faults: updateFlagTypeFaults,
    requires: typeEditors(ACTION),
    scope: 'write',
  },
  async (ctx, input) => {
    const { caller } = ctx
    const path = parseIdOrName(input.id_or_name)
    const refs = {
      ids: [...(path.id === null ? [] : [path.id]), ...(input.ids ?? [])],
      names: [path.name, ...(input.names ?? []).map((name) => name.trim())],
    }
    const isNamed = sql`(${flagTypes.id} IN ${jsonList(refs.ids)}
    OR ${flagTypes.name} IN ${jsonList(refs.names)})`
    const { types, scopes, ...references } = await readBatch(ctx, {
      types: selectFlagTypes(isNamed),
      scopes: selectTypeScopes(
        caller,
        sql`SELECT ${flagTypes.id} FROM flag_types WHERE ${isNamed}`,
      ),
      ...selectTypeReferences(caller, input),
    })
    assertMayEditTypes(caller, references, ACTION)
    const rows = requireTypes(types, path, input)
    const decisions = rows.map((row) => {
      const before = parseTypeState(row, scopes)
      assertMayEditType(caller, before)
      const after = decideFlagType(before, input, references)
      assertMayEditType(caller, after)
      return {
        row,
        after,
        changes: diffFields(presentTypeState(before), presentTypeState(after)),
      }
    })
    const changed = decisions.filter(({ changes }) => Object.keys(changes).length > 0)
    await admitFlags(ctx, changed)
    await commit(ctx, makeCommitParts(ctx, changed))
    return {
      flagtypes: decisions.map(({ row, after, changes }) => ({
        id: row.id,
        name: after.name,
        changes,
      })),
    }
  },
)

/** The types that the request names. Digits in the path are an ID if such a type exists, else a name. */
function requireTypes(types: readonly TypeRow[], path: IdOrName, input: Input): TypeRow[] {
  const typeIds = new Set(types.map(({ id }) => id))
  const hasPathId = path.id !== null && typeIds.has(path.id)
  const byPath = types.filter(({ id, name }) => (hasPathId ? id === path.id : name === path.name))
  const unknown = input.ids?.find((id) => !typeIds.has(id))
  if (unknown !== undefined || (path.id !== null && byPath.length === 0)) {
    throw fault(flagTypeIdUnknown, { id: unknown ?? path.id ?? 0 })
  }
  const others = types.filter(
    ({ id, name }) =>
      input.ids?.includes(id) === true || input.names?.some((one) => one.trim() === name) === true,
  )
  const all = [...new Set([...byPath, ...others])]
  assertAtMost(MAX_TYPES, all.length, 'names', 'flag types at once')
  if (input.target_type !== undefined) {
    const target = parseTypeTarget(input.target_type)
    if (all.some((row) => row.target !== target)) {
      throw fault(fieldNotChangeable, { field: 'target_type' })
    }
  }
  return all
}

function makeCommitParts(author: Author, changed: readonly TypeDecision[]): CommitParts {
  const rescoped = changed.filter(({ changes }) => changes.inclusions ?? changes.exclusions)
  const withoutRequestees = changed.filter(({ changes }) => changes.is_requesteeble?.added === '0')
  const types = changed.flatMap(({ row, after, changes }) => {
    const { inclusions, exclusions, ...values } = after
    return updateAudited(author, 'FlagType', [{ ...row, changes }], values)
  })
  const scopes = rescoped.flatMap(({ row, after }) => [
    db.delete(flagTypeScopes).where(eq(flagTypeScopes.flagTypeId, row.id)),
    ...scopeStatements(sql`${row.id}`, after),
  ])
  const rescopedTypes = rescoped.map(({ row, after }) => ({ id: row.id, name: after.name }))
  return {
    types,
    scopes,
    flags: rescoped.length === 0 ? [] : settleFlagsStatements(author, rescopedTypes),
    requestees:
      withoutRequestees.length === 0
        ? []
        : sql`UPDATE flags SET ${columnName(flags.requesteeId)} = NULL, ${columnName(flags.revision)} = ${flags.revision} + 1
            WHERE ${flags.typeId} IN ${jsonList(withoutRequestees.map(({ row }) => row.id))}
              AND ${flags.requesteeId} IS NOT NULL`,
  }
}
