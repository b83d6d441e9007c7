import * as z from 'zod'
import { assertRole } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { auditStatement } from '../db/audit.ts'
import { commit, retryOnConflict, type Statement } from '../db/commit.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { requiredText } from '../http/shapes.ts'
import { diffFromNothing } from '../lib/differences.ts'
import { fold } from '../lib/text.ts'
import { listed, whileThere } from './control.ts'
import { valueName } from './definition.ts'
import { type Known, loadValues, stepOwner } from './value.ts'
import { type Planned, planValues, valueDetails, writeValues } from './value-plan.ts'
import {
  type Move,
  movesFrom,
  refuseStatusDetails,
  STATUS_FIELD,
  statusDetails,
  toldMoves,
  writeMoves,
} from './workflow.ts'

export const createValueInput = z.object({
  field: z.string(),
  name: requiredText(),
  ...valueDetails,
  ...statusDetails,
})
export const createValueOutput = z.strictObject({ id: z.int() })

type Input = z.output<typeof createValueInput>

/**
 * POST /field/bug/{field}/values: a new value of a field with a list of them, behind the others unless its
 * sort key says otherwise; a new status is open unless told otherwise and leads to the status of duplicates
 * at least. Administration API "Fields, values, workflow". Faults 410; 304 for everybody but administrators;
 * 50, 51 for an unknown field, controlling value or status, 53, 108 for a field without such a list, and
 * 32000 for a name that is taken.
 */
export async function createValue(ctx: Ctx, input: Input) {
  const caller = assertRole(ctx.caller, 'admin', 'create values of fields')
  return retryOnConflict(ctx, async (ctx) => {
    const under = input.visibility_values ?? []
    const known = await loadValues(ctx, { field: input.field, under, use: false })
    const { owner, values } = known
    refuseStatusDetails(owner.name, input)
    const name = valueName(owner.name, input.name)
    if (values.some((value) => value.nameFold === fold(name))) {
      throw fault('nameTaken', { kind: 'value', name })
    }
    const isStatus = owner.name === STATUS_FIELD
    const [plan] = planValues(owner, values, [input])
    if (plan === undefined) {
      throw new Error('A value that is given has no plan')
    }
    const value = { ...plan, isOpen: isStatus ? (input.is_open ?? true) : null }
    const moves = isStatus ? movesFrom(value, input.can_change_to, [], [...values, value]) : null
    const { created } = await commit(ctx, {
      owner: stepOwner(known),
      values: writeValues(sql`${owner.id}`, [value]),
      controllers: whileThere(owner.valueField ?? '', value.under ?? []),
      moves: moves === null ? [] : writeMoves(idOf(owner.id, name), moves, newStart(input)),
      audit: auditStatement({
        by: caller.id,
        at: ctx.now,
        objectClass: 'FieldValue',
        objectId: idOf(owner.id, name),
        action: 'create',
        changes: diffFromNothing({
          field: owner.name,
          ...toldValue(value),
          ...(moves === null ? {} : toldStatus(input, moves, known)),
        }),
      }),
      created: made(owner.id, name),
    })
    return { id: Number(created[0]?.id) }
  })
}

function newStart(input: Input): boolean | null {
  return input.can_be_initial === true ? true : null
}

function toldValue(value: Planned) {
  return {
    name: value.name,
    sort_key: value.sortKey,
    is_active: value.isActive,
    description: value.description,
    visibility_values: listed(value.under ?? []),
  }
}

function toldStatus(input: Input, moves: readonly Move[], { values }: Known) {
  return {
    is_open: input.is_open ?? true,
    can_change_to: toldMoves(moves, values).join(', '),
    can_be_initial: input.can_be_initial ?? false,
  }
}

function idOf(fieldId: number, name: string) {
  return sql`(SELECT v.id FROM field_values v
    WHERE v.field_id = ${fieldId} AND v.name_fold = ${fold(name)})`
}

function made(fieldId: number, name: string): Statement {
  return sql`SELECT ${idOf(fieldId, name)} AS id`
}
