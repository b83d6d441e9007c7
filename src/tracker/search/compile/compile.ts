import type { Expression, FieldCondition, SameRow } from '../expression.ts'
import { kindOf } from '../operators.ts'
import type { CompileContext } from './compile-context.ts'
import {
  allConditions,
  anyCondition,
  notCondition,
  type SearchCondition,
  UNKNOWN_CONDITION,
} from './condition.ts'
import { compileContentBeside } from './content/content.ts'
import { COUNT_FIELDS } from './fields/counts.ts'
import { customField } from './fields/custom.ts'
import { SPECIAL_FIELDS, type SpecialField } from './fields/special.ts'
import { compileChanges } from './history/change-history.ts'
import { ROW_FIELDS } from './row-fields.ts'
import { compileRowValues, compileSameRow, type RowValues } from './row-values.ts'
import { compileSingleValue, type SingleValue } from './single-value.ts'
import { SINGLE_VALUE_FIELDS } from './single-value-fields.ts'

/**
 * Compiles a search into a condition on the table `bugs`. Visibility of the bugs themselves is not part of it;
 * what else the caller may not know of is. Reference: search.md, "How criteria combine".
 */
export function compileExpression(
  expression: Expression,
  context: CompileContext,
): SearchCondition {
  switch (expression.kind) {
    case 'unknown':
      return UNKNOWN_CONDITION
    case 'all':
      return allConditions(expression.members.map((member) => compileExpression(member, context)))
    case 'any':
      return anyCondition(
        expression.members.map(
          (member) =>
            (member.kind === 'condition' && member.field === 'content'
              ? compileContentBeside(member, expression.members, context)
              : null) ?? compileExpression(member, context),
        ),
      )
    case 'not':
      return notCondition(compileExpression(expression.member, context))
    case 'sameRow':
      return compileRowGroup(expression, context)
    case 'condition':
      return compileCondition(expression, context)
  }
}

function compileCondition(condition: FieldCondition, context: CompileContext): SearchCondition {
  if (kindOf(condition.operator) === 'change') {
    return compileChanges([{ condition, isNegated: false }], context)
  }
  const shape = shapeOf(condition.field, context)
  switch (shape?.shape) {
    case 'single':
      return compileSingleValue(shape, condition, context)
    case 'rows':
      return compileRowValues(shape, condition, context)
    case 'special':
      return shape.compile(condition, context)
    case undefined:
      return UNKNOWN_CONDITION
  }
}

/** Values of one row agree with each other, and so do changes; a single value is always the same. */
function compileRowGroup({ members }: SameRow, context: CompileContext): SearchCondition {
  const isChange = (member: SameRow['members'][number]) =>
    kindOf(member.condition.operator) === 'change'
  const changes = members.filter(isChange)
  const values = members.filter((member) => !isChange(member))
  const [first] = values
  const shape = first === undefined ? undefined : shapeOf(first.condition.field, context)
  const compiled =
    shape?.shape === 'rows'
      ? [compileSameRow(shape, values, context)]
      : values.map(({ condition, isNegated }) => {
          const one = compileCondition(condition, context)
          return isNegated ? notCondition(one) : one
        })
  return allConditions(
    changes.length === 0 ? compiled : [...compiled, compileChanges(changes, context)],
  )
}

export type FieldShape = SingleValue | RowValues | SpecialField

/** What a bug has in a field; undefined where the caller has nothing, which makes conditions unknown. */
export function shapeOf(field: string, context: CompileContext): FieldShape | undefined {
  const make =
    SINGLE_VALUE_FIELDS[field] ?? COUNT_FIELDS[field] ?? ROW_FIELDS[field] ?? SPECIAL_FIELDS[field]
  const custom = context.configuration.customFields.get(field)
  return make === undefined && custom !== undefined ? customField(custom, context) : make?.(context)
}
