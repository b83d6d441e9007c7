import { type Expression, type FieldCondition, mapConditions } from '../expression.ts'
import { kindOf } from '../operators.ts'

/** Every condition on the text of comments is one on first comments, as `longdesc_initial` asks; changes stay. */
export function limitToFirstComments(expression: Expression): Expression {
  const limit = (condition: FieldCondition): FieldCondition =>
    condition.field === 'longdesc' && kindOf(condition.operator) !== 'change'
      ? { ...condition, field: 'first_comment' }
      : condition
  return mapConditions(expression, limit, (member) => ({
    ...member,
    condition: limit(member.condition),
  }))
}
