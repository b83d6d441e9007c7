import type { Expression, FieldCondition } from '../../../src/tracker/search/expression.ts'

/**
 * An expression as one readable line: `(short_desc substring "a" AND NOT cc isempty)`,
 * `SAME ROW(flagtypes.name equals "review+", NOT flagtypes.name substring "x")`, `UNKNOWN`.
 */
export function printExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'condition':
      return printCondition(expression)
    case 'all':
      return expression.members.length === 0 ? 'TRUE' : join(expression.members, ' AND ')
    case 'any':
      return expression.members.length === 0 ? 'FALSE' : join(expression.members, ' OR ')
    case 'not':
      return `NOT ${printExpression(expression.member)}`
    case 'sameRow': {
      const members = expression.members.map(
        ({ condition, isNegated }) => `${isNegated ? 'NOT ' : ''}${printCondition(condition)}`,
      )
      return `SAME ROW(${members.join(', ')})`
    }
    case 'unknown':
      return 'UNKNOWN'
  }
}

function join(members: readonly Expression[], word: string): string {
  return `(${members.map(printExpression).join(word)})`
}

function printCondition({ field, operator, values }: FieldCondition): string {
  const texts = values.map((value) => JSON.stringify(value)).join(' ')
  return `${field} ${operator}${texts === '' ? '' : ` ${texts}`}`
}
