import { describe, expect, test } from 'vitest'
import {
  kindOfOperator,
  needsValue,
  OPERATORS,
  type Operator,
  parseOperator,
  positiveForm,
} from '../../../src/tracker/search/operators.ts'

const NAMES = Object.keys(OPERATORS) as Operator[]

describe('an operator', () => {
  test.each<[string, string | undefined]>([
    ['equals', 'equals'],
    ['exact', 'equals'],
    ['substr', 'substring'],
    ['changedby', 'changedby'],
    ['Equals', undefined],
    [' equals', undefined],
    ['', undefined],
    ['constructor', undefined],
    ['__proto__', undefined],
  ])('named %j is %s', (name, expected) => {
    expect(parseOperator(name)).toBe(expected)
  })

  test.each<[Operator, Operator]>([
    ['notequals', 'equals'],
    ['notsubstring', 'substring'],
    ['nowordssubstr', 'anywordssubstr'],
    ['nowords', 'anywords'],
    ['notregexp', 'regexp'],
    ['isempty', 'isnotempty'],
    ['notmatches', 'matches'],
  ])('%s is the negation of %s', (operator, positive) => {
    expect(positiveForm(operator)).toEqual({ positive, isNegated: true })
    expect(kindOfOperator(operator)).toBe(kindOfOperator(positive))
  })

  test('is a negation in these cases alone, and never one of a negation', () => {
    const negations = NAMES.filter((name) => positiveForm(name).isNegated)
    expect(negations).toHaveLength(7)
    for (const name of negations) {
      expect(positiveForm(positiveForm(name).positive).isNegated).toBe(false)
    }
  })

  test('needs a value unless it is about presence, accounts or any change', () => {
    expect(NAMES.filter((name) => !needsValue(name))).toEqual([
      'isempty',
      'isnotempty',
      'isdisabled',
      'isnotdisabled',
      'everchanged',
    ])
  })
})
