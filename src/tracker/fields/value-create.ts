import * as z from 'zod'
import { commit, type Statement } from '../../platform/db/commit.ts'
import { fieldValues } from '../../platform/db/schema/fields.ts'
import { aliasColumns, sql } from '../../platform/db/sql.ts'
import { recordCreation } from '../../platform/db/write-audited.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import { requiredText } from '../../platform/http/operations/shapes.ts'
import { fold } from '../../platform/lib/text.ts'
import { abortIfControllersGone, joinControllerNames } from './control.ts'
import { parseValueName } from './definition.ts'
import { createValueFaults } from './faults.ts'
import {
  assertValueNameFree,
  type LoadedValues,
  loadValues,
  ownerRevisionStatements,
} from './value.ts'
import { planValues, type ValuePlan, valueDetails, valueStatements } from './value-plan.ts'
import {
  assertStatusDetailsAllowed,
  decideMoves,
  type MoveTarget,
  moveStatements,
  presentMoves,
  STATUS_FIELD,
  statusDetails,
} from './workflow.ts'

const v = aliasColumns(fieldValues, 'v')

const createValueInput = z.object({
  field: z.string(),
  name: requiredText(),
  ...valueDetails,
  ...statusDetails,
})

type Input = z.output<typeof createValueInput>

/**
 * Adds a value to a select field, behind the others unless it has a sort key. A new status is open by
 * default.
 */
export const createValue = operation(
  {
    method: 'POST',
    path: '/field/bug/:field/values',
    summary: 'Add a value to a field with a list of them',
    reference: 'fields.md#add-a-value-to-a-field',
    input: createValueInput,
    output: z.strictObject({
      id: z.int(),
      /** For a status that no bug can reach yet: what is missing. */
      notice: z.string().optional(),
    }),
    faults: createValueFaults,
    requires: role('admin', 'create values of fields'),
    scope: 'write',
    status: 201,
  },
  async (ctx, input) => {
    const loaded = await loadValues(ctx, {
      field: input.field,
      controllerNames: input.visibility_values ?? [],
      withUses: false,
    })
    const { owner, values } = loaded
    assertStatusDetailsAllowed(owner.name, input)
    const name = parseValueName(owner.name, input.name)
    assertValueNameFree(loaded, name, null)
    const isStatus = owner.name === STATUS_FIELD
    const [plan] = planValues(owner, values, [input])
    if (plan === undefined) {
      throw new Error('The value of the input has no plan')
    }
    const value = { ...plan, isOpen: isStatus ? (input.is_open ?? true) : null }
    const moves = isStatus ? decideMoves(value, input.can_change_to, [], [...values, value]) : null
    const { createdValue } = await commit(ctx, {
      owner: ownerRevisionStatements(loaded),
      values: valueStatements(sql`${owner.id}`, [value]),
      controllers: abortIfControllersGone(owner.valueField ?? '', value.controllers ?? []),
      moves:
        moves === null
          ? []
          : moveStatements(selectValueId(owner.id, name), moves, decideInitial(input)),
      audit: recordCreation(ctx, 'FieldValue', selectValueId(owner.id, name), {
        field: owner.name,
        ...presentState(value),
        ...(moves === null ? {} : presentStatus(input, moves, loaded)),
      }),
      createdValue: createdIdStatement(owner.id, name),
    })
    const id = Number(createdValue[0]?.id)
    const isReachable = !isStatus || input.can_be_initial === true
    return isReachable ? { id } : { id, notice: describeUnreachable(name) }
  },
)

/** No status can lead to one that did not exist before. */
function describeUnreachable(name: string): string {
  return `Nothing leads to '${name}' yet: name it in can_change_to of other statuses, or set its can_be_initial.`
}

/** Null writes nothing, because a new value is not an initial status yet. */
function decideInitial(input: Input): boolean | null {
  return input.can_be_initial === true ? true : null
}

function presentState(value: ValuePlan) {
  return {
    name: value.name,
    sort_key: value.sortKey,
    is_active: value.isActive,
    description: value.description,
    visibility_values: joinControllerNames(value.controllers ?? []),
  }
}

function presentStatus(input: Input, moves: readonly MoveTarget[], { values }: LoadedValues) {
  return {
    is_open: input.is_open ?? true,
    can_change_to: presentMoves(moves, values).join(', '),
    can_be_initial: input.can_be_initial ?? false,
  }
}

function selectValueId(fieldId: number, name: string) {
  return sql`(SELECT ${v.id} FROM field_values v
    WHERE ${v.fieldId} = ${fieldId} AND ${v.nameFold} = ${fold(name)})`
}

function createdIdStatement(fieldId: number, name: string): Statement {
  return sql`SELECT ${selectValueId(fieldId, name)} AS id`
}
