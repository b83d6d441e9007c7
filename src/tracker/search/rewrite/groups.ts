import { mapMembers, type PositiveExpression } from '../expression.ts'

/** Members of a member stand beside it where both mean all, or both mean any. */
export function flatten(expression: PositiveExpression): PositiveExpression {
  const group = mapMembers(expression, flatten)
  if (group.kind !== 'all' && group.kind !== 'any') {
    return group
  }
  const members = group.members.flatMap((member) =>
    member.kind === group.kind ? member.members : [member],
  )
  return { kind: group.kind, members }
}
