import type { Expression, FieldCondition } from '../../src/tracker/search/expression.ts'
import type { Operator } from '../../src/tracker/search/operators.ts'

const SYMBOLS: Partial<Record<Operator, string>> = {
  substring: '~',
  notsubstring: '!~',
  equals: '=',
  notequals: '!=',
  lessthan: '<',
  lessthaneq: '<=',
  greaterthan: '>',
  greaterthaneq: '>=',
}

/**
 * An expression as one line for tables in tests: `bug_status in (NEW) AND NOT (alias~x OR short_desc~x)`.
 * A value with other characters than those of a word stands in quotes; `TRUE` and `FALSE` are empty lists.
 */
export function printExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'condition':
      return printCondition(expression)
    case 'not':
      return `NOT ${printMember(expression.member)}`
    case 'all':
      return expression.members.map(printMember).join(' AND ') || 'TRUE'
    case 'any':
      return expression.members.map(printMember).join(' OR ') || 'FALSE'
    case 'sameRow':
      return `ROW(${expression.members
        .map(({ condition, isNegated }) => (isNegated ? 'NOT ' : '') + printCondition(condition))
        .join(' AND ')})`
    case 'unknown':
      return 'UNKNOWN'
  }
}

function printMember(member: Expression): string {
  const isList = (member.kind === 'all' || member.kind === 'any') && member.members.length > 0
  return isList ? `(${printExpression(member)})` : printExpression(member)
}

function printCondition({ field, operator, values }: FieldCondition): string {
  const texts = values.map(printValue)
  if (operator === 'anyexact') {
    return `${field} in (${texts.join(', ')})`
  }
  const symbol = SYMBOLS[operator]
  return symbol === undefined
    ? [field, operator, ...texts].join(' ')
    : `${field}${symbol}${texts.join(', ')}`
}

function printValue(value: string): string {
  return /^[\w.@%?+-]+$/.test(value) ? value : JSON.stringify(value)
}
