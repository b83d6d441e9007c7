import type { Expression, FieldCondition } from '../expression.ts'
import { kindOf } from '../operators.ts'
import { FIRST_COMMENT } from '../search-fields.ts'

/**
 * The same search with every condition about the text of comments limited to first comments, as
 * `longdesc_initial` asks; the history of comments stays. Reference: search.md, "Criteria with operators".
 */
export function limitToFirstComments(expression: Expression): Expression {
  switch (expression.kind) {
    case 'condition':
      return limitCondition(expression)
    case 'sameRow':
      return {
        ...expression,
        members: expression.members.map((member) => ({
          ...member,
          condition: limitCondition(member.condition),
        })),
      }
    case 'not':
      return { ...expression, member: limitToFirstComments(expression.member) }
    case 'all':
    case 'any':
      return { ...expression, members: expression.members.map(limitToFirstComments) }
    case 'unknown':
      return expression
  }
}

function limitCondition(condition: FieldCondition): FieldCondition {
  return condition.field === 'longdesc' && kindOf(condition.operator) !== 'change'
    ? { ...condition, field: FIRST_COMMENT.name }
    : condition
}
