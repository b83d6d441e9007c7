import { expect, test } from 'vitest'
import type { Expression } from '../../../src/tracker/search/expression.ts'
import type { Operator } from '../../../src/tracker/search/operators.ts'
import { assertSearchSize, countCriteria } from '../../../src/tracker/search/size.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'

function buildConditions(count: number, operator: Operator, values: string[]): Expression {
  const condition = { kind: 'condition', field: 'alias', operator, values, source: 'f1' } as const
  return { kind: 'any', members: Array.from({ length: count }, () => condition) }
}

const WORDS = Array.from({ length: 301 }, (_, index) => index)

test.each([
  [buildConditions(300, 'equals', ['a']), undefined],
  [buildConditions(301, 'equals', ['a']), 32000],
  [buildConditions(301, 'isempty', []), 32000],
  [buildConditions(100, 'anywords', [' a b, c ']), undefined],
  [buildConditions(101, 'anywords', ['a b c']), 32000],
  [buildConditions(1, 'allwordssubstr', [WORDS.join(' ')]), 32000],
  [buildConditions(1, 'anyexact', WORDS.map(String)), undefined],
  [buildConditions(1, 'equals', [WORDS.join(' ')]), undefined],
])('a search has at most 300 conditions, each word being one (%#)', (expression, code) => {
  expect(catchFaultCode(() => assertSearchSize(expression))).toBe(code)
})

test.each([
  ['the conditions of other operators', 'equals', ['a b c'], 1],
  ['the words of a list', 'anywords', [' a b, c '], 3],
  ['the words of content, whatever separates them', 'matches', ['+a.b "c-d" e, f*'], 6],
  ['words by their letters outside ASCII', 'anywords', ['žluťoučký kůň a'], 3 * (1 + 6)],
  ['the words that content excludes', 'notmatches', ['a b'], 2],
  ['one for no word', 'matches', ['+-'], 1],
] as const)('the criteria of a statement are %s', (_, operator, values, criteria) => {
  expect(countCriteria(buildConditions(2, operator, [...values]))).toBe(2 * criteria)
})
