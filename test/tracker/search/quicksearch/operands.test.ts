import { describe, expect, test } from 'vitest'
import { groupOperands } from '../../../../src/tracker/search/quicksearch/operands.ts'
import { textOf, tokenize } from '../../../../src/tracker/search/quicksearch/tokenize.ts'
import { catchRefusal } from '../../../support/quicksearch.ts'

/** The groups of a text: `a/-b c` are two groups, the first of them with two operands. */
function group(text: string): string {
  const groups = groupOperands(tokenize(text), text).map((operands) =>
    operands.map(({ word, isNegated }) => (isNegated ? '-' : '') + textOf(word)).join('/'),
  )
  return groups.join(' ')
}

describe('the operands of a quicksearch', () => {
  test.each([
    ['a b', 'a b'],
    ['a AND b', 'a b'],
    ['a AND AND b', 'a b'],
    ['a OR b', 'a/b'],
    ['a|b', 'a/b'],
    ['a | b', 'a/b'],
    ['a| b', 'a/b'],
    ['a||b', 'a/b'],
    ['a OR OR b', 'a/b'],
    ['a b|c d', 'a b/c d'],
    ['a b OR c AND d', 'a b/c d'],
    ['a OR b|c OR d', 'a/b/c/d'],
    ['NOT a', '-a'],
    ['NOT NOT a', 'a'],
    ['NOT NOT NOT a', '-a'],
    ['a OR NOT b', 'a/-b'],
    ['a AND NOT b', 'a -b'],
    ['NOT a|b', '-a/b'],
    ['NOT a b', '-a b'],
    ['"a|b"', 'a|b'],
    ['"AND" "OR" "NOT"', 'AND OR NOT'],
    ['and or not', 'and or not'],
    ['AND|x', 'AND/x'],
    ['ANDx', 'ANDx'],
    ['(a OR b)', '(a/b)'],
  ])('%s are grouped as %s', (text, expected) => {
    expect(group(text)).toBe(expected)
  })

  test.each([
    ['OR x', "'OR' at character 1 with nothing ahead of it"],
    ['AND x', "'AND' at character 1 with nothing ahead of it"],
    ['|x', "'|' at character 1 with nothing ahead of it"],
    ['OR', "'OR' at character 1 with nothing ahead of it"],
    ['x OR', "'OR' at character 3 with nothing behind it"],
    ['x AND', "'AND' at character 3 with nothing behind it"],
    ['x NOT', "'NOT' at character 3 with nothing behind it"],
    ['x|', "'|' at character 2 with nothing behind it"],
    ['x AND OR y', "'OR' at character 7 with only 'AND' ahead of it"],
    ['x OR AND y', "'AND' at character 6 with only 'OR' ahead of it"],
    ['x NOT AND y', "'AND' at character 7 with only 'NOT' ahead of it"],
    ['x NOT OR y', "'OR' at character 7 with only 'NOT' ahead of it"],
    ['x NOT |y', "'|' at character 7 with only 'NOT' ahead of it"],
    ['x OR ++comments', "'OR' at character 3 with nothing behind it"],
  ])('%s are refused because of %s', (text, expected) => {
    expect(catchRefusal(text)).toMatch(/^32000 /)
    expect(catchRefusal(text)).toContain(expected)
  })
})
