import {
  type Expression,
  type FieldCondition,
  mapConditions,
  negate,
  type PositiveExpression,
} from '../expression.ts'
import { type PositiveOperator, positiveForm } from '../operators.ts'

/** An operator that negates another one is that one in a negation. */
export function separateNegations(expression: Expression): PositiveExpression {
  return mapConditions(
    expression,
    (condition) => {
      const { positive, isNegated } = positiveForm(condition.operator)
      const changed = withOperator(condition, positive)
      return isNegated ? negate(changed) : changed
    },
    ({ condition, isNegated }) => {
      const form = positiveForm(condition.operator)
      const changed = withOperator(condition, form.positive)
      return { condition: changed, isNegated: form.isNegated !== isNegated }
    },
  )
}

/** The condition itself where it has the operator already: the values that match its pattern are known by it. */
function withOperator(
  condition: FieldCondition,
  operator: PositiveOperator,
): FieldCondition<PositiveOperator> {
  return condition.operator === operator
    ? (condition as FieldCondition<PositiveOperator>)
    : { ...condition, operator }
}
