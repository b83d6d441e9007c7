import { describe, expect, test } from 'vitest'
import {
  allOfExpressions,
  anyOfExpressions,
  conditionsOf,
  type Expression,
  type FieldCondition,
  membersOf,
  negate,
  UNKNOWN,
} from '../../../src/tracker/search/expression.ts'

const condition = (field: string): FieldCondition => ({
  kind: 'condition',
  field,
  operator: 'equals',
  values: ['x'],
  source: field,
})
const [a, b, c] = [condition('a'), condition('b'), condition('c')]

describe('an expression', () => {
  test('of one member is that member', () => {
    expect(allOfExpressions([a])).toBe(a)
    expect(anyOfExpressions([a])).toBe(a)
    expect(allOfExpressions([])).toEqual({ kind: 'all', members: [] })
    expect(anyOfExpressions([a, b])).toEqual({ kind: 'any', members: [a, b] })
  })

  test('that is negated twice is itself', () => {
    expect(negate(a)).toEqual({ kind: 'not', member: a })
    expect(negate(negate(a))).toBe(a)
  })

  test.each<[string, Expression, Expression[]]>([
    ['a condition', a, [a]],
    [
      'nested conjunctions',
      allOfExpressions([a, allOfExpressions([b, allOfExpressions([c, UNKNOWN])])]),
      [a, b, c, UNKNOWN],
    ],
    ['a disjunction', anyOfExpressions([a, b]), [anyOfExpressions([a, b])]],
    ['a negated conjunction', negate(allOfExpressions([a, b])), [negate(allOfExpressions([a, b]))]],
    ['nothing', allOfExpressions([]), []],
  ])('%s has as members what holds side by side', (_, expression, expected) => {
    expect(membersOf(expression)).toEqual(expected)
  })

  test('has the conditions of all its parts', () => {
    const row: Expression = {
      kind: 'sameRow',
      members: [
        { condition: b, isNegated: true },
        { condition: c, isNegated: false },
      ],
    }
    expect(
      conditionsOf(allOfExpressions([negate(a), anyOfExpressions([row, UNKNOWN]), a])),
    ).toEqual([a, b, c, a])
  })
})
