import { conditionsOf, type Expression } from '../../../../src/tracker/search/expression.ts'

/** The parts of an expression, itself included, with the fewest conditions first. */
function partsOf(expression: Expression): Expression[] {
  return [expression, ...membersOf(expression).flatMap(partsOf)]
}

function membersOf(expression: Expression): Expression[] {
  switch (expression.kind) {
    case 'all':
    case 'any':
      return [...expression.members]
    case 'not':
      return [expression.member]
    case 'sameRow':
      return expression.members.length > 1
        ? expression.members.map((member) => ({ kind: 'sameRow', members: [member] }))
        : expression.members.map(({ condition }) => condition)
    default:
      return []
  }
}

/** The smallest part of a failing expression that fails by itself, to be looked at first. */
export async function findSmallestPart(
  expression: Expression,
  fails: (part: Expression) => Promise<boolean>,
): Promise<Expression> {
  const parts = partsOf(expression).sort((a, b) => conditionsOf(a).length - conditionsOf(b).length)
  for (const part of parts) {
    if (await fails(part)) {
      return part
    }
  }
  return expression
}

/** An expression as a line to read. */
export function describeExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'condition':
      return [
        expression.field,
        expression.operator,
        ...expression.values.map((v) => JSON.stringify(v)),
      ].join(' ')
    case 'sameRow':
      return `sameRow(${expression.members
        .map(
          ({ condition, isNegated }) => `${isNegated ? '!' : ''}${describeExpression(condition)}`,
        )
        .join('; ')})`
    case 'not':
      return `not(${describeExpression(expression.member)})`
    case 'unknown':
      return 'unknown'
    default:
      return `${expression.kind}(${expression.members.map(describeExpression).join('; ')})`
  }
}
