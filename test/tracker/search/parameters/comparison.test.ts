import { describe, expect, test } from 'vitest'
import type { Operator } from '../../../../src/tracker/search/operators.ts'
import {
  parseComparison,
  rowValues,
  splitAt,
} from '../../../../src/tracker/search/parameters/comparison.ts'
import { findSearchField } from '../../../../src/tracker/search/search-fields.ts'
import { CONFIGURATION, TRACKER } from '../../../support/search/parse-query.ts'
import { printExpression } from '../../../support/search/print-expression.ts'

function parse(name: string, operator: Operator, values: string[]): string {
  const field = findSearchField(name, CONFIGURATION, TRACKER) ?? { name, family: 'text' }
  const parsed = parseComparison({ field, operator, values, source: 'f1' })
  return parsed === null ? 'NONE' : printExpression(parsed)
}

describe('a comparison', () => {
  test.each<[string, Operator, string[], string]>([
    ['alias', 'equals', ['a'], 'alias equals "a"'],
    ['alias', 'equals', [], 'NONE'],
    ['alias', 'regexp', ['a', 'b'], '(alias regexp "a" OR alias regexp "b")'],
    ['alias', 'notregexp', ['a', 'b'], '(alias notregexp "a" AND alias notregexp "b")'],
    ['alias', 'anyexact', ['a', 'b,c'], 'alias anyexact "a" "b,c"'],
    ['alias', 'anyexact', [], 'UNKNOWN'],
    ['alias', 'nowordssubstr', ['a b', 'c'], 'alias nowordssubstr "a b,c"'],
    ['alias', 'allwords', [' , '], 'NONE'],
    ['alias', 'isempty', ['a'], 'alias isempty'],
  ])(
    'takes several values as its operator means them: %s %s %j',
    (name, operator, values, text) => {
      expect(parse(name, operator, values)).toBe(text)
    },
  )
})

test('a list in one text is split at commas, several values are a list already', () => {
  expect(rowValues('anyexact', ['a, b c,'])).toEqual(['a', 'b c'])
  expect(rowValues('anyexact', ['a,b', 'c'])).toEqual(['a,b', 'c'])
  expect(rowValues('equals', ['a,b'])).toEqual(['a,b'])
  expect(splitAt(/[\s,]+/, ['a, b  c'])).toEqual(['a', 'b', 'c'])
})
