import { expect, test } from 'vitest'
import type { Expression, FieldCondition } from '../../../../src/tracker/search/expression.ts'
import type { Operator } from '../../../../src/tracker/search/operators.ts'
import { limitToFirstComments } from '../../../../src/tracker/search/parameters/first-comment.ts'
import { printExpression } from '../../../support/search/print-expression.ts'

function condition(field: string, operator: Operator): FieldCondition {
  return { kind: 'condition', field, operator, values: ['a'], source: 'f1' }
}

test('a search of first comments looks for no text in later ones, wherever it stands', () => {
  const text = condition('longdesc', 'substring')
  const expression: Expression = {
    kind: 'all',
    members: [
      text,
      { kind: 'not', member: text },
      { kind: 'any', members: [text, condition('cc', 'equals'), { kind: 'unknown' }] },
      { kind: 'sameRow', members: [{ condition: text, isNegated: true }] },
      {
        kind: 'sameRow',
        members: [{ condition: condition('longdesc', 'changedby'), isNegated: false }],
      },
    ],
  }
  expect(printExpression(limitToFirstComments(expression))).toBe(
    '(first_comment substring "a" AND NOT first_comment substring "a" AND (first_comment substring "a" OR cc equals "a" OR UNKNOWN) AND SAME ROW(NOT first_comment substring "a") AND SAME ROW(longdesc changedby "a"))',
  )
})
