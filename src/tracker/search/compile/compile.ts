import {
  allConditions,
  anyCondition,
  notCondition,
  type SearchCondition,
  UNKNOWN_CONDITION,
} from '../condition.ts'
import type { CompileContext } from '../context.ts'
import type { PositiveCondition, PositiveExpression, SameRow } from '../expression.ts'
import { isChangeOperator, type PositiveOperator } from '../operators.ts'
import type { OnlyFields, SearchFieldName } from '../search-fields.ts'
import { customField } from './fields/custom.ts'
import { ATTACHMENT_FIELDS, COMMENT_FIELDS, FLAG_FIELDS } from './fields/discussion.ts'
import { COUNT_FIELDS, LINK_FIELDS, SET_FIELDS } from './fields/sets.ts'
import { SPECIAL_FIELDS, type SpecialField } from './fields/special.ts'
import { compileChanges } from './history/change-history.ts'
import { compileRowValues, type RowValues } from './row-values.ts'
import { compileSingleValue, type SingleValue } from './single-value.ts'
import { SINGLE_VALUE_FIELDS } from './single-value-fields.ts'

/**
 * Compiles a search into a condition on the table `bugs`. The caller adds the visibility of bugs; that of
 * everything else is part of the condition.
 */
export function compileExpression(
  expression: PositiveExpression,
  context: CompileContext,
): SearchCondition {
  switch (expression.kind) {
    case 'unknown':
      return UNKNOWN_CONDITION
    case 'all':
      return allConditions(expression.members.map((member) => compileExpression(member, context)))
    case 'any':
      return anyCondition(expression.members.map((member) => compileExpression(member, context)))
    case 'not':
      return notCondition(compileExpression(expression.member, context))
    case 'sameRow':
      return compileRowGroup(expression, context)
    case 'condition':
      return compileCondition(expression, context)
  }
}

function compileCondition(condition: PositiveCondition, context: CompileContext): SearchCondition {
  if (isChangeOperator(condition.operator)) {
    return compileChanges([{ condition, isNegated: false }], context)
  }
  const shape = shapeOf(condition.field, context)
  switch (shape?.shape) {
    case 'single':
      return compileSingleValue(shape, condition, context)
    case 'rows':
      return compileRowValues(shape, [{ condition, isNegated: false }], context)
    case 'special':
      return shape.compile(condition, context)
    case undefined:
      return UNKNOWN_CONDITION
  }
}

/** Values of one row agree with each other, and so do changes; a single value is always the same. */
function compileRowGroup(
  { members }: SameRow<PositiveOperator>,
  context: CompileContext,
): SearchCondition {
  const changes = members.filter(({ condition }) => isChangeOperator(condition.operator))
  const values = members.filter((member) => !changes.includes(member))
  const [first] = values
  const shape = first === undefined ? undefined : shapeOf(first.condition.field, context)
  const compiled =
    shape?.shape === 'rows'
      ? [compileRowValues(shape, values, context)]
      : values.map(({ condition, isNegated }) => {
          const one = compileCondition(condition, context)
          return isNegated ? notCondition(one) : one
        })
  return allConditions(
    changes.length === 0 ? compiled : [...compiled, compileChanges(changes, context)],
  )
}

export type FieldShape = SingleValue | RowValues | SpecialField

type FieldMaker = (context: CompileContext) => FieldShape | undefined

/** What a bug has in each field. */
export type FieldMakers = Readonly<Record<SearchFieldName, FieldMaker>>

const FIELDS = byName({
  ...SINGLE_VALUE_FIELDS,
  ...COUNT_FIELDS,
  ...COMMENT_FIELDS,
  ...ATTACHMENT_FIELDS,
  ...FLAG_FIELDS,
  ...LINK_FIELDS,
  ...SET_FIELDS,
  ...SPECIAL_FIELDS,
  // it means the changes of all fields
  anything: () => undefined,
})

function byName<Makers extends FieldMakers>(
  makers: OnlyFields<Makers>,
): ReadonlyMap<string, FieldMaker> {
  return new Map(Object.entries<FieldMaker>(makers))
}

/** What a bug has in a field; undefined where the caller has nothing, which makes conditions unknown. */
export function shapeOf(field: string, context: CompileContext): FieldShape | undefined {
  const custom = context.configuration.customFields.get(field)
  return custom === undefined ? FIELDS.get(field)?.(context) : customField(custom, context)
}
