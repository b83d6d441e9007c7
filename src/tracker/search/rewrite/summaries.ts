import { fold } from '../../../platform/lib/text.ts'
import { parseContent } from '../compile/content/content-terms.ts'
import {
  anyOfExpressions,
  type FieldCondition,
  mapMembers,
  type PositiveExpression,
} from '../expression.ts'

/** A single word that is looked for in summaries beside is looked for in comments alone. */
export function leaveSummaries(expression: PositiveExpression): PositiveExpression {
  if (expression.kind !== 'any') {
    return mapMembers(expression, leaveSummaries)
  }
  const { members } = expression
  return anyOfExpressions(
    members.map((member) =>
      member.kind === 'condition' && isFoundBeside(member, members)
        ? { ...member, field: 'comment_words' }
        : leaveSummaries(member),
    ),
  )
}

function isFoundBeside(
  { field, values }: FieldCondition,
  beside: readonly PositiveExpression[],
): boolean {
  const value = values.join(' ')
  if (field !== 'content' || !/^"[^"]*"$/.test(value)) {
    return false
  }
  const [term, ...others] = parseContent(value).optional
  const [word, ...more] = term?.words ?? []
  return (
    others.length === 0 &&
    more.length === 0 &&
    beside.some(
      (other) =>
        other.kind === 'condition' &&
        other.field === 'short_desc' &&
        other.operator === 'substring' &&
        fold(other.values[0] ?? '') === word,
    )
  )
}
